// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include "number.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "text_file.hpp"
#include "toml_file.hpp"

#include <ideal/error.hpp>
#include <ideal/topology.hpp>

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

/// A key with the values it takes in turn.
struct Axis {
  std::string key;
  std::string place;
  std::vector<std::string> values;
};

/// A value for each of some keys.
struct Choice {
  const Axis* axis;
  std::string value;
};
using Point = std::vector<Choice>;

/// Every combination, the last axis fastest.
std::vector<Point> product(const std::vector<Axis>& axes) {
  std::vector<Point> points{{}};
  for (const Axis& axis : axes) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back({&axis, value});
      }
    }
    points = std::move(longer);
  }
  return points;
}

Axis axis_of(const ::toml::key& key, const ::toml::node& node, const fs::path& file) {
  Axis axis{std::string(key.str()), place_of(key, file), {}};
  axis.values = words_of(node, axis.place);
  if (axis.values.empty())
    throw InputError(fmt::format("{}: {}", axis.place, axis.key), "an empty list",
                     "a list means each of its values", "Give at least one value, or remove the key.");
  if (std::set(axis.values.begin(), axis.values.end()).size() != axis.values.size())
    throw InputError(fmt::format("{}: {}", axis.place, axis.key), "a value twice",
                     "a list means each of its values", "Name each value once.");
  return axis;
}

// ---- the file ------------------------------------------------------------------------------------------

struct MethodEntry {
  std::string place;
  std::string name = {}, label = {};
  std::vector<Axis> set = {};
  std::vector<Axis> options = {};  ///< of `ideal solve`, one value each
};

struct File {
  std::string title;
  std::vector<double> taus;
  Index repeat = 1;
  std::vector<Axis> problem = {};
  std::vector<MethodEntry> methods = {};
};

std::vector<Axis> parameter_axes(const ::toml::node& node, const std::string& place, const fs::path& file) {
  const auto* table = node.as_table();
  if (!table)
    throw InputError(fmt::format("{}: set", place), "not a table", "parameters are key = value",
                     "Write for example set = {T = 100}.");
  std::vector<Axis> axes;
  for (const auto& [key, value] : *table) axes.push_back(axis_of(key, value, file));
  return axes;
}

MethodEntry method_entry(const ::toml::table& table, const fs::path& file) {
  MethodEntry entry{.place = fmt::format("{}:{}", file.string(), table.source().begin.line)};
  for (const auto& [key, node] : table) {
    const std::string place = place_of(key, file);
    if (key == "name")
      entry.name = word_of(node, place);
    else if (key == "label")
      entry.label = word_of(node, place);
    else if (key == "set")
      entry.set = parameter_axes(node, place, file);
    else if (key == "rounds" || key == "tol" || key == "every")
      entry.options.push_back(axis_of(key, node, file));
    else
      throw InputError(place, fmt::format("unknown key '{}'", key.str()),
                       "a method has name, label, set, rounds, tol and every",
                       "Put what belongs to the problem above the first [[method]].");
  }
  if (entry.name.empty())
    throw InputError(entry.place, "a method without name", "every [[method]] names one",
                     "Write for example name = \"ideal\".");
  return entry;
}

std::vector<MethodEntry> method_entries(const ::toml::node& node, const std::string& place,
                                        const fs::path& file) {
  const auto* array = node.as_array();
  if (!array || !array->is_homogeneous<::toml::table>())
    throw InputError(place, "'method' is no list of tables", "each method is a [[method]] of its own",
                     "Write [[method]] and below it name = \"ideal\".");
  std::vector<MethodEntry> entries;
  for (const auto& element : *array) entries.push_back(method_entry(*element.as_table(), file));
  return entries;
}

std::vector<double> numbers(const ::toml::node& node, const std::string& place) {
  std::vector<double> values;
  for (const std::string& word : words_of(node, place)) {
    const auto value = parse_number(word, range::nonnegative, false);
    if (!value)
      throw InputError(fmt::format("{}: taus", place), fmt::format("'{}'", word), "takes numbers >= 0",
                       "Write for example taus = [0.1, 10].");
    values.push_back(*value);
  }
  return values;
}

/// How often a method that draws rows is run.
Index times(const ::toml::node& node, const std::string& place) {
  const std::string word = word_of(node, place);
  const auto value = parse_number(word, Range{1, 1000, false, false, "a whole number, 1 ... 1000"}, true);
  if (!value)
    throw InputError(fmt::format("{}: repeat", place), fmt::format("'{}'", word),
                     "a whole number, 1 ... 1000", "Write for example repeat = 10.");
  return static_cast<Index>(*value);
}

/// What a run costs is counted, not chosen; how it is run is of the command.
void refuse_foreign(const std::string& key, const std::string& place) {
  if (key == "method" || key == "set")
    throw InputError(place, fmt::format("'{}' outside a [[method]]", key),
                     "methods come as [[method]] tables", "Write [[method]] and below it name = \"ideal\".");
  if (key == "threads" || key == "hosts" || key == "tau" || key == "cpu")
    throw InputError(place, fmt::format("'{}'", key), "an experiment says what is computed, not how",
                     key == "tau"   ? "Write taus = [0.1, 10]."
                     : key == "cpu" ? "Leave it out."
                                    : "Use --jobs of the command.");
}

