// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"
#include "network/text_lines.hpp"

#include <ideal/error.hpp>
#include <ideal/graph_sequence.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ideal {
namespace {

namespace prefix {
constexpr std::string_view directed_cycle = "directed-cycle:", directed_file = "directed:",
                           periodic = "periodic:", rounds_file = "rounds:", awake = "awake:", file = "file:";
}

/// At each + that a family's name and a colon follow: other ones may belong to a path.
std::vector<std::string_view> specs_in(std::string_view specs) {
  const auto begins_spec = [](std::string_view text) {
    const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
    return end != std::string_view::npos && end > 0 && text[end] == ':';
  };
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < specs.size(); ++at)
    if (specs[at] == '+' && begins_spec(specs.substr(at + 1))) {
      parts.push_back(specs.substr(begin, at - begin));
      begin = at + 1;
    }
  parts.push_back(specs.substr(begin));
  return parts;
}

struct Awake {
  std::string_view probability, spec;
};

Awake taken_apart(std::string_view arguments) {
  const auto colon = arguments.find(':');
  if (colon == std::string_view::npos)
    throw InputError(graph_option, fmt::format("'{}{}'", prefix::awake, arguments),
                     "the form is awake:P:SPEC", "Write for example awake:0.3:cycle:8.");
  return {arguments.substr(0, colon), arguments.substr(colon + 1)};
}

double probability_of(std::string_view text) {
  const auto p = number<double>(text);
  if (!p || !(*p > 0 && *p <= 1))
    throw InputError(graph_option, fmt::format("awake with probability '{}'", text),
                     "a probability lies in (0, 1]", "Write for example awake:0.3:cycle:8.");
  return *p;
}

GraphSequence cycle_one_way(std::string_view argument) {
  const auto n = number<Index>(argument);
  if (!n || *n < 2 || *n > most_agents)
    throw InputError(
        graph_option, fmt::format("n = '{}' in '{}{}'", argument, prefix::directed_cycle, argument),
        fmt::format("n is a whole number, 2 ... {}", most_agents), "Write for example directed-cycle:8.");
  std::vector<Arc> arcs;
  arcs.reserve(static_cast<std::size_t>(*n));
  for (Index i = 0; i < *n; ++i) arcs.push_back({i, (i + 1) % *n});
  return GraphSequence::directed(*n, {std::move(arcs)});
}

std::vector<Arc> both_ways(const Graph& graph) {
  std::vector<Arc> arcs;
  for (const auto& edge : graph.edges()) {
    arcs.push_back({edge.a, edge.b});
    arcs.push_back({edge.b, edge.a});
  }
  return arcs;
}

GraphSequence single_graph(std::string_view part, std::uint64_t seed) {
  for (const std::string_view nested : {prefix::periodic, prefix::rounds_file, prefix::awake})
    if (part.starts_with(nested))
      throw InputError(graph_option, fmt::format("'{}' within periodic:", part),
                       "its parts are single graphs",
                       nested == prefix::awake ? "Write for example awake:0.3:periodic:cycle:8+star:8."
                                               : "Write for example periodic:cycle:8+star:8.");
  return GraphSequence::parse(part, seed);
}

/// Where one of them is directed, the edges of the others are arcs both ways.
GraphSequence one_after_the_other(std::string_view specs, std::uint64_t seed) {
  std::vector<GraphSequence> parts;
  for (const std::string_view part : specs_in(specs)) parts.push_back(single_graph(part, seed));
  std::vector<Graph> graphs;
  graphs.reserve(parts.size());
  for (const GraphSequence& part : parts) graphs.push_back(part.graphs().front());
  if (std::ranges::none_of(parts, &GraphSequence::is_directed))
    return GraphSequence::in_turn(std::move(graphs));
  (void)GraphSequence::in_turn(graphs);  // for what holds of any graphs
  std::vector<std::vector<Arc>> arcs;
  arcs.reserve(parts.size());
  for (const GraphSequence& part : parts)
    arcs.push_back(part.is_directed() ? part.arcs().front() : both_ways(part.graphs().front()));
  return GraphSequence::directed(graphs.front().agents(), std::move(arcs));
}

/// Throws unless the spec begins with what can be parsed here or as one graph.
void require_known_form(std::string_view spec) {
  const auto begin_of = [](std::string_view form) { return form.substr(0, form.find(':')); };
  std::vector<std::string> names;
  for (const auto* forms : {&graph_families(), &sequence_forms()})
    for (const std::string& form : *forms) names.emplace_back(begin_of(form));
  const std::string_view name = begin_of(spec);
  if (std::ranges::find(names, name) == names.end())
    throw InputError(graph_option, fmt::format("unknown family '{}' in '{}'", name, spec),
                     "a graph is FAMILY:ARGUMENTS", did_you_mean(name, names));
}

std::string absolute_path(std::string_view path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

GraphSequence GraphSequence::parse(std::string_view spec, std::uint64_t seed) {
  const auto after = [&](std::string_view kind) -> std::optional<std::string_view> {
    if (!spec.starts_with(kind)) return {};
    return spec.substr(kind.size());
  };
  if (const auto rest = after(prefix::awake)) {
    const auto [probability, inner] = taken_apart(*rest);
    if (inner.starts_with(prefix::awake))
      throw InputError(graph_option, fmt::format("'{}'", spec), "awake: stands once, in front",
                       "Multiply the probabilities.");
    const double p = probability_of(probability);
    return parse(inner, seed).awake(p, seed);
  }
  if (const auto specs = after(prefix::periodic)) return one_after_the_other(*specs, seed);
  if (const auto n = after(prefix::directed_cycle)) return cycle_one_way(*n);
  if (const auto path = after(prefix::directed_file)) return parse_arc_list(read_text(*path), *path);
  if (const auto path = after(prefix::rounds_file)) return parse_rounds(read_text(*path), *path);
  require_known_form(spec);
  return Graph::parse(spec, seed);
}

std::string GraphSequence::with_absolute_paths(std::string_view spec) {
  if (spec.starts_with(prefix::awake) && spec.find(':', prefix::awake.size()) != std::string_view::npos) {
    const auto [probability, inner] = taken_apart(spec.substr(prefix::awake.size()));
    return fmt::format("{}{}:{}", prefix::awake, probability, with_absolute_paths(inner));
  }
  if (spec.starts_with(prefix::periodic)) {
    std::vector<std::string> parts;
    for (const std::string_view part : specs_in(spec.substr(prefix::periodic.size())))
      parts.push_back(with_absolute_paths(part));
    return fmt::format("{}{}", prefix::periodic, fmt::join(parts, "+"));
  }
  for (const std::string_view kind : {prefix::file, prefix::directed_file, prefix::rounds_file})
    if (spec.starts_with(kind)) return fmt::format("{}{}", kind, absolute_path(spec.substr(kind.size())));
  return std::string(spec);
}

const std::vector<std::string>& sequence_forms() {
  static const std::vector<std::string> forms{"directed-cycle:n", "directed:PATH", "periodic:SPEC+SPEC",
                                              "rounds:PATH", "awake:P:SPEC"};
  return forms;
}

}  // namespace ideal
