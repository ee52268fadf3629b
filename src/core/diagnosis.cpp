// SPDX-License-Identifier: Apache-2.0
#include <ideal/diagnosis.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include <fmt/format.h>

namespace ideal {

namespace {

/// The largest curvature found at some points. Power steps find no more than there is, so that nothing is
/// blamed that is right.
struct Curved {
  double L = 0;
  Index agent = 0;
};

Vector any_direction(Index size) {
  Vector v(size);
  Random random(1);
  for (double& x : v) x = random.normal();
  return v.normalized();
}

double curvature_at(const Loss& f, const Vector& x) {
  constexpr int power_steps = 8;
  Vector v = any_direction(x.size()), Hv(x.size());
  double L = 0;
  for (int k = 0; k < power_steps; ++k) {
    f.hessian_vector(x, v, Hv);
    L = Hv.norm();
    if (!(L > 0 && std::isfinite(L))) return 0;
    v = Hv / L;
  }
  return L;
}

Curved steepest(const Problem& problem, const Result& result) {
  Curved most;
  for (Index i = 0; i < std::ssize(problem.losses); ++i) {
    const Loss* f = problem.losses[i].get();
    if (!f) continue;
    std::vector<Vector> points{Vector::Zero(f->dimension())};
    if (problem.reference) points.push_back(problem.reference->x);
    if (result.X.cols() == std::ssize(problem.losses)) points.emplace_back(result.X.col(i));
    for (const Vector& x : points)
      if (const double L = curvature_at(*f, x); L > most.L) most = {L, i};
  }
  return most;
}

/// What the rules look at.
struct Case {
  const Problem& problem;
  const Topology& topology;
  const Method& method;
  const Result& result;
  double tol;
  Curved met;

  [[nodiscard]] bool is(std::initializer_list<std::string_view> names) const {
    return std::ranges::find(names, method.about().name) != names.end();
  }

  /// As the method used it.
  [[nodiscard]] std::optional<double> used(const std::string& key) const {
    const auto found = result.parameters.find(key);
    if (found == result.parameters.end()) return {};
    return std::visit([](auto value) { return static_cast<double>(value); }, found->second);
  }

  /// As it stands; empty where there is no such parameter.
  [[nodiscard]] std::string set(std::string_view key) const { return value_in(method, key); }

  /// Whether it is other than by default.
  [[nodiscard]] bool was_set(std::string_view key) const {
    const auto registered =
        std::ranges::find(methods(), method.about().name, [](const Method& m) { return m.about().name; });
    return set(key) != (registered == methods().end() ? "auto" : value_in(*registered, key));
  }

  static std::string value_in(const Method& method, std::string_view key) {
    for (const Parameter& parameter : method.parameters())
      if (parameter.key == key) return parameter.value;
    return {};
  }

  [[nodiscard]] bool in_trouble() const {
    return result.status == Status::diverged || stalled(result.own_rows()) ||
           used("retreats").value_or(0) > 0;
  }

  /// What the steps have to bear.
  [[nodiscard]] double L() const { return std::max(met.L, problem.constants.L); }

