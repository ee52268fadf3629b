// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include "held_out.hpp"

#include <ideal/cpu.hpp>
#include <ideal/diagnosis.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace ideal::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown";
}

/// How the agents lie on processes.
Json ranks_of(const Loaded& loaded, const Graph& graph) {
  const Index count = std::ranges::max(loaded.host_of) + 1;
  std::vector<std::vector<Index>> agents(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < loaded.host_of.size(); ++i)
    agents[loaded.host_of[i]].push_back(static_cast<Index>(i));
  constexpr Index most = 2000;
  return {{"count", count},
          {"cut_edges", cut_edges(graph, loaded.host_of)},
          {"agents", count > 1 && std::ssize(loaded.host_of) <= most ? Json(agents) : Json()}};
}

Json environment(const Settings& settings) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {{"version", IDEAL_VERSION},
          {"compiler", fmt::format("{} {}",
#ifdef __clang__
                                   "Clang",
#else
                                   "GCC",
#endif
                                   __VERSION__)},
          {"cpu", cpu_model()},
          {"instructions", cpu_target()},
          {"threads", settings.threads},
          {"hosts", settings.hosts},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now)}};
}

/// A number or truth as such, any other word as text.
Json typed(const std::string& word) {
  const Json value = Json::parse(word, nullptr, false);
  return value.is_primitive() && !value.is_discarded() ? value : Json(word);
}

/// Every parameter: the value the method resolved it to, or the word it was set to.
Json parameters(const Method& method, const Result& result) {
  Json all = Json::object();
  for (const Parameter& parameter : method.parameters())
    if (parameter.value != "auto") all[parameter.key] = typed(parameter.value);
  for (const auto& [key, value] : result.parameters)
    all[key] = std::visit([](auto v) { return Json(v); }, value);
  return all;
}

Json data_of(const Loaded& loaded) {
  const auto& [name, rows, columns, nonzeros, sparse] = loaded.data;
  return {{"name", name},         {"rows", rows},     {"columns", columns},
          {"nonzeros", nonzeros}, {"sparse", sparse}, {"dimension", loaded.dimension},
          {"problem", loaded.key}};
}

/// How well the mean of the agents' models does on rows it has not seen; null without such rows.
Json test_of(const Outcome& outcome) {
  const auto& test = outcome.loaded.test;
  if (!test) return {};
  const double score = held_out_score(*test, outcome.loaded.loss, outcome.result.X.rowwise().mean());
  const char* const kind = is_regression(outcome.loaded.loss) ? "rmse" : "accuracy";
  return {{"name", test->name}, {"rows", test->rows()}, {kind, score}};
}

/// How far f* may be from the minimum; empty where neither the losses' strong convexity nor a regulariser
/// tells.
std::optional<double> certified_gap(const Loaded& loaded) {
  const Problem& problem = loaded.problem;
  const Reference& reference = *problem.reference;
  const auto n = std::ssize(problem.losses);
  const double norm = reference.gradient_norm;
  const double mu = loaded.strong_convexity;
  const double farthest = farthest_minimiser(reference, problem.regulariser, n);
  double gap = std::isfinite(farthest) ? norm * farthest : std::numeric_limits<double>::infinity();
  if (mu > 0) gap = std::min(gap, norm * norm / (2 * static_cast<double>(n) * mu));
  if (!std::isfinite(gap)) return {};
  return gap + reference.rounded_off;
}

/// What comes to the losses, and how many entries of x it has made zero at every agent.
Json regulariser_json(const Outcome& outcome) {
  const Regulariser& r = outcome.loaded.problem.regulariser;
  if (r.none()) return nullptr;
  const auto bound = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Index zeros = 0;
  for (const auto& entry : outcome.result.X.rowwise()) zeros += entry.isZero(0) ? 1 : 0;
  return {{"l1", r.l1}, {"low", bound(r.low)}, {"high", bound(r.high)}, {"zeros", zeros}};
}

