// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "text_file.hpp"

#include <ideal/draw.hpp>
#include <ideal/error.hpp>
#include <ideal/topology.hpp>
#include <ideal/weights.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ideal::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view every_kind = "all";

struct Inspection {
  std::string spec;
  std::string mixing = "laplacian";
  Index seed = 0;
  std::string svg;
  bool gossip = false, json = false;

  int operator()() const;

 private:
  void check_gossip(const GraphSequence& graphs) const;
};

constexpr std::string_view by_resistance = "resistance";
constexpr Index most_gossiping = 500;  // agents, each of which keeps a number of every other

/// How many other agents an agent has to do with: listens to, or sends to.
Json degrees_of(const std::vector<Arc>& links, Index agents, Index Arc::*whose) {
  std::vector<Index> degrees(static_cast<std::size_t>(agents), 0);
  for (const Arc& link : links) ++degrees[static_cast<std::size_t>(link.*whose)];
  const auto [least, most] = std::ranges::minmax(degrees);
  return {{"min", least},
          {"mean", static_cast<double>(links.size()) / static_cast<double>(agents)},
          {"max", most}};
}

Json facts_about(const GraphSequence& graphs, const std::string& spec) {
  const std::vector<Arc> links = graphs.links();
  const Json sends = degrees_of(links, graphs.agents(), &Arc::from);
  const auto others = static_cast<double>(graphs.agents() - 1);
  const auto diameter = graphs.diameter();
  Json facts{{"graph", spec},
             {"agents", graphs.agents()},
             {"edges", graphs.is_directed() ? links.size() : links.size() / 2},
             {"degree", sends}};
  if (graphs.is_directed()) facts["heard"] = degrees_of(links, graphs.agents(), &Arc::to);
  facts["diameter"] = {{"hops", diameter.hops}, {"exact", diameter.exact}};
  facts["exposure"] = {{"mean", sends["mean"].get<double>() / others},
                       {"max", sends["max"].get<double>() / others}};
  return facts;
}

/// Null where there is none; JSON knows no infinity.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json facts_about(const Topology& topology, const std::string& mixing) {
  const Spectrum& spectrum = topology.spectrum();
  const double root = std::sqrt(spectrum.kappa());
  const double contraction =
      topology.averaging() ? topology.averaging()->factor
                           : std::max(std::abs(1 - spectrum.lambda_min), std::abs(1 - spectrum.lambda_max));
  const bool averages = contraction < 1;
  constexpr Index dense = 500;  // agents
  Json facts{{"mixing", mixing},
             {"lambda_max", spectrum.lambda_max},
             {"lambda_min", spectrum.lambda_min},
             {"kappa_W", spectrum.kappa()},
             {"sqrt_kappa_W", root},
             {"J", static_cast<Index>(std::floor(root + 1e-9))},  // rounding must not cost a whole degree
             {"contraction", contraction},
             {"mixing_time", averages ? finite(-1 / std::log(contraction)) : Json(nullptr)},
             {"deviation", topology.agents() <= dense && !topology.sequence()
                               ? finite(mean_square_deviation(topology.weights()))
                               : Json(nullptr)}};
  if (const auto gap = topology.optimality_gap()) facts["optimality_gap"] = *gap;
  if (const auto& averaging = topology.averaging())
    facts["averaging"] = {{"directed", averaging->directed},
                          {"graphs", topology.sequence()->in_turn().size()},
                          {"awake", topology.sequence()->awake()},
                          {"factor", averaging->factor},
                          {"least_weight", averaging->least_weight}};
  return facts;
}

/// The same weights as agents find them by themselves.
Json facts_about_gossip(const Graph& graph, std::uint64_t seed) {
  const GossipedResistances found = gossip_resistances(graph, {.seed = seed});
  const Vector central = effective_resistances(graph);
  return {{"converged", found.converged},
          {"activations", found.activations},
          {"rounds", found.rounds},
          {"bytes", found.bytes},
          {"error", ((found.resistances - central).cwiseQuotient(central)).cwiseAbs().maxCoeff()}};
}

std::string real(const Json& value) { return fmt::format("{:.10g}", value.get<double>()); }

void print_row(std::string_view label, const std::string& text) { fmt::print("{:<14} {}\n", label, text); }

