// SPDX-License-Identifier: Apache-2.0
#include "method/augmented_lagrangian.hpp"

#include "method/at_once.hpp"
#include "method/nesterov.hpp"
#include "method/steps.hpp"
#include "method/sweeps.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ideal {

namespace {

using Solver = AugmentedLagrangian::Solver;

const std::array<std::string, 9> solver_names{"agd",      "gd",     "sgd",          "exact", "svrg",
                                              "katyusha", "jacobi", "gauss-seidel", "admm"};

Index steps(double count) { return whole_steps(count, "T"); }

// Q's bounds give kappa_M = 4 exactly at J = sqrt(kappa_W); rounding must not decide.
constexpr double well_connected = 4 + 1e-6;

/// Enough steps to forget the start: the squared error shrinks by exp(-75), the error by exp(-37) ~ eps.
Index exact_steps(Solver solver, double kappa_in) {
  return steps(75 * (solver == Solver::gd ? kappa_in : std::sqrt(kappa_in)));
}

/// Inner steps that keep the outer acceleration stable; with carried momentum fewer are enough
/// (docs/decisions/004).
Index default_steps(Solver solver, double kappa_in, bool carries) {
  switch (solver) {
    case Solver::agd:
      return steps((carries ? 0.75 : 2.0) * std::sqrt(kappa_in));
    case Solver::gd:
    case Solver::sgd:
      return steps(2 * kappa_in);
    default:
      break;
  }
  return exact_steps(solver, kappa_in);
}

/// Option 3. How an inner loop goes is told by messages that are sent anyway: after reach() rounds every
/// agent knows the largest of all agents' numbers, and so decides the same in the same round.
struct Hearsay {
  enum Told : Index { steepness, disagreement, numbers };

  static constexpr double fewest = 0.3;      ///< sqrt(kappa_in) steps, whatever is heard
  static constexpr double much_growth = 10;  ///< of disagreement: the dual steps go astray

  Hearsay(Mixing& mixing, Index agents, double accuracy)
      : M(mixing), largest(Block::Zero(numbers, agents)), wanted(accuracy) {}
  Hearsay(const Hearsay&) = delete;
  Hearsay& operator=(const Hearsay&) = delete;
  ~Hearsay() { M.carry(nullptr); }

  /// Unless word is still under way.
  void tell(const Block& gradient, const Block& MX) {
    if (rounds_left > 0) return;
    largest.row(steepness) = gradient.colwise().norm();
    largest.row(disagreement) = MX.colwise().norm();
    rounds_left = M.reach();
    go_on();
  }

  /// What was under way before a checkpoint still is.
  void go_on() { M.carry(rounds_left > 0 ? &largest : nullptr); }

  /// After each M X.
  void listen() {
    heard = rounds_left > 0 && rounds_left <= M.rounds();
    rounds_left = std::max(Index{0}, rounds_left - M.rounds());
  }

  /// What is left of the subproblem is small beside the dual step to come.
  [[nodiscard]] bool suffices(double eta) const {
    return heard && largest(steepness, 0) <= wanted * eta * largest(disagreement, 0);
  }

  /// At the end of inner loop k: agents disagree much more than before, or for long no less.
  [[nodiscard]] bool astray(Index k, Index patience) {
    const double now = largest(disagreement, 0);
    const bool wrong = now > much_growth * least || k - least_at > patience;
    if (!wrong && now >= least) return false;
    least = now;
    least_at = k;
    if (wrong) wanted /= 2;
    return wrong;
  }

  void begin_again() {
    rounds_left = 0;
    go_on();
  }

