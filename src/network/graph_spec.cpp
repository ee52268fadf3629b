// SPDX-License-Identifier: Apache-2.0
#include "network/connected.hpp"
#include "network/graph_families.hpp"
#include "network/parse.hpp"
#include "network/text_lines.hpp"

#include <ideal/error.hpp>
#include <ideal/graph.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <array>
#include <numbers>

#include <fmt/format.h>

namespace ideal {
namespace {

constexpr double most_edges = 1e8;  // 2.4 GB as a list
constexpr std::string_view place = "--graph";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// A spec taken apart, and the arguments read from it one after the other.
class Spec {
 public:
  Spec(std::string_view text, std::string_view form, std::string_view example)
      : text_(text), example_(example) {
    const char separator = form.ends_with("RxC") ? 'x' : ',';
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) fail(fmt::format("'{}'", text), fmt::format("the form is {}", form));
    arguments_ = split(text.substr(colon + 1), separator);
    if (arguments_.size() != split(form, separator).size())
      fail(fmt::format("'{}'", text), fmt::format("the form is {}", form));
  }

  Index whole(std::string_view name, Index low, Index high) {
    const auto argument = arguments_[next_++];
    const auto value = number<Index>(argument);
    if (!value || *value < low || *value > high)
      fail_argument(name, argument, fmt::format("{} is a whole number, {} ... {}", name, low, high));
    return *value;
  }

  Index agents() { return whole("n", 2, most_agents); }

  double real(std::string_view name, double high, bool zero_allowed) {
    const auto argument = arguments_[next_++];
    const auto value = number<double>(argument);
    if (!value || !(*value >= 0 && *value <= high) || (*value == 0 && !zero_allowed))
      fail_argument(name, argument,
                    fmt::format("{} lies in {}0, {:.4g}]", name, zero_allowed ? '[' : '(', high));
    return *value;
  }

  void require(bool holds, std::string_view rule) const {
    if (!holds) fail(fmt::format("'{}'", text_), rule);
  }

  void limit_edges(double expected) const {
    require(expected <= most_edges,
            fmt::format("about {:.2g} edges, at most {:.0g} allowed", expected, most_edges));
  }

 private:
  [[noreturn]] void fail_argument(std::string_view name, std::string_view argument,
                                  std::string_view rule) const {
    fail(fmt::format("{} = '{}' in '{}'", name, argument, text_), rule);
  }
  [[noreturn]] void fail(std::string_view found, std::string_view rule) const {
    throw InputError(place, found, rule, fmt::format("Write for example {}.", example_));
  }

  std::string_view text_, example_;
  std::vector<std::string_view> arguments_;
  std::size_t next_ = 0;
};

double pairs(Index n) { return 0.5 * static_cast<double>(n) * static_cast<double>(n - 1); }

Graph lattice(Spec& spec, Graph (*make)(Index, Index)) {
  const Index rows = spec.whole("R", 1, most_agents);
  const Index columns = spec.whole("C", 1, most_agents);
  const Index n = rows * columns;
  spec.require(n >= 2 && n <= most_agents,
               fmt::format("R x C = {} agents, 2 ... {} allowed", n, most_agents));
  return make(rows, columns);
}

Graph complete(Spec& spec) {
  const Index n = spec.agents();
  spec.limit_edges(pairs(n));
  return families::complete(n);
}

Graph barbell(Spec& spec) {
  const Index n = spec.agents();
  spec.limit_edges(2 * pairs(n / 2));
  return families::barbell(n);
}

Graph erdos_renyi(Spec& spec, Random& random) {
  const Index n = spec.agents();
  const double p = spec.real("p", 1, false);
  spec.limit_edges(p * pairs(n));
  return families::erdos_renyi(n, p, random);
}

Graph regular(Spec& spec, Random& random) {
  const Index n = spec.agents();
  const Index k = spec.whole("k", 1, n - 1);
  spec.require(n % 2 == 0 || k % 2 == 0, "n k is twice the number of edges, hence even");
  spec.require(k > 1 || n == 2, "with k = 1 only two agents are connected");
  spec.limit_edges(0.5 * static_cast<double>(n) * static_cast<double>(k));
  return families::random_regular(n, k, random);
}

Graph geometric(Spec& spec, Random& random) {
  const Index n = spec.agents();
  const double r = spec.real("r", std::numbers::sqrt2, false);
  spec.limit_edges(std::min(1.0, std::numbers::pi * r * r) * pairs(n));
  return families::geometric(n, r, random);
}

Graph small_world(Spec& spec, Random& random) {
  const Index n = spec.agents();
  const Index k = spec.whole("k", 2, n - 1);
  const double p = spec.real("p", 1, true);
  spec.require(k % 2 == 0, "k neighbours, k/2 on each side, hence even");
  spec.limit_edges(0.5 * static_cast<double>(n) * static_cast<double>(k));
  return families::small_world(n, k, p, random);
}

struct Family {
  std::string_view form, example;
  Graph (*make)(Spec&, Random&);
  std::string_view if_disconnected = {};  // what to change; empty for the families that are always connected