void print_degrees(std::string_view label, const Json& degree) {
  print_row(label, fmt::format("{} ... {}, mean {:.4g}", degree["min"].dump(), degree["max"].dump(),
                               degree["mean"].get<double>()));
}

/// `links`: what the rows are about where the graph is not one undirected graph.
void print_graph(const Json& facts, std::string_view links) {
  const Json &diameter = facts["diameter"], &exposure = facts["exposure"];
  print_row("agents", facts["agents"].dump());
  print_row("edges", fmt::format("{}{}", facts["edges"].dump(), links));
  print_degrees(facts.contains("heard") ? "listeners" : "degrees", facts["degree"]);
  if (facts.contains("heard")) print_degrees("heard", facts["heard"]);
  print_row("diameter",
            fmt::format("{}{}", diameter["exact"].get<bool>() ? "" : "at least ", diameter["hops"].dump()));
  print_row("exposure",
            fmt::format("{:.3g} of the other agents receive an agent's vectors on average, {:.3g} at most",
                        exposure["mean"].get<double>(), exposure["max"].get<double>()));
}

/// Of a network that changes or is directed, where eigenvalues of one W would tell nothing.
void print_averaging(const Json& averaging) {
  print_row("graphs", fmt::format("{} in turn{}, {}", averaging["graphs"].dump(),
                                  averaging["awake"] < 1.0
                                      ? fmt::format(", edges awake {} of the time", averaging["awake"].dump())
                                      : "",
                                  averaging["directed"].get<bool>() ? "directed" : "undirected"));
  print_row("averaging", fmt::format("a step leaves {} of what agents differ by", real(averaging["factor"])));
  if (averaging["directed"].get<bool>())
    print_row("least weight",
              fmt::format("{} of the push-sum weights, whose mean is 1", real(averaging["least_weight"])));
}

void print_mixing(const Json& facts) {
  if (facts.contains("averaging")) return print_averaging(facts["averaging"]);
  print_row("lambda_max", real(facts["lambda_max"]));
  print_row("lambda_min+", real(facts["lambda_min"]));
  print_row("kappa_W", real(facts["kappa_W"]));
  print_row("sqrt(kappa_W)", fmt::format("{}: a method needs this times sqrt(kappa_f) ln(1/eps) rounds",
                                         real(facts["sqrt_kappa_W"])));
  print_row("J", fmt::format("{}: rounds of one multi-stage mixing", facts["J"].dump()));
  if (!facts["mixing_time"].is_null())
    print_row("mixing time", fmt::format("{}: rounds of I - W that bring agents nearer their mean by e",
                                         real(facts["mixing_time"])));
  if (facts.contains("optimality_gap"))
    print_row("optimal",
              fmt::format("proven within {:.1e} of the best that any weights on these edges can do",
                          facts["optimality_gap"].get<double>()));
}

void print_gossip(const Json& gossip) {
  print_row("by gossip", fmt::format("{} activations, {} rounds, {} bytes; resistances within {:.1e}{}",
                                     gossip["activations"].dump(), gossip["rounds"].dump(),
                                     gossip["bytes"].dump(), gossip["error"].get<double>(),
                                     gossip["converged"].get<bool>() ? "" : ", not converged"));
}

/// A line a kind; what a kind has no value for is a dash.
void print_comparison(const Json& kinds) {
  const auto cell = [](const Json& facts, const char* key, const char* form = "{:.6g}") {
    const auto value = facts.find(key);
    return value == facts.end() || value->is_null() ? "-"
                                                    : fmt::format(fmt::runtime(form), value->get<double>());
  };
  constexpr auto line = "{:<21} {:>12} {:>12} {:>12} {:>5} {:>12} {:>12} {:>12} {:>8}\n";
  fmt::print("\n");
  fmt::print(line, "mixing", "lambda_max", "lambda_min+", "kappa_W", "J", "contraction", "mixing time",
             "deviation", "gap");
  for (const Json& facts : kinds)
    if (facts.contains("skipped"))
      fmt::print("{:<21} {}\n", facts["mixing"].get<std::string>(), facts["skipped"].get<std::string>());
    else
      fmt::print(line, facts["mixing"].get<std::string>(), cell(facts, "lambda_max"),
                 cell(facts, "lambda_min"), cell(facts, "kappa_W"), facts["J"].dump(),
                 cell(facts, "contraction"), cell(facts, "mixing_time"), cell(facts, "deviation"),
                 cell(facts, "optimality_gap", "{:.0e}"));
}