  Mixing& M;
  Block largest;          ///< that each agent has heard of
  Index rounds_left = 0;  ///< until all have heard of all
  bool heard = false;     ///< just now
  double wanted;
  double least = std::numeric_limits<double>::max();  ///< disagreement so far, and when
  Index least_at = 0;
};

/// All that follows from L, mu and the spectrum of M.
struct Numbers : AugmentedLagrangian::Outer {
  double contraction;  ///< Theorem 3, per outer iteration
  double step, beta_in, kappa_in;
  bool carries;
  double T0, growth;
  Index check_every;         ///< option 1: a test costs a flood, so not after every step
  Index at_least, patience;  ///< option 3
};

Numbers numbers_for(const AugmentedLagrangian& a, const Objective& F, const Mixing& M, Run& run) {
  const auto [lambda_max, lambda_min] = M.spectrum();
  const Solver solver = a.solver;
  const bool stochastic = solver == Solver::sgd;

  const Index option = run.uses("option", a.ending());
  const double connectivity = stochastic    ? lambda_min
                              : option == 3 ? std::sqrt(lambda_max * lambda_min)
                                            : lambda_max;
  Numbers n{};
  static_cast<AugmentedLagrangian::Outer&>(n) =
      a.outer(F, M, run, a.rho_scale * a.L_scale * F.L() / connectivity);
  n.contraction = 1 - std::sqrt(n.mu_rho / n.L_rho) / 2;

  const double L_in = n.L + n.rho * lambda_max;
  n.kappa_in = L_in / n.mu;
  const bool accelerated = solver == Solver::agd || solver == Solver::exact;
  n.step = run.uses("step", a.step.value_or(a.step_scale / L_in));
  n.beta_in = run.uses("beta-in", a.beta_in.value_or(accelerated ? nest(n.kappa_in) : 0));
  const bool well_mixed = lambda_max <= well_connected * lambda_min;
  n.carries =
      run.uses("carry", a.carry.value_or(solver == Solver::agd && (option == 3 || (!a.T && well_mixed))));
  const Index most =
      option == 2 ? default_steps(solver, n.kappa_in, n.carries) : exact_steps(solver, n.kappa_in);
  n.T0 = static_cast<double>(run.uses("T", a.T.value_or(most)));
  n.growth = run.uses("growth", a.growth.value_or(stochastic ? 1 / n.contraction : 1));
  n.check_every = steps(std::sqrt(n.kappa_in) / 4);
  n.at_least = steps(Hearsay::fewest * std::sqrt(n.kappa_in));
  n.patience = steps(std::sqrt(n.L_rho / n.mu_rho) + 5);
  return n;
}

/// sigma, and how long it stays.
struct Vanishing {
  static constexpr double first_share = 0.1, least_share = 1e-12;  ///< of L
  static constexpr double outer_iterations = 4;                    ///< sqrt(L_rho / mu_rho) a stage

  double sigma = 0, least = 0;
  Index begun = 0;  ///< the outer iteration in which this stage began

  [[nodiscard]] bool over(Index k, const Numbers& now) const {
    return sigma > least &&
           static_cast<double>(k - begun) >= outer_iterations * std::sqrt(now.L_rho / now.mu_rho);
  }
  void halve(Index k) {
    sigma = std::max(sigma / 2, least);
    begun = k;
  }
};

}  // namespace

Index AugmentedLagrangian::ending() const { return option.value_or(solver == Solver::agd && !T ? 3 : 2); }

void AugmentedLagrangian::parameters(Fields& fields) {
  inner_parameters(fields);
  outer_parameters(fields);
}

void AugmentedLagrangian::inner_parameters(Fields& fields) {
  fields.choice("solver", solver, solver_names,
                "inner solver: gradient steps, or passes in which each agent minimises over its own vector");
  fields.number(
      "option", option, Range{1, 3, false, false, "1, 2 or 3"},
      "end of an inner loop: 1 by proven accuracy (the maximum gradient norm is flooded, and "
      "counted), 2 after T steps, 3 by progress (two numbers ride on every message); auto: 3 for agd "
      "unless T is given, else 2");
  fields.number("T", T, range::count,
                "inner steps T_k, for options 1 and 3 the most; auto, for option 2: 0.75 sqrt(kappa_in) with "
                "carried momentum, else 2 sqrt(kappa_in) (agd), 2 kappa_in (gd, sgd), 4 epoch + 2/(step mu) "
                "(svrg), 2 epoch + 2 sqrt(epoch kappa) (katyusha), 2 (1 + rho lambda_max/mu) passes (jacobi; "
                "gauss-seidel half as many), 2 (1 + max(rho/rho-in, rho-in lambda_max/mu)) (admm); the "
                "paper's experiments use 100");
  fields.number(
      "accuracy", accuracy, range::positive,
      "option 3: a loop ends where |grad P_k| <= accuracy eta |M X|, each the largest of any agent");
  fields.number("growth", growth, Range{1, 10, false, false, "a number in [1, 10]"},
                "T_k = T growth^k; auto: 1/(1 - sqrt(mu_rho/L_rho)/2) for sgd, else 1");
  fields.number("beta-in", beta_in, range::momentum,
                "inner momentum; auto: nest(kappa_in) for agd, 0 for gd and sgd");
  fields.number(
      "step", step, range::positive,
      "inner step; auto: 1/L_in, L_in = L + rho lambda_max; for svrg 1/(L_in + 6 L_row/batch), for katyusha "
      "1/max(L_in, L_row/batch)");
  fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  fields.flag(
      "carry", carry,
      "keep the inner momentum over outer iterations; auto: for agd when option is 3, or T is auto and "
      "kappa_M <= 4");
  fields.number("batch", batch, range::count, "rows of an sgd, svrg or katyusha step");
  fields.number(
      "epoch", epoch, range::count,
      "svrg and katyusha: steps between whole gradients; auto: 2 rows/batch, or 1 if a batch is everything");
  fields.number("rho-in", rho_in, range::positive, "penalty of admm; auto: sqrt(rho mu/lambda_max)");
  fields.flag(
      "exact", local.exact,
      "jacobi, gauss-seidel and admm: exact local minimisers (each counted as one computation) instead "
      "of local-steps");
  fields.number("local-steps", local.T, range::count,
                "jacobi, gauss-seidel and admm: local accelerated steps for a minimiser; auto: 2 sqrt(kappa) "
                "of the local problems");
}

