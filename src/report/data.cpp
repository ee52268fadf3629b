// SPDX-License-Identifier: Apache-2.0
#include "core/symmetric.hpp"
#include "network/layout.hpp"
#include "report/report.hpp"

#include <ideal/error.hpp>
#include <ideal/method.hpp>
#include <ideal/topology.hpp>

#include <algorithm>
#include <cmath>

namespace ideal::report {
namespace {

constexpr std::size_t most_points = 1500;  // of a curve: more than pixels, fewer than make a browser stutter
constexpr Index most_drawn = 2000;         // agents; beyond, a picture is a blot
constexpr Index most_eigenvalues = 512;

// ---- traces --------------------------------------------------------------------------------------------

template <class Value>
Json column(const Trace& trace, Value value) {
  Json numbers = Json::array();
  for (const TraceRow& row : trace) numbers.push_back(value(row));
  return numbers;
}

Json columns_of(const Trace& whole) {
  const Trace trace = thinned(whole, most_points);
  return {{"computations", column(trace, [](const TraceRow& r) { return r.meter.computations; })},
          {"communications", column(trace, [](const TraceRow& r) { return r.meter.communications; })},
          {"bytes", column(trace, [](const TraceRow& r) { return r.meter.bytes; })},
          {"seconds", column(trace, [](const TraceRow& r) { return r.seconds; })},
          {"suboptimality", column(trace, [](const TraceRow& r) { return r.suboptimality; })},
          {"worst", column(trace, [](const TraceRow& r) { return r.worst_suboptimality; })},
          {"consensus", column(trace, [](const TraceRow& r) { return r.consensus; })}};
}

Json run_of(const Run& run) {
  const Json& s = run.summary;
  return {{"seed", s.value("batch_seed", s["seed"])},
          {"status", s["status"]},
          {"message", s["message"]},
          {"directory", run.directory},
          {"seconds", s["seconds"]},
          {"agents", s["errors"].value("agents", Json())},
          {"trace", columns_of(run.trace)}};
}

// ---- the network ---------------------------------------------------------------------------------------

Json numbers(const auto& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

Json drawing_of(const Graph& graph) {
  if (graph.agents() > most_drawn) return nullptr;
  const Eigen::Matrix2Xd places = (layout(graph).array() + 1) / 2;  // from [-1, 1] to [0, 1]
  Json edges = Json::array();
  for (const auto& edge : graph.edges()) edges.push_back({edge.a, edge.b});
  return {{"x", numbers(places.row(0))}, {"y", numbers(places.row(1))}, {"edges", std::move(edges)}};
}

Json spectrum_of(const Topology& topology) {
  if (topology.agents() > most_eigenvalues || topology.sequence()) return nullptr;
  return numbers(symmetric_eigenvalues(Block(topology.weights())));
}

/// Drawn anew from the names in the summary; a graph in a file may be gone, and is then left out.
void add_network(Json& problem, const Json& summary) {
  problem["spectrum"] = problem["drawing"] = nullptr;
  if (summary["agents"].get<Index>() > most_drawn) return;
  try {
    const Topology topology =
        Topology::parse(summary["graph"].get<std::string>(), summary["mixing"].get<std::string>(),
                        summary["seed"].get<std::uint64_t>());
    problem["spectrum"] = spectrum_of(topology);
    problem["drawing"] = drawing_of(topology.graph());
  } catch (const InputError&) {
    return;
  }
}

// ---- problems and curves -------------------------------------------------------------------------------

Json problem_of(const Run& run) {
  const Json& s = run.summary;
  Json problem{{"id", run.problem}, {"title", run.problem}};
  for (const char* key :
       {"data", "loss", "l2", "partition", "graph", "mixing", "agents", "edges", "L", "mu", "kappa_f",
        "lambda_max", "lambda_min", "kappa_W", "f_star", "gradient_norm", "certified_gap"})
    problem[key] = s[key];
  problem["floor"] = floor_of(s);
  add_network(problem, s);
  problem["curves"] = Json::array();
  return problem;
}

Json curve_of(const Run& run) {
  const Json& s = run.summary;
  return {{"id", run.curve},
          {"label", run.curve},
          {"method", s["method"]},
          {"set", s["set"]},
          {"parameters", s["parameters"]},
          {"runs", Json::array()}};
}

/// The element with this id, made if it is not there yet.
template <class Make>
Json& named(Json& list, const std::string& id, Make make) {
  for (Json& element : list)
    if (element["id"] == id) return element;
  list.push_back(make());
  return list.back();
}

Json about(const Json& name) {
  const About about = method(name.get<std::string>()).about();
  return {{"name", about.name}, {"family", about.family}, {"summary", about.summary},  {"rule", about.rule},
          {"cost", about.cost}, {"rate", about.rate},     {"citation", about.citation}};
}

}  // namespace

double floor_of(const Json& summary) {
  const Json& certified = summary["certified_gap"];
  return std::max(certified.is_null() ? 0 : certified.get<double>(),
                  1e-16 * std::abs(summary["f_star"].get<double>()));
}

Json data_of(const Subject& subject) {
  Json problems = Json::array(), methods = Json::object();
  for (const Run& run : subject.runs) {
    Json& problem = named(problems, run.problem, [&] { return problem_of(run); });
    named(problem["curves"], run.curve, [&] { return curve_of(run); })["runs"].push_back(run_of(run));
    const Json& name = run.summary["method"];
    if (!methods.contains(name)) methods[name.get<std::string>()] = about(name);
  }
  const Json environment = subject.runs.empty() ? Json::object() : subject.runs.back().summary["environment"];
  return {{"format", 1},
          {"title", subject.title},
          {"version", environment.value("version", "")},
          {"date", environment.value("date", "")},
          {"command", subject.command},
          {"config", subject.config},
          {"environment", environment},
          {"taus", subject.taus},
          {"jobs", subject.jobs},
          {"methods", std::move(methods)},
          {"problems", std::move(problems)}};
}

}  // namespace ideal::report