  [[nodiscard]] std::string_view name() const { return form.substr(0, form.find(':')); }
};

constexpr std::array named_families{
    Family{"cycle:n", "cycle:8", [](Spec& s, Random&) { return families::cycle(s.agents()); }},
    Family{"line:n", "line:8", [](Spec& s, Random&) { return families::line(s.agents()); }},
    Family{"complete:n", "complete:8", [](Spec& s, Random&) { return complete(s); }},
    Family{"star:n", "star:8", [](Spec& s, Random&) { return families::star(s.agents()); }},
    Family{"grid:RxC", "grid:3x4", [](Spec& s, Random&) { return lattice(s, families::grid); }},
    Family{"torus:RxC", "torus:3x4", [](Spec& s, Random&) { return lattice(s, families::torus); }},
    Family{"hypercube:k", "hypercube:4",
           [](Spec& s, Random&) { return families::hypercube(s.whole("k", 1, 20)); }},
    Family{"barbell:n", "barbell:8", [](Spec& s, Random&) { return barbell(s); }},
    Family{"er:n,p", "er:20,0.3", erdos_renyi, "Use another --seed or a larger p."},
    Family{"regular:n,k", "regular:20,4", regular},
    Family{"geometric:n,r", "geometric:20,0.5", geometric, "Use another --seed or a larger r."},
    Family{"smallworld:n,k,p", "smallworld:20,4,0.1", small_world,
           "Use another --seed, a larger k or a smaller p."},
    Family{"tree:n", "tree:20", [](Spec& s, Random& r) { return families::random_tree(s.agents(), r); }},
};

const Family& family_of(std::string_view spec) {
  const auto name = spec.substr(0, spec.find(':'));
  if (const auto family = std::ranges::find(named_families, name, &Family::name);
      family != named_families.end())
    return *family;
  std::vector<std::string> names;
  names.reserve(named_families.size() + 1);
  for (const auto& family : named_families) names.emplace_back(family.name());
  names.emplace_back("file");
  throw InputError(place, fmt::format("unknown family '{}' in '{}'", name, spec),
                   "a graph is FAMILY:ARGUMENTS", did_you_mean(name, names));
}

}  // namespace

Graph parse_graph_spec(std::string_view text, std::uint64_t seed) {
  const Family& family = family_of(text);
  Spec spec(text, family.form, family.example);
  Random random(seed);
  Graph graph = family.make(spec, random);
  if (!family.if_disconnected.empty())
    require_connected(graph, fmt::format("{} {}", place, text), family.if_disconnected);
  return graph;
}

Graph Graph::parse(std::string_view spec, std::uint64_t seed) {
  constexpr std::string_view file = "file:";
  return spec.starts_with(file) ? read_edge_list(spec.substr(file.size())) : parse_graph_spec(spec, seed);
}

const std::vector<std::string>& graph_families() {
  static const auto forms = [] {
    std::vector<std::string> all;
    all.reserve(named_families.size() + 1);
    for (const auto& family : named_families) all.emplace_back(family.form);
    all.emplace_back("file:PATH");
    return all;
  }();
  return forms;
}

}  // namespace ideal