void AugmentedLagrangian::outer_parameters(Fields& fields) {
  fields.number(
      "rho", rho, range::nonnegative,
      "penalty; auto: L/lambda_max, for sgd L/lambda_min, for option 3 L/sqrt(lambda_max lambda_min), for "
      "jacobi and gauss-seidel mu/lambda_max");
  fields.number("rho-scale", rho_scale, range::positive, "multiplies the default rho");
  fields.text("eta",
              eta_is_rho ? "rho"
              : eta      ? fmt::format("{}", *eta)
                         : "auto",
              "a number > 0, rho, or auto", "dual step; auto: 1/L_rho = rho + mu/lambda_max",
              [&](std::string_view text) {
                eta_is_rho = text == "rho";
                eta.reset();
                if (text != "auto" && text != "rho")
                  eta = Fields::parse_number("eta", text, range::positive, false);
              });
  fields.number("beta", beta, range::momentum, "outer momentum; auto: nest(L_rho/mu_rho)");
  fields.flag("vanish", vanish,
              "add (sigma/2)|x|^2 to every loss, sigma halved stage by stage; auto: where mu = 0");
  fields.number("sigma", sigma, range::positive, "the first sigma; auto: L/10");
}

void AugmentedLagrangian::check() const {
  if (reduces_variance() && (beta_in || carry))
    throw InputError(beta_in ? "--set beta-in" : "--set carry",
                     fmt::format("given with solver={}", solver_names[static_cast<std::size_t>(solver)]),
                     "svrg has no momentum, and katyusha's follows from step and epoch", "Leave it out.");
  if (reduces_variance() && ending() != 2)
    throw InputError(
        "--set option",
        fmt::format("{} with solver={}", ending(), solver_names[static_cast<std::size_t>(solver)]),
        "the gradient of a mini-batch does not tell the accuracy", "Use option=2.");
  if (solver == Solver::sgd && ending() != 2)
    throw InputError("--set option", fmt::format("{} with solver=sgd", ending()),
                     "the gradient of a mini-batch does not tell the accuracy", "Use option=2.");
  if (solver == Solver::exact && T)
    throw InputError("--set T", fmt::format("{} with solver=exact", *T),
                     "exact means as many steps as rounding needs",
                     "Use solver=agd for a fixed number of steps.");
  if (sweeps() && ending() != 2)
    throw InputError(
        "--set option",
        fmt::format("{} with solver={}", ending(), solver_names[static_cast<std::size_t>(solver)]),
        "passes compute no gradient of the subproblem to judge it by", "Use option=2.");
  if (solver == Solver::gauss_seidel && !on_graph)
    throw InputError("--set solver", "gauss-seidel",
                     "Q(W) joins agents that are no neighbours, so that no colours tell who may move at once",
                     "Use solver=jacobi or solver=admm, or method ideal.");
  if (solver == Solver::admm && rho == 0.0)
    throw InputError("--set rho", "0 with solver=admm",
                     "without a penalty there is nothing to alternate with",
                     "Use solver=jacobi, or method ssda.");
  const bool has_own_steps = sweeps() || reduces_variance();
  const auto refuse = [&](std::string_view key) {
    throw InputError(fmt::format("--set {}", key),
                     fmt::format("given with solver={}", solver_names[static_cast<std::size_t>(solver)]),
                     "this solver has none", "Leave it out, or use solver=agd.");
  };
  if (has_own_steps && (vanish || sigma)) refuse(vanish ? "vanish" : "sigma");
  if (sweeps() && (step || beta_in || carry)) refuse(step ? "step" : beta_in ? "beta-in" : "carry");
  if (rho == 0.0 && eta_is_rho)
    throw InputError("--set eta", "rho with rho=0", "a dual step of 0 never moves", "Use eta=auto.");
}