  /// The largest eigenvalue of what the method mixes with.
  [[nodiscard]] Spectrum mixing() const {
    const Spectrum W = topology.spectrum();
    const auto J = used("J");
    if (!J || W.kappa() < 1 + 1e-9) return W;
    const double ripple = 1 / std::cosh(*J * std::acosh((W.kappa() + 1) / (W.kappa() - 1)));
    return {.lambda_max = 1 + ripple, .lambda_min = 1 - ripple};
  }
};

using Findings = std::vector<Finding>;

std::string where(const Case& c) {
  return fmt::format("with the curvature L = {:.4g} met at agent {}", c.met.L, c.met.agent);
}

// ---- what was told about the problem -------------------------------------------------------------------

void told_smoothness(const Case& c, Findings& found) {
  constexpr double rounding = 1e-6;
  const bool finds_out = c.is({"auto"}) || (c.is({"ideal1"}) && c.set("follow") == "true");
  const double L = c.problem.constants.L;
  if (finds_out || !c.problem.constants.smooth || L >= c.met.L * (1 - rounding)) return;
  found.push_back(
      {"L", L, fmt::format("at least the curvature of every loss, {:.4g} at agent {}", c.met.L, c.met.agent),
       "without --L, or a larger one"});
}

void told_convexity(const Case& c, Findings& found) {
  constexpr double rounding = 1e-6;
  double least = std::numeric_limits<double>::infinity();
  Index agent = 0;
  for (Index i = 0; i < std::ssize(c.problem.losses); ++i)
    if (const Loss* f = c.problem.losses[i].get()) {
      if (c.problem.constants.mu <= f->known_convexity() * (1 + rounding))
        continue;  // without a look at the data
      if (const double mu = f->curvature().mu; mu < least) {
        least = mu;
        agent = i;
      }
    }
  if (c.problem.constants.mu <= least * (1 + rounding)) return;
  found.push_back(
      {"mu", c.problem.constants.mu,
       fmt::format("at most the strong convexity of every loss, {:.4g} at agent {}", least, agent),
       "without --mu, or a smaller one"});
}

void told_spectrum(const Case& c, Findings& found) {
  constexpr double slack = 0.05;  // they are estimates
  const auto [largest, smallest] = c.topology.spectrum();
  if (const auto told = c.used("lambda-max"); told && *told < largest * (1 - slack))
    found.push_back({"lambda-max", *told,
                     fmt::format("at least the largest eigenvalue of W, {:.4g}", largest),
                     "--set lambda-max=auto"});
  if (const auto told = c.used("lambda-min"); told && *told > smallest * (1 + slack))
    found.push_back({"lambda-min", *told,
                     fmt::format("at most the smallest positive eigenvalue of W, {:.4g}", smallest),
                     "--set lambda-min=auto"});
}

// ---- steps ---------------------------------------------------------------------------------------------

/// Nesterov's method with momentum beta bears steps below this share of 1/L, 2 without momentum.
double bearable(double beta) { return (2 + 2 * beta) / (1 + 2 * beta); }

struct Limit {
  double step;
  std::string formula;
};

std::optional<Limit> limit_of_step(const Case& c) {
  if (!c.problem.constants.smooth) return {};
  const double L = c.L(), beta = c.used("beta").value_or(0);
  const Spectrum W = c.topology.spectrum();
  const double averaged_least = W.lambda_max < 2 ? 1 - W.lambda_max : 0;  // of W_DS
  if (c.is({"gd", "nids", "fedavg"})) return Limit{2 / L, "2/L"};
  if (c.is({"extra", "dgd"})) return Limit{(1 + averaged_least) / L, "(1 + lambda_min(W_DS))/L"};
  if (c.is({"agd", "mudag"})) return Limit{bearable(beta) / L, "(2 + 2 beta)/((1 + 2 beta) L)"};
  if (c.is({"dng", "dnc"})) return Limit{bearable(1) / L, "4/(3 L)"};
  if (c.is({"ideal", "mideal", "al", "aal"}))
    return Limit{
        bearable(c.used("beta-in").value_or(0)) / (L + c.used("rho").value_or(0) * c.mixing().lambda_max),
        "(2 + 2 beta-in)/((1 + 2 beta-in) (L + rho lambda_max))"};
  return {};
}

void primal_step(const Case& c, Findings& found) {
  const auto step = c.used("step");
  const auto limit = limit_of_step(c);
  const bool by_hand = c.was_set("step") || c.was_set("step-scale");
  if (limit) {
    // A step that follows from a wrong L is that one's fault.
    if (step && *step >= limit->step && (by_hand || found.empty()))
      found.push_back({"step", *step,
                       fmt::format("below {} = {:.4g}, {}", limit->formula, limit->step, where(c)),
                       c.was_set("step") ? "--set step=auto" : "--set step-scale=1"});
  } else if (step && by_hand && c.result.status == Status::diverged) {
    found.push_back({"step", *step, "what its formula gives (see 'ideal methods'): this one was set by hand",
                     c.was_set("step") ? "--set step=auto" : "--set step-scale=1"});
  }
}

void scaled_smoothness(const Case& c, Findings& found) {
  constexpr double measured = 0.2;  // less of L has been seen to fail
  if (const auto scale = c.used("L-scale"); scale && *scale < measured && c.is({"opapc", "apapc"}))
    found.push_back(
        {"L-scale", *scale, fmt::format("at least {}, and 1 for its proof", measured), "--set L-scale=auto"});
}

void dual_step(const Case& c, Findings& found) {
  if (!c.is({"ideal", "mideal", "al", "aal", "ssda", "msda"}) || !(c.problem.constants.mu > 0)) return;
  const double beta = c.used("beta").value_or(0), rho = c.used("rho").value_or(0);
  const double limit = bearable(beta) * (rho + c.problem.constants.mu / c.mixing().lambda_max);
  if (const auto eta = c.used("eta"); eta && *eta >= limit)
    found.push_back({"eta", *eta,
                     fmt::format("below (2 + 2 beta)/(1 + 2 beta) (rho + mu/lambda_max) = {:.4g}", limit),
                     "--set eta=auto"});
}

// ---- inner loops ---------------------------------------------------------------------------------------

void inner_steps(const Case& c, Findings& found) {
  const auto T = c.used("T");
  const double rho = c.used("rho").value_or(0), mu = c.problem.constants.mu;
  if (!T || !c.was_set("T") || !c.is({"ideal", "mideal", "al", "ssda", "msda"})) return;
  if (!c.problem.constants.smooth || !(mu > 0)) return;
  const bool two_loops = c.is({"ideal", "mideal", "al", "aal"});
  const double kappa_in = (c.L() + (two_loops ? rho * c.mixing().lambda_max : 0)) / mu;
  const std::string solver = c.set("solver");
  if (!solver.empty() && solver != "agd" && solver != "gd" && solver != "sgd") return;  // T is something else
  const bool plain = solver == "gd" || solver == "sgd";
  const double enough = plain ? 2 * kappa_in : 2 * std::sqrt(kappa_in);
  if (*T >= enough) return;
  found.push_back({"T", *T,
                   fmt::format("about {} = {:.0f} inner steps, with kappa_in = {:.4g}",
                               plain ? "2 kappa_in" : "2 sqrt(kappa_in)", std::ceil(enough), kappa_in),
                   "--set T=auto"});
}

void gossip_rounds(const Case& c, Findings& found) {
  if (!c.is({"mudag"}) || !c.was_set("K")) return;
  const double enough = 1.6 * std::sqrt(c.topology.spectrum().kappa());
  if (const auto K = c.used("K"); K && *K < enough)
    found.push_back(
        {"K", *K, fmt::format("about 1.6 sqrt(kappa_W) = {:.0f} rounds", std::ceil(enough)), "--set K=auto"});
}

// ---- state ---------------------------------------------------------------------------------------------

void imbalance(const Case& c, Findings& found) {
  constexpr double rounding = 1e-9;
  if (!c.result.dual) return;
  const auto* dual = std::get_if<Block>(&c.result.checkpoint.state[*c.result.dual]);
  if (!dual || !dual->allFinite()) return;
  const double sum = dual->rowwise().sum().norm(), size = dual->norm();
  // Where agents hardly differ, the duals themselves are rounding: of gradients, which they balance.
  const double rounded = 1e-12 * c.problem.constants.L * c.result.X.norm();
  if (!(sum > rounding * size * std::sqrt(static_cast<double>(dual->cols())) + rounded)) return;
  found.push_back(
      {"|sum of dual variables|", sum,
       fmt::format("0 up to rounding, their norm being {:.4g}: else the fixed point is no optimum", size),
       "a start from the beginning, not from this checkpoint"});
}

// ---- how the agents differ -----------------------------------------------------------------------------

bool has_all_losses(const Problem& problem) {
  return std::ranges::all_of(problem.losses, [](const auto& f) { return f != nullptr; });
}

/// Methods that stop where their steps balance.
void unlike_gradients(const Case& c, Findings& found) {
  const bool constant_step =
      (c.is({"dgd"}) && c.set("decay") == "0") || (c.is({"fedavg"}) && c.set("T") != "1");
  if (!constant_step || !c.problem.reference) return;
  double largest = 0;
  Index agent = 0;
  Vector g(c.problem.reference->x.size());
  for (Index i = 0; i < std::ssize(c.problem.losses); ++i) {
    if (!c.problem.losses[i]) continue;
    c.problem.losses[i]->gradient(c.problem.reference->x, g);
    if (g.norm() > largest) {
      largest = g.norm();
      agent = i;
    }
  }
  if (largest <= 1e-8 * c.L() * (1 + c.problem.reference->x.norm())) return;
  found.push_back(
      {"heterogeneity |grad f_i(x*)|", largest,
       fmt::format("0 at every agent for this method to reach the optimum with a constant step, and it "
                   "is that much at agent {}",
                   agent),
       c.is({"dgd"}) ? "--set decay=0.5, a smaller step, or --method nids"
                     : "--set T=1, a smaller step, or --method auto"});
}

/// |H_i - mean H| / L of the agent that is steepest, which a single loop with sigma trusts to be less.
void unlike_hessians(const Case& c, Findings& found) {
  const auto sigma = c.used("sigma");
  if (!sigma || !c.in_trouble() || !has_all_losses(c.problem) || !c.problem.reference) return;
  const Vector& x = c.problem.reference->x;
  const auto n = static_cast<double>(c.problem.losses.size());
  Vector v = any_direction(x.size()), Hv(x.size()), difference(x.size());
  double distance = 0;
  constexpr int power_steps = 8;
  for (int k = 0; k < power_steps && v.allFinite(); ++k) {
    c.problem.losses[c.met.agent]->hessian_vector(x, v, difference);
    for (const auto& f : c.problem.losses) {
      f->hessian_vector(x, v, Hv);
      difference -= Hv / n;
    }
    distance = difference.norm();
    v = difference / distance;
  }
  if (!(distance > *sigma * c.L())) return;
  found.push_back(
      {"sigma", *sigma,
       fmt::format("at least |H_i - mean H|/L, how much the agents' Hessians differ: {:.2g} at agent {}",
                   distance / c.L(), c.met.agent),
       fmt::format("--set sigma={:.2g}", std::min(1.0, distance / c.L()))});
}

// ---- the end -------------------------------------------------------------------------------------------

void noise(const Case& c, Findings& found) {
  if (!c.method.stochastic() || !c.in_trouble()) return;
  const double batch = c.used("batch").value_or(std::atof(c.set("batch").c_str()));
  if (batch >= static_cast<double>(c.problem.constants.rows)) return;  // every row each time
  const std::string rule =
      "large enough that the noise of mini-batches does not keep the iterates away from the optimum";
  if (c.set("solver") == "sgd" && c.used("growth").value_or(1) <= 1)
    found.push_back({"growth", 1,
                     "above 1, or the noise of mini-batches keeps the iterates away from the optimum",
                     "--set growth=auto"});
  if (c.is({"fedavg"})) found.push_back({"batch", batch, rule, "--set batch=auto"});
  if (c.is({"dasg"}))
    found.push_back({"batch", batch, rule, "a larger one, a smaller step, or --method dmasg or dvr"});
}

/// What the last digits of f* and of f can tell.
double resolution(const Problem& problem) {
  const Reference& r = *problem.reference;
  const double mu = problem.constants.mu, n = static_cast<double>(problem.losses.size());
  const double proven = mu > 0 ? r.gradient_norm * r.gradient_norm / (2 * n * mu) : 0;
  return std::max(proven, 4 * std::numeric_limits<double>::epsilon() * std::abs(r.value));
}

void told_tolerance(const Case& c, Findings& found) {
  if (!c.problem.reference || c.tol <= 0) return;
  constexpr double near = 100;  // farther away it is not what stops a run
  const double least = resolution(c.problem);
  if (c.tol < least && c.result.own_rows().back().worst_suboptimality <= near * least)
    found.push_back({"tol", c.tol, fmt::format("at least {:.2g}, to which gaps to f* can be told", least),
                     fmt::format("--tol {:.0e}", 10 * least)});
}

/// How much longer it takes at the pace of the last third.
void pace(const Case& c, Findings& found) {
  const auto trace = c.result.own_rows();
  if (c.result.status != Status::budget || trace.size() < 4 || c.tol <= 0) return;
  const TraceRow &middle = trace[2 * trace.size() / 3], &last = trace.back();
  const double speed = std::log(middle.worst_suboptimality / last.worst_suboptimality) /
                       (last.meter.computations - middle.meter.computations);
  if (!(speed > 0) || stalled(trace)) return;
  const double needed = last.meter.computations + std::log(last.worst_suboptimality / c.tol) / speed;
  if (!(needed < 1e9)) return;
  const double steps = std::pow(10, std::floor(std::log10(needed)) - 1);  // two digits
  found.push_back({"rounds", last.meter.computations,
                   fmt::format("about {:.2g} computations at the pace of its last third", needed),
                   fmt::format("--rounds {:.0f}", std::ceil(1.25 * needed / steps) * steps)});
}

constexpr std::array rules{told_smoothness,  told_convexity, told_spectrum,  primal_step, scaled_smoothness,
                           dual_step,        inner_steps,    gossip_rounds,  imbalance,   unlike_hessians,
                           unlike_gradients, noise,          told_tolerance, pace};

}  // namespace

std::string to_string(const Finding& finding) {
  return fmt::format("{} = {:.4g}, but it is to be {}. Try {}.", finding.quantity, finding.value,
                     finding.rule, finding.remedy);
}

bool stalled(std::span<const TraceRow> trace) {
  constexpr double hardly = 0.7;
  if (trace.size() < 4) return false;
  const auto half = trace.begin() + static_cast<std::ptrdiff_t>(trace.size() / 2);
  const double before = std::min_element(trace.begin(), half, [](const TraceRow& a, const TraceRow& b) {
                          return a.worst_suboptimality < b.worst_suboptimality;
                        })->worst_suboptimality;
  return trace.back().worst_suboptimality >= hardly * before;
}

std::vector<Finding> diagnose(const Problem& problem, const Topology& topology, const Method& method,
                              const Result& result, double tol) {
  const Case c{problem, topology, method, result, tol, steepest(problem, result)};
  Findings found;
  for (const auto& rule : rules) rule(c, found);
  return found;
}

}  // namespace ideal