/// sqrt(kappa_f) (1 + tau sqrt(kappa_W)) ln(gap_0 / gap) up to constants: no method of gradients and
/// exchanges with neighbours is faster. A gap below what the reference certifies counts as that.
Json lower_bound(const Outcome& outcome) {
  if (outcome.topology.sequence()) return {{"time", nullptr}, {"ratio", nullptr}};  // it is of one fixed W
  const Trace& trace = outcome.result.trace;
  const Problem& problem = outcome.loaded.problem;
  const double rounding =
      std::max(certified_gap(outcome.loaded).value_or(0), 1e-16 * std::abs(problem.reference->value));
  const double reached = std::max(trace.back().worst_suboptimality, rounding);
  const double tau = tau_of(outcome.settings);
  const double bound = std::sqrt(problem.constants.kappa()) *
                       (1 + tau * std::sqrt(outcome.topology.spectrum().kappa())) *
                       std::log(trace.front().worst_suboptimality / reached);
  if (!(bound > 0 && std::isfinite(bound))) return {{"time", nullptr}, {"ratio", nullptr}};
  return {{"time", bound}, {"ratio", trace.back().meter.time(tau) / bound}};
}

/// How a network that changes or is directed averages; null for others.
Json averaging_of(const Topology& topology) {
  const LinkSequence* const sequence = topology.sequence();
  if (!sequence) return nullptr;
  return {{"directed", sequence->directed()},
          {"graphs", sequence->in_turn().size()},
          {"awake", sequence->awake()},
          {"factor", topology.averaging()->factor},
          {"least_weight", topology.averaging()->least_weight}};
}

/// What this run took, and the tau that follows: null where it says nothing.
Json measured(const Outcome& outcome) {
  const Result& result = outcome.result;
  // A resumed run has measured its last part only.
  const Meter before = outcome.resumed ? outcome.resumed->checkpoint.meter : Meter{};
  const Meter& after = result.trace.back().meter;
  const double computations = after.computations - before.computations;
  const auto communications = static_cast<double>(after.communications - before.communications);
  const double gradient = result.computing / computations, round = result.mixing / communications;
  if (!(computations > 0 && communications > 0 && gradient > 0)) return nullptr;
  return {{"gradient_seconds", gradient}, {"round_seconds", round}, {"tau", round / gradient}};
}

/// Of each agent, where there are not too many to look at.
Json gaps_of(const Result& result) {
  constexpr Index most = 2000;
  if (result.gaps.size() > most) return nullptr;
  return std::vector<double>(result.gaps.begin(), result.gaps.end());
}

/// Of a run that did not arrive, or had to go back on its way.
std::vector<Finding> findings_of(const Outcome& outcome) {
  const Result& result = outcome.result;
  const auto retreats = result.parameters.find("retreats");
  const bool went_back = retreats != result.parameters.end() && std::get<Index>(retreats->second) > 0;
  const bool arrived = result.status == Status::converged || result.status == Status::interrupted;
  if (arrived && !went_back) return {};
  return diagnose(outcome.loaded.problem, outcome.topology, outcome.method, result, outcome.settings.tol);
}

std::string reasons(const Outcome& outcome, const std::vector<Finding>& findings) {
  const std::string_view other = preferred_method(demands_of(outcome.loaded.problem, outcome.topology));
  if (findings.empty() && other == outcome.method.about().name) return " No known rule is broken.";
  if (findings.empty()) return fmt::format(" No known rule is broken. Try --method {}.", other);
  std::string text;
  for (const Finding& finding : findings) text += " " + to_string(finding);
  return text;
}

std::string message(const Outcome& outcome, const std::vector<Finding>& findings) {
  const auto trace = outcome.result.own_rows();
  const double first = trace.front().worst_suboptimality, last = trace.back().worst_suboptimality;
  const double computations = trace.back().meter.computations;
  switch (outcome.result.status) {
    case Status::converged:
      if (stops_by_certificate(outcome.settings, outcome.method))
        return fmt::format("certified: no agent's gap exceeds {:.3g} <= {:.3g}; the worst is {:.3g}",
                           trace.back().certified.value_or(0), outcome.settings.tol, last);
      return fmt::format("worst-agent gap {:.3g} <= {:.3g}", last, outcome.settings.tol);
    case Status::diverged:
      return fmt::format("worst-agent gap grew from {:.3g} to {:.3g} in {:.6g} computations.{}", first, last,
                         computations, reasons(outcome, findings));
    case Status::interrupted:
      return fmt::format("interrupted after {:.6g} computations", computations);
    default:
      return fmt::format("{}worst-agent gap {:.3g} when {} computations were spent.{}",
                         stalled(trace) ? "stalled: " : "", last, outcome.settings.rounds,
                         reasons(outcome, findings));
  }
}