/// Smaller steps on problems that count as worse conditioned, more of them, and no momentum from one problem
/// to the next. The penalty grows with L, so that a step of the user's own must shrink by more than two.
std::string AugmentedLagrangian::be_careful() {
  L_scale *= 2;
  carry = false;
  if (step) *step /= 4;
  if (step_scale > 1) step_scale = std::max(1.0, step_scale / 2);
  if (eta) *eta /= 2;
  if (!T) return fmt::format("L-scale = {}", L_scale);
  *T += (*T + 1) / 2;
  return fmt::format("L-scale = {}, T = {}", L_scale, *T);
}

AugmentedLagrangian::Outer AugmentedLagrangian::outer(const Objective& F, const Mixing& M, Run& run,
                                                      double default_rho) const {
  const auto [lambda_max, lambda_min] = M.spectrum();
  const double L = L_scale * F.L(), mu = F.mu();
  const double rho = run.uses("rho", this->rho.value_or(default_rho));
  const double L_rho = lambda_max / (mu + rho * lambda_max);
  const double mu_rho = lambda_min / (L + rho * lambda_min);
  const double eta = run.uses("eta", eta_is_rho ? rho : this->eta.value_or(1 / L_rho));
  const double beta = run.uses("beta", this->beta.value_or(nest(L_rho / mu_rho)));
  return {L, mu, rho, L_rho, mu_rho, eta, beta};
}

/// Passes shrink the error by rho lambda_max / (mu + rho lambda_max), so that Jacobi and Gauss-Seidel want a
/// small penalty; ADMM has two such factors, rho / (rho + r) and r lambda_max / (mu + r lambda_max).
Block AugmentedLagrangian::in_passes(Objective& F, Mixing& M, Run& run, Block X) const {
  const double lambda_max = M.spectrum().lambda_max, L = L_scale * F.L(), mu = F.mu();
  const bool alternates = solver == Solver::admm;
  const auto turns = solver == Solver::gauss_seidel ? Sweeps::Turns::by_colour : Sweeps::Turns::all_at_once;
  const Outer dual = outer(F, M, run, rho_scale * (alternates ? L : mu) / lambda_max);
  const double rho = dual.rho;
  const double r = alternates ? run.uses("rho-in", rho_in.value_or(std::sqrt(rho * mu / lambda_max))) : rho;
  const double slowness = 1 + std::max(alternates ? rho / r : 0, r * lambda_max / mu);

  LocalWeights w = pass_weights(turns, r, M, X.cols());
  if (alternates && on_graph) {  // 2 r W_ii; where M_ii is not known, lambda_max / 2 bounds what it has to
    const Neighbourhood known = M.neighbourhood();
    w = {2 * r * known.diagonal, 2 * r * known.least, 2 * r * known.most};
  }
  LocalSolver careful = local;
  careful.L_scale = L_scale;
  const Sweeps sweeps{.local = careful,
                      .rho = rho,
                      .r = r,
                      .w = std::move(w),
                      .turns = turns,
                      .passes = static_cast<double>(run.uses(
                          "T", T ? *T : steps(slowness * (turns == Sweeps::Turns::by_colour ? 1 : 2)))),
                      .growth = run.uses("growth", growth.value_or(1)),
                      .eta = dual.eta,
                      .beta = dual.beta};
  return sweeps(F, M, run, std::move(X));
}

/// Solvers that take no proximal steps, and whose number of steps follows from mu.
void AugmentedLagrangian::require_smooth_strongly_convex(const Objective& F) const {
  if (!F.composite() && F.mu() > 0) return;
  throw InputError(fmt::format("--set solver={}", solver_names[static_cast<std::size_t>(solver)]),
                   describe(F.composite() ? Demand::composite : Demand::merely_convex),
                   "this solver is for smooth and strongly convex losses", "Use solver=agd.");
}

