// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include "number.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view synthetic = "synthetic";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// ---- the synthetic problem -----------------------------------------------------------------------------

struct SyntheticKey {
  std::string name;
  Range range;
  bool whole;
  double (*get)(const Synthetic&);
  void (*set)(Synthetic&, double);
};

template <auto member>
SyntheticKey key(std::string name, Range range) {
  using Field = std::remove_reference_t<decltype(std::declval<Synthetic&>().*member)>;
  return {std::move(name), range, std::is_integral_v<Field>,
          [](const Synthetic& s) { return static_cast<double>(s.*member); },
          [](Synthetic& s, double value) { s.*member = static_cast<Field>(value); }};
}

const std::vector<SyntheticKey>& synthetic_keys() {
  static const std::vector<SyntheticKey> keys{
      key<&Synthetic::rows>("rows", range::count),
      key<&Synthetic::columns>("columns", range::count),
      key<&Synthetic::classes>("classes", {0, 1000, false, false, "a whole number, 0 ... 1000"}),
      key<&Synthetic::decay>("decay", {1, 1e300, false, false, "a number >= 1"}),
      key<&Synthetic::noise>("noise", range::nonnegative),
      key<&Synthetic::density>("density", {0, 1, true, false, "a number in (0, 1]"}),
  };
  return keys;
}

void assign(Synthetic& options, std::string_view pair) {
  const auto equals = pair.find('=');
  const std::string_view name = pair.substr(0, equals);
  const auto& keys = synthetic_keys();
  const auto found = std::ranges::find(keys, name, &SyntheticKey::name);
  if (found == keys.end() || equals == std::string_view::npos) {
    std::vector<std::string> names;
    std::ranges::transform(keys, std::back_inserter(names), &SyntheticKey::name);
    throw InputError("--data synthetic", fmt::format("'{}'", pair), "takes key=value, apart by commas",
                     did_you_mean(name, names));
  }
  const auto value = parse_number(pair.substr(equals + 1), found->range, found->whole);
  if (!value)
    throw InputError("--data synthetic", fmt::format("'{}'", pair),
                     fmt::format("{} is {}", name, found->range.rule),
                     "Write for example synthetic:rows=2000,columns=50.");
  found->set(options, *value);
}

Synthetic parse_synthetic(std::string_view spec, LossKind loss, Index seed) {
  Synthetic options{.seed = static_cast<std::uint64_t>(seed)};
  if (loss == LossKind::ridge) options.classes = 0;
  if (loss == LossKind::softmax) options.classes = 3;
  const auto colon = spec.find(':');
  if (colon != std::string_view::npos)
    for (const std::string_view pair : split(spec.substr(colon + 1), ',')) assign(options, pair);
  return options;
}

std::string in_full(const Synthetic& options) {
  std::string text(synthetic);
  for (const auto& key : synthetic_keys())
    text += fmt::format("{}{}={}", key.name == "rows" ? ':' : ',', key.name, key.get(options));
  return text;
}

bool is_synthetic(std::string_view data) { return data.substr(0, data.find(':')) == synthetic; }

// ---- files ---------------------------------------------------------------------------------------------

void require_file(std::string_view option, const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw InputError(fmt::format("{} {}", option, path), "a directory", "takes a file", "Name a file in it.");
  if (!fs::exists(path, ignored))
    throw InputError(fmt::format("{} {}", option, path), "no such file",
                     "a LIBSVM, CSV, NPY, NPZ or IDX file, plain or gzipped, or synthetic[:key=value,...]",
                     "Check the path, or leave --data out for a built-in problem.");
}

std::pair<double, double> parse_classes(std::string_view text) {
  const auto parts = split(text, ',');
  const auto first = parts.size() == 2 ? parse_number(parts[0]) : std::nullopt;
  const auto second = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
  if (!first || !second || *first == *second)
    throw InputError("--classes", fmt::format("'{}'", text), "two different labels apart by a comma",
                     "Write for example --classes 4,9.");
  return {*first, *second};
}

Dataset read(const Settings& settings, LossKind loss) {
  if (is_synthetic(settings.data)) return synthesize(parse_synthetic(settings.data, loss, settings.seed));
  return read_dataset(settings.data, {.label = settings.label, .labels = settings.labels});
}

}  // namespace

void resolve_data(Settings& settings) {
  const LossKind loss = parse_loss(settings.loss);
  if (!settings.classes.empty()) parse_classes(settings.classes);
  if (is_synthetic(settings.data)) {
    settings.data = in_full(parse_synthetic(settings.data, loss, settings.seed));
    return;
  }
  require_file("--data", settings.data);
  settings.data = fs::absolute(settings.data).lexically_normal().string();
  if (settings.labels.empty()) return;
  require_file("--labels", settings.labels);
  settings.labels = fs::absolute(settings.labels).lexically_normal().string();
}

Loaded load(const Settings& settings, Index agents, Threads& threads) {
  const LossKind loss = parse_loss(settings.loss);
  auto data = std::make_shared<Dataset>(read(settings, loss));
  if (!settings.classes.empty()) {
    const auto [first, second] = parse_classes(settings.classes);
    keep_classes(*data, first, second);
  }
  if (settings.normalize) normalize_rows(*data);
  const int classes = prepare_labels(*data, loss);
  std::vector<Index> offsets =
      partition(*data, settings.partition, agents, static_cast<std::uint64_t>(settings.seed));

  double l2 = settings.l2.value_or(Settings::default_l2);
  if (settings.kappa)
    l2 = l2_for_kappa(*settings.kappa, make_losses(data, offsets, loss, 0, classes), threads);
  Problem problem{.losses = make_losses(data, offsets, loss, l2, classes), .constants = {}};
  problem.constants = constants_of(problem.losses, settings.L, settings.mu, threads);
  std::string key = problem_key(*data, offsets, loss, l2);
  return {std::move(data), loss, l2, std::move(key), std::move(problem)};
}

}  // namespace ideal::cli