Json to_json(const std::vector<Finding>& findings) {
  Json all = Json::array();
  for (const auto& [quantity, value, rule, remedy] : findings)
    all.push_back({{"quantity", quantity}, {"value", value}, {"rule", rule}, {"remedy", remedy}});
  return all;
}

std::string shown(const Json& value) {
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "nan" : value.dump();
}

std::string shown_optimum(const Json& s) {
  const Json& gap = s["certified_gap"];
  return fmt::format("{:.12g}, {}", s["f_star"].get<double>(),
                     gap.is_null() ? "not certified: no strong convexity is known"
                                   : fmt::format("certified to {}", shown(gap)));
}

std::string shown_regulariser(const Json& s) {
  const Json& r = s["regulariser"];
  if (r.is_null()) return "";
  const auto bound = [](const Json& value) { return value.is_null() ? "" : shown(value); };
  const bool box = !r["low"].is_null() || !r["high"].is_null();
  return fmt::format(", l1 = {}{}; {} of {} entries are zero", shown(r["l1"]),
                     box ? fmt::format(", box {}:{}", bound(r["low"]), bound(r["high"])) : "",
                     shown(r["zeros"]), shown(s["data"]["dimension"]));
}

std::string shown_time(const Json& counts, const Json& ratio) {
  const std::string time = fmt::format("{} at tau = {}", shown(counts["time"]), shown(counts["tau"]));
  return ratio.is_null()
             ? time
             : fmt::format("{}, {:.3g} x the lower bound without its constant", time, ratio.get<double>());
}

std::string shown_test(const Json& test) {
  const std::string score = test.contains("accuracy")
                                ? fmt::format("{:.2f} % right", 100 * test["accuracy"].get<double>())
                                : fmt::format("root mean square error {}", shown(test["rmse"]));
  return fmt::format("{} of {} rows of {}", score, shown(test["rows"]), shown(test["name"]));
}

std::string shown_parameters(const Json& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters.items())
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, shown(value));
  return text;
}

}  // namespace

Json summary_of(const Outcome& outcome) {
  const auto& [settings, method, topology, loaded, result, resumed] = outcome;
  const double L = loaded.problem.constants.L, mu = loaded.problem.constants.mu;
  const Spectrum& spectrum = topology.spectrum();
  const TraceRow& last = result.trace.back();
  const auto gap = certified_gap(loaded);
  const auto findings = findings_of(outcome);
  return {{"method", method.about().name},
          {"parameters", parameters(method, result)},
          {"set", settings.set},
          {"status", to_string(result.status)},
          {"message", message(outcome, findings)},
          {"diagnosis", to_json(findings)},
          {"notes", result.notes},
          {"counts",
           {{"iterations", last.iteration},
            {"computations", last.meter.computations},
            {"communications", last.meter.communications},
            {"bytes", last.meter.bytes},
            {"time", last.meter.time(tau_of(settings))},
            {"tau", tau_of(settings)}}},
          {"lower_bound", lower_bound(outcome)},
          {"errors",
           {{"suboptimality", last.suboptimality},
            {"worst_suboptimality", last.worst_suboptimality},
            {"certified", last.certified ? Json(*last.certified) : Json()},
            {"worst_is_exact", result.worst_bound <= last.worst_suboptimality},
            {"consensus", last.consensus},
            {"distance", last.distance},
            {"agents", gaps_of(result)}}},
          {"L", L},
          {"mu", mu},
          {"kappa_f", L / mu},
          {"lambda_max", spectrum.lambda_max},
          {"lambda_min", spectrum.lambda_min},
          {"kappa_W", spectrum.kappa()},
          {"f_star", loaded.problem.reference->value},
          {"gradient_norm", loaded.problem.reference->gradient_norm},
          {"certified_gap", gap ? Json(*gap) : Json()},
          {"test", test_of(outcome)},
          {"seconds", last.seconds},
          {"measured", measured(outcome)},
          {"data", data_of(loaded)},
          {"classes", settings.classes.empty() ? Json() : Json(settings.classes)},
          {"loss", to_string(loaded.loss)},
          {"l2", loaded.l2},
          {"regulariser", regulariser_json(outcome)},
          {"graph", settings.graph},
          {"mixing", settings.mixing},
          {"agents", topology.agents()},
          {"edges", topology.graph().edges().size()},
          {"averaging", averaging_of(topology)},
          {"partition", settings.partition},
          {"ranks", ranks_of(loaded, topology.graph())},
          {"seed", settings.seed},
          {"batch_seed", settings.batch_seed.value_or(settings.seed)},
          {"environment", environment(settings)}};
}