Block AugmentedLagrangian::operator()(Objective& F, Mixing& M, Run& run, Block X) const {
  if (sweeps() || reduces_variance()) require_smooth_strongly_convex(F);
  if (sweeps()) return in_passes(F, M, run, std::move(X));
  if (reduces_variance()) return with_reduced_variance(F, M, run, std::move(X));
  const double lambda_max = M.spectrum().lambda_max;
  const auto n = static_cast<double>(M.agents());
  const bool stochastic = solver == Solver::sgd;
  const Index option = ending();

  F.add_convexity(0);
  Vanishing extra;
  if (vanish.value_or(!(F.mu() > 0)))
    extra = {.sigma = sigma.value_or(Vanishing::first_share * F.L()),
             .least = Vanishing::least_share * F.L()};

  Block Y = X, MX = Block::Zero(X.rows(), X.cols()), Lambda = MX, Omega = MX;
  double y_momentum = 0;  // Y = X + y_momentum (X - X before)
  Block gradient;         // of P_k, or what stands for it where F is composite; options 1 and 3 look at it
  if (option != 2) gradient.resizeLike(X);
  Index k = 0, t = 0, draws = 0;  // outer iterations done, inner steps done, gradients taken
  double epsilon = 0;             // option 1: accuracy |X_k - X_k*|^2 wanted
  Hearsay hearsay(M, X.cols(), accuracy);

  run.keep(X, Y, MX, Lambda, Omega, y_momentum, k, t, draws, epsilon, hearsay.largest, hearsay.rounds_left,
           hearsay.wanted, hearsay.least, hearsay.least_at, extra.sigma, extra.begun);
  run.sums_to_zero(Omega);
  F.add_convexity(extra.sigma);
  Numbers now = numbers_for(*this, F, M, run);
  if (option == 3) hearsay.go_on();
  while (run.more(X, k)) {
    // The gradient at Y waits for no neighbour; what follows from M X comes after it.
    const bool begins = draws == 0;  // with Y = X
    const Both oracles = at_once(M, X, begins && run.starts_together(), [&]() -> const Block& {
      return stochastic ? F.gradient(Y, batch, draws) : F.gradient(Y);
    });
    const Block &G = oracles.gradient, &MX_new = oracles.mixed;
    if (option == 3) hearsay.listen();
    ++draws;
    const double slowed =
        stochastic ? now.step / (1 + now.step * F.mu() * static_cast<double>(t) / 2) : now.step;
    const bool dual_step = t == 0 && k > 0;  // X is X_k

    M.locally(X, [&](auto own) {
      if (dual_step) {
        const Part Lambda_next = own(Omega) + now.eta * own(MX_new);
        own(Omega) = Lambda_next + now.beta * (Lambda_next - own(Lambda));
        own(Lambda) = Lambda_next;
      }
      const auto MY = own(MX_new) + y_momentum * (own(MX_new) - own(MX));  // costs no round of its own
      const auto gradient_P = own(G) + own(Omega) + now.rho * MY;
      const Part X_next = F.prox(own(Y) - slowed * gradient_P, slowed);
      if (option != 2 && !F.composite()) own(gradient) = gradient_P;
      if (option != 2 && F.composite()) own(gradient) = (own(Y) - X_next) / slowed;
      own(MX) = own(MX_new);
      own(Y) = X_next + now.beta_in * (X_next - own(X));
      own(X) = X_next;
    });
    y_momentum = now.beta_in;
    ++t;

    bool solved = static_cast<double>(t) >= std::ceil(now.T0 * std::pow(now.growth, k));
    if (option == 1 && (k == 0 && t == 1)) {
      const double steepest = M.maximum(gradient.colwise().norm());
      const double dual_gap = n * steepest * steepest / (2 * F.mu());  // bounds Delta_dual (erratum 9)
      epsilon = now.mu_rho / (2 * lambda_max) * now.contraction * dual_gap;
    }
    if (option == 1 && !solved && t % now.check_every == 0)
      solved =
          M.maximum(gradient.colwise().norm()) <= F.mu() * std::sqrt(epsilon / n);  // sufficient (erratum 8)
    bool astray = false;
    if (option == 3 && t >= now.at_least && hearsay.suffices(now.eta)) {
      solved = true;
      astray = hearsay.astray(k, now.patience);
    }
    if (option == 3 && !solved) hearsay.tell(gradient, MX);
    if (!solved) continue;

    if (astray) M.locally(X, [&](auto own) { own(Omega) = own(Lambda); });  // forget the way that led here
    if (!now.carries || astray) {
      M.locally(X, [&](auto own) { own(Y) = own(X); });
      y_momentum = 0;
    }
    if (option == 3) hearsay.begin_again();
    epsilon *= now.contraction;
    ++k;
    t = 0;
    if (extra.over(k, now)) {
      extra.halve(k);
      F.add_convexity(extra.sigma);
      now = numbers_for(*this, F, M, run);
    }
  }
  return X;
}

}  // namespace ideal
