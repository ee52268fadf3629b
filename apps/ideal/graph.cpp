// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "text_file.hpp"

#include <ideal/draw.hpp>
#include <ideal/topology.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ideal::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Inspection {
  std::string spec;
  std::string mixing = "laplacian";
  Index seed = 0;
  std::string svg;
  bool json = false;

  int operator()() const;
};

struct Degrees {
  Index least, most;
  double mean;
};

Degrees degrees_of(const Graph& graph) {
  Degrees d{graph.agents(), 0,
            2 * static_cast<double>(graph.edges().size()) / static_cast<double>(graph.agents())};
  for (Index i = 0; i < graph.agents(); ++i) {
    d.least = std::min(d.least, graph.degree(i));
    d.most = std::max(d.most, graph.degree(i));
  }
  return d;
}

Json facts_about(const Topology& topology, const Inspection& asked) {
  const Graph& graph = topology.graph();
  const Degrees degrees = degrees_of(graph);
  const auto others = static_cast<double>(graph.agents() - 1);
  const auto diameter = graph.diameter();
  const Spectrum& spectrum = topology.spectrum();
  const double root = std::sqrt(spectrum.kappa());
  return {
      {"graph", asked.spec},
      {"mixing", asked.mixing},
      {"agents", graph.agents()},
      {"edges", graph.edges().size()},
      {"degree", {{"min", degrees.least}, {"mean", degrees.mean}, {"max", degrees.most}}},
      {"diameter", {{"hops", diameter.hops}, {"exact", diameter.exact}}},
      {"exposure", {{"mean", degrees.mean / others}, {"max", static_cast<double>(degrees.most) / others}}},
      {"lambda_max", spectrum.lambda_max},
      {"lambda_min", spectrum.lambda_min},
      {"kappa_W", spectrum.kappa()},
      {"sqrt_kappa_W", root},
      {"J", static_cast<Index>(std::floor(root + 1e-9))}};  // rounding must not cost a whole degree
}

void print_graph(const Json& facts) {
  const auto row = [](std::string_view label, const std::string& text) {
    fmt::print("{:<14} {}\n", label, text);
  };
  const auto real = [](const Json& value) { return fmt::format("{:.10g}", value.get<double>()); };
  const Json &degree = facts["degree"], &diameter = facts["diameter"], &exposure = facts["exposure"];
  row("agents", facts["agents"].dump());
  row("edges", facts["edges"].dump());
  row("degrees", fmt::format("{} ... {}, mean {:.4g}", degree["min"].dump(), degree["max"].dump(),
                             degree["mean"].get<double>()));
  row("diameter",
      fmt::format("{}{}", diameter["exact"].get<bool>() ? "" : "at least ", diameter["hops"].dump()));
  row("exposure",
      fmt::format("{:.3g} of the other agents receive an agent's vectors on average, {:.3g} at most",
                  exposure["mean"].get<double>(), exposure["max"].get<double>()));
  row("lambda_max", real(facts["lambda_max"]));
  row("lambda_min+", real(facts["lambda_min"]));
  row("kappa_W", real(facts["kappa_W"]));
  row("sqrt(kappa_W)", fmt::format("{}: a method needs this times sqrt(kappa_f) ln(1/eps) rounds",
                                   real(facts["sqrt_kappa_W"])));
  row("J", fmt::format("{}: rounds of one multi-stage mixing", facts["J"].dump()));
}

int Inspection::operator()() const {
  if (!svg.empty()) require_place_for("--svg", svg);
  ProgressLine line(!json);
  const Topology topology = Topology::parse(spec, mixing, static_cast<std::uint64_t>(seed),
                                            [&](std::string_view text) { line.show(text); });
  line.clear();
  const Json facts = facts_about(topology, *this);
  if (!svg.empty()) write_text(svg, draw_svg(topology.graph(), {.title = spec}));
  if (json)
    fmt::print("{}\n", facts.dump(2));
  else
    print_graph(facts);
  return reached;
}

}  // namespace

Command add_graph(CLI::App& program) {
  CLI::App* page = program.add_subcommand("graph", "Describe a graph and its mixing matrix");
  const auto inspection = std::make_shared<Inspection>();
  page->add_option("spec", inspection->spec, "FAMILY:ARGUMENTS, or file:PATH")->required()->type_name("SPEC");
  Options options(*page);
  options.text("mixing", inspection->mixing, "KIND",
               fmt::format("{}, or file:PATH", fmt::join(mixing_kinds(), ", ")));
  options.whole("seed", inspection->seed, {0, 0x1p53, false, false, "a whole number, 0 ... 2^53"},
                "Of random graphs");
  page->add_option("--svg", inspection->svg, "Draw the graph into this file")->type_name("FILE");
  page->add_flag("--json", inspection->json, "Print JSON instead of a table");
  page->footer(
      fmt::format("Families: {}\n\nExamples:\n  ideal graph barbell:20 --svg barbell.svg\n"
                  "  ideal graph er:50,0.2 --seed 3 --mixing metropolis --json",
                  fmt::join(graph_families(), " ")));
  return {page, [inspection] { return (*inspection)(); }};
}

}  // namespace ideal::cli