std::vector<std::pair<std::string, std::string>> rows_of(const Json& s) {
  const Json &counts = s["counts"], &errors = s["errors"], &data = s["data"];
  const auto text = [](const Json& value) { return shown(value); };
  std::vector<std::pair<std::string, std::string>> rows{
      {"method", text(s["method"])},
      {"parameters", shown_parameters(s["parameters"])},
      {"data",
       fmt::format("{}: {} rows, d = {}{}", text(data["name"]), text(data["rows"]), text(data["dimension"]),
                   s["classes"].is_null() ? "" : fmt::format(", classes {}", text(s["classes"])))},
      {"loss", fmt::format("{}, l2 = {}{}", text(s["loss"]), text(s["l2"]), shown_regulariser(s))},
      {"network", fmt::format("{}, {}, n = {}, {} edges", text(s["graph"]), text(s["mixing"]),
                              text(s["agents"]), text(s["edges"]))},
      {"L, mu, kappa_f", fmt::format("{}, {}, {}", text(s["L"]), text(s["mu"]), text(s["kappa_f"]))},
      {"lambda_max, lambda_min, kappa_W",
       fmt::format("{}, {}, {}", text(s["lambda_max"]), text(s["lambda_min"]), text(s["kappa_W"]))},
      {"f*", shown_optimum(s)},
      {"status", fmt::format("{}: {}", text(s["status"]), text(s["message"]))},
      {"computations", text(counts["computations"])},
      {"communications", fmt::format("{} ({} bytes)", text(counts["communications"]), text(counts["bytes"]))},
      {"time", shown_time(counts, s["lower_bound"]["ratio"])},
      {"gap of the mean", text(errors["suboptimality"])},
      {"gap of the worst agent", text(errors["worst_suboptimality"])},
      {"consensus error", text(errors["consensus"])},
      {"distance^2 to the optimum", text(errors["distance"])},
      {"seconds", text(s["seconds"])},
  };
  if (const Json& a = s["averaging"]; !a.is_null())
    rows.emplace_back("averaging",
                      fmt::format("{} a step{}", text(a["factor"]),
                                  a["directed"].get<bool>()
                                      ? fmt::format(", least push-sum weight {}", text(a["least_weight"]))
                                      : ""));
  for (const Json& note : s["notes"]) rows.emplace_back("note", text(note));
  if (const Json& m = s["measured"]; !m.is_null())
    rows.emplace_back("measured tau", fmt::format("{} = {} s a round / {} s a gradient", text(m["tau"]),
                                                  text(m["round_seconds"]), text(m["gradient_seconds"])));
  if (const Json& ranks = s["ranks"]; ranks["count"] > 1)
    rows.emplace_back("ranks", fmt::format("{}, {} of {} edges between them", text(ranks["count"]),
                                           text(ranks["cut_edges"]), text(s["edges"])));
  if (const Json& test = s["test"]; !test.is_null()) rows.emplace_back("test", shown_test(test));
  return rows;
}

}  // namespace ideal::cli