File parse(const fs::path& path) {
  File file{.title = path.stem().string(), .taus = {0.1, 1, 10}};
  for (const auto& [key, node] : parse_toml(path, "FILE", "an experiment in TOML")) {
    const std::string place = place_of(key, path);
    if (key == "title")
      file.title = word_of(node, place);
    else if (key == "taus")
      file.taus = numbers(node, place);
    else if (key == "repeat")
      file.repeat = times(node, place);
    else if (key == "method" && node.is_array())
      file.methods = method_entries(node, place, path);
    else {
      refuse_foreign(std::string(key.str()), place);
      file.problem.push_back(axis_of(key, node, path));
    }
  }
  if (file.methods.empty())
    throw InputError(path.string(), "no [[method]]", "an experiment runs at least one",
                     "Add [[method]] with name = \"ideal\".");
  return file;
}

// ---- titles --------------------------------------------------------------------------------------------

/// Data, loss and graph, and whatever else takes several values; never the seed.
std::string problem_title(const Settings& s, const Point& point) {
  std::string title = fmt::format("{}{}, {}, {}", s.data.substr(0, s.data.find(':')),
                                  s.classes.empty() ? "" : " " + s.classes, s.loss, s.graph);
  static const std::set<std::string> told{"data", "classes", "loss", "graph", "seed", "batch-seed"};
  for (const auto& [axis, value] : point)
    if (axis->values.size() > 1 && !told.contains(axis->key))
      title += fmt::format(", {} {}", axis->key, value);
  return title;
}

/// The label with each {key} replaced, or the method's name with its parameters.
std::string curve_label(const MethodEntry& entry, const Point& parameters) {
  std::string label = entry.label;
  if (label.empty()) {
    label = entry.name;
    for (const auto& [axis, value] : parameters) label += fmt::format(" {}={}", axis->key, value);
    return label;
  }
  for (const auto& [axis, value] : parameters) {
    const std::string gap = fmt::format("{{{}}}", axis->key);
    if (const auto at = label.find(gap); at != std::string::npos)
      label.replace(at, gap.size(), value);
    else if (axis->values.size() > 1)
      label += fmt::format(", {} = {}", axis->key, value);
  }
  return label;
}

// ---- cases ---------------------------------------------------------------------------------------------

Settings settings_at(const Point& problem, const MethodEntry& entry, const Point& parameters) {
  Settings settings;
  CLI::App page;
  Options options(page);
  declare(settings, options);
  for (const auto& [axis, value] : problem) options.assign(axis->key, axis->place, {value});
  for (const Axis& axis : entry.options) options.assign(axis.key, axis.place, {axis.values.back()});
  settings.method = entry.name;
  for (const auto& [axis, value] : parameters) settings.set.push_back(axis->key + "=" + value);
  return settings;
}

/// As far as can be told without the data, which make some least squares strongly convex.
bool lacks_convexity(const Settings& settings) {
  const bool added = settings.kappa || settings.l2.value_or(Settings::default_l2) > 0;
  return !added && !(settings.mu.value_or(0) > 0) && settings.loss != "ridge";
}

/// Resolves the settings and checks what the options' own ranges do not.
void complete(Settings& settings) {
  if (settings.l2 && settings.kappa)
    throw InputError("l2", "both l2 and kappa", "kappa decides l2", "Remove one of the two.");
  resolve(settings);
  require_mixing(settings.mixing);
  const auto graphs = GraphSequence::parse(settings.graph, static_cast<std::uint64_t>(settings.seed));
  Demands asked = demands_of(graphs);
  const bool kinked = settings.loss == "hinge" || settings.loss == "quantile";
  if (kinked && settings.smoothing.value_or(0) == 0) asked.add(Demand::nonsmooth);
  if (!regulariser_of(settings).none()) asked.add(Demand::composite);
  if (lacks_convexity(settings)) asked.add(Demand::merely_convex);
  // An unknown method is complained about where the file names it.
  const auto known =
      std::ranges::find(methods(), settings.method, [](const Method& m) { return m.about().name; });
  if (known != methods().end()) require_fit(*known, asked);
}

/// An error in `step` also tells where in the file it is.
void at(const std::string& place, const std::function<void()>& step) try {
  step();
} catch (const InputError& error) {
  throw InputError(place, error);
}

void require_distinct(const std::vector<Case>& cases, const fs::path& file) {
  std::set<std::tuple<std::string, std::string, Index, Index>> seen;
  for (const Case& c : cases)
    if (!seen.insert({c.problem, c.curve, c.settings.seed, c.settings.batch_seed.value_or(c.settings.seed)})
             .second)
      throw InputError(file.string(), fmt::format("two curves called '{}'", c.curve),
                       "a label tells one curve from all others", "Give one of them another label.");
}

}  // namespace

Experiment read_experiment(const fs::path& path, const std::string& cache) {
  const File file = parse(path);
  Experiment experiment{file.title, file.taus, {}, read_text(path)};
  for (const Point& problem : product(file.problem)) {
    for (const MethodEntry& entry : file.methods) {
      for (const Point& parameters : product(entry.set)) {
        Settings settings = settings_at(problem, entry, parameters);
        settings.cache = cache;
        const std::string title = problem_title(settings, problem);
        at(path.string(), [&] { complete(settings); });
        Index runs = 1;
        at(entry.place, [&] {
          const Method method = chosen_method(settings);
          (void)stops_by_certificate(settings, method);
          if (method.stochastic()) runs = file.repeat;
        });
        const Index first = settings.batch_seed.value_or(settings.seed);
        for (Index r = 0; r < runs; ++r) {
          if (r > 0) settings.batch_seed = first + r;
          experiment.cases.push_back({settings, title, curve_label(entry, parameters)});
        }
      }
    }
  }
  require_distinct(experiment.cases, path);
  return experiment;
}

}  // namespace ideal::cli