/// Every kind on one graph. The first needs nothing but a graph that is fit for any; what stops another is
/// told in its place.
Json comparison(const Graph& graph, const Progress& progress) {
  Json kinds = Json::array();
  for (const std::string& kind : mixing_kinds()) {
    const bool first = kinds.empty();
    try {
      kinds.push_back(facts_about(Topology::make(graph, kind, progress), kind));
    } catch (const InputError& error) {
      if (first) throw;
      kinds.push_back({{"mixing", kind}, {"skipped", error.what()}});
    }
  }
  return kinds;
}

void Inspection::check_gossip(const GraphSequence& graphs) const {
  if (mixing != by_resistance || graphs.changes() || graphs.is_directed())
    throw InputError("--gossip", fmt::format("with --mixing {} on {}", mixing, spec),
                     "agents find effective resistances of one undirected graph by gossip",
                     "Add --mixing resistance, or leave --gossip out.");
  if (graphs.agents() > most_gossiping)
    throw InputError("--gossip", fmt::format("{} agents", graphs.agents()),
                     fmt::format("it is simulated for up to {}", most_gossiping), "Take a smaller graph.");
}

int Inspection::operator()() const {
  if (!svg.empty()) require_place_for("--svg", svg);
  const bool all = mixing == every_kind;
  if (!all) require_mixing(mixing);
  const GraphSequence graphs = GraphSequence::parse(spec, static_cast<std::uint64_t>(seed));
  if (all && (graphs.changes() || graphs.is_directed()))
    throw InputError("--mixing", "all", "compares the weights of one undirected graph", "Name one kind.");
  if (gossip) check_gossip(graphs);
  const Graph graph = graphs.joined();
  ProgressLine line(!json);
  const Progress progress = [&](std::string_view text) { line.show(text); };
  const Json kinds =
      all ? comparison(graph, progress) : facts_about(Topology::parse(graphs, mixing, progress), mixing);
  Json facts = facts_about(graphs, spec);
  if (gossip) {
    line.show("agents gossip");
    facts["gossip"] = facts_about_gossip(graph, static_cast<std::uint64_t>(seed));
  }
  line.clear();
  if (!svg.empty()) write_text(svg, draw_svg(graph, {.title = spec}));
  if (json) {
    all ? void(facts["mixings"] = kinds) : facts.update(kinds);
    fmt::print("{}\n", facts.dump(2));
    return reached;
  }
  print_graph(facts, fmt::format("{}{}", graphs.is_directed() ? ", each one way" : "",
                                 graphs.changes() ? ", here and below all that ever are" : ""));
  all ? print_comparison(kinds) : print_mixing(kinds);
  if (gossip) print_gossip(facts["gossip"]);
  return reached;
}

}  // namespace

Command add_graph(CLI::App& program) {
  CLI::App* page = program.add_subcommand("graph", "Describe a graph and its mixing matrix");
  const auto inspection = std::make_shared<Inspection>();
  page->add_option("spec", inspection->spec, "FAMILY:ARGUMENTS, or file:PATH")->required()->type_name("SPEC");
  Options options(*page);
  options.text("mixing", inspection->mixing, "KIND",
               fmt::format("{}, file:PATH, or all to compare them", fmt::join(mixing_kinds(), ", ")));
  options.whole("seed", inspection->seed, {0, 0x1p53, false, false, "a whole number, 0 ... 2^53"},
                "Of random graphs, and of who wakes up when");
  page->add_flag("--gossip", inspection->gossip,
                 "With --mixing resistance: find the weights also as agents would, and tell what that costs");
  page->add_option("--svg", inspection->svg, "Draw the graph into this file")->type_name("FILE");
  page->add_flag("--json", inspection->json, "Print JSON instead of a table");
  page->footer(
      fmt::format("Families: {}\n  {}\n\nExamples:\n  ideal graph barbell:20 --svg barbell.svg\n"
                  "  ideal graph er:50,0.2 --seed 3 --mixing metropolis --json\n"
                  "  ideal graph grid:6x6 --mixing all\n"
                  "  ideal graph barbell:12 --mixing resistance --gossip",
                  fmt::join(graph_families(), " "), fmt::join(sequence_forms(), " ")));
  return {page, [inspection] { return (*inspection)(); }};
}

}  // namespace ideal::cli
