// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include "bytes.hpp"
#include "cache.hpp"
#include "launch.hpp"
#include "number.hpp"

#include <ideal/cpu.hpp>
#include <ideal/datasets.hpp>
#include <ideal/error.hpp>
#include <ideal/outline.hpp>

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view synthetic = "synthetic";

// Not --rounds, which may grow when a run is resumed: the way to compute a gradient, and its bits, must not.
constexpr double typical_gradients = 1000;

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
  if (is_regression(loss)) options.classes = 0;
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

// ---- files and names -----------------------------------------------------------------------------------

std::string name_meant_by(const std::string& word) {
  std::vector<std::string> names;
  for (const NamedDataset& data : named_datasets()) names.emplace_back(data.name);
  const std::string guess = did_you_mean(word, names);
  return guess.starts_with("Did") ? guess : "Check the path; 'ideal data list' shows the names.";
}

void require_file(std::string_view option, const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw InputError(fmt::format("{} {}", option, path), "a directory", "takes a file", "Name a file in it.");
  if (!fs::exists(path, ignored))
    throw InputError(fmt::format("{} {}", option, path), "no such file",
                     "a LIBSVM, CSV, NPY, NPZ or IDX file, plain or gzipped, a named data set, or "
                     "synthetic[:key=value,...]",
                     name_meant_by(path));
}

/// In full and known to be there: a name of the catalogue, else a file.
std::string resolved(std::string_view option, const std::string& data, const std::string& cache) {
  if (const auto named = find_named(data)) {
    require_cached(*named, required_cache(cache));
    return named->title();
  }
  require_file(option, data);
  return fs::absolute(data).lexically_normal().string();
}

/// What a named data set says about itself, unless the user said otherwise.
void adopt_defaults(Settings& settings, LossKind loss) {
  const auto named = find_named(settings.data);
  if (!named) return;
  if (named->data->regression() && !is_regression(loss))
    throw InputError(fmt::format("--data {}", settings.data), "real targets",
                     fmt::format("{} loss needs classes", to_string(loss)),
                     "Add --loss ridge, huber or quantile.");
  if (is_binary(loss) && settings.classes.empty()) settings.classes = named->data->default_classes;
}

ClassPair parse_classes(std::string_view text) {
  const auto parts = split(text, ',');
  const auto first = parts.size() == 2 ? parse_number(parts[0]) : std::nullopt;
  const auto second = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
  if (!first || !second || *first == *second)
    throw InputError("--classes", fmt::format("'{}'", text), "two different labels apart by a comma",
                     "Write for example --classes 4,9.");
  return {*first, *second};
}

/// An option that not every loss has.
double own_option(const char* name, const std::optional<double>& given, double otherwise, bool has,
                  const char* whose) {
  if (given && !has)
    throw InputError(fmt::format("--{}", name), fmt::format("{}", *given),
                     fmt::format("only --loss {} has it", whose), "Leave it out.");
  return given.value_or(otherwise);
}

/// Beyond what old problems have, so that their optima are still found in a cache.
std::string key_of_kind(const LossOptions& loss, const Regulariser& r) {
  std::string text;
  if (loss.kind == LossKind::hinge || loss.kind == LossKind::huber || loss.kind == LossKind::quantile)
    text += fmt::format("{} {} {} {} ", to_string(loss.kind), loss.smoothing, loss.delta, loss.quantile);
  if (!r.none()) text += fmt::format("l1 {} box {} {} ", r.l1, r.low, r.high);
  return text;
}

/// A key of all losses out of those of each agent's rows, which their processes compute.
std::string joint_key(const Shares& shares, std::span<const Index> host_of, double l2,
                      const std::string& kind, Storage storage, Cluster& cluster) {
  std::string mine;
  for (const Share& share : shares.of_agent) mine += share.key;
  const std::vector<std::string> by_rank = cluster.share(mine);
  constexpr std::size_t length = 32;
  std::vector<std::size_t> used(by_rank.size(), 0);
  std::string all = fmt::format("{} {}", l2, kind);
  if (storage == Storage::f32) all += "rounded ";  // else storage changes nothing
  if (!cpu_fuses()) all += "unfused ";
  for (const Index rank : host_of) all += by_rank[rank].substr(length * used[rank]++, length);
  return hash_of(all);
}

std::vector<std::shared_ptr<const Loss>> losses_of(const Shares& shares, const LossOptions& options) {
  std::vector<std::shared_ptr<const Loss>> losses;
  losses.reserve(shares.of_agent.size());
  for (const Share& share : shares.of_agent) losses.push_back(make_loss(share.rows, options));
  return losses;
}

double least_convexity(std::span<const std::shared_ptr<const Loss>> hosted, Transport& transport) {
  Block each(1, std::ssize(hosted));
  for (Index c = 0; c < each.cols(); ++c) each(0, c) = hosted[c]->curvature().mu;
  return transport.gather(each).minCoeff();
}

}  // namespace

Dataset read_data(const std::string& data, const ReadOptions& options, const std::string& cache,
                  const std::optional<ClassPair>& classes, const CknWatch& watch) {
  if (const auto named = find_named(data)) return read_named(*named, required_cache(cache), classes, watch);
  if (const auto parsed = parsed_cache(cache)) return read_cached(data, options, *parsed);
  return read_dataset(data, options);
}

int threads_of(const Settings& settings) {
  return static_cast<int>(settings.threads > 0 ? settings.threads : cores());
}

LossOptions loss_options(const Settings& settings) {
  LossOptions options{.kind = parse_loss(settings.loss)};
  const LossKind kind = options.kind;
  const bool kinked = kind == LossKind::hinge || kind == LossKind::quantile;
  options.smoothing = own_option("smoothing", settings.smoothing, 0, kinked, "hinge and quantile");
  options.delta = own_option("delta", settings.delta, options.delta, kind == LossKind::huber, "huber");
  options.quantile =
      own_option("quantile", settings.quantile, options.quantile, kind == LossKind::quantile, "quantile");
  return options;
}

Regulariser regulariser_of(const Settings& settings) {
  Regulariser r{.l1 = settings.l1};
  if (settings.box.empty()) return r;
  const std::string_view text = settings.box;
  const auto colon = text.find(':');
  const auto bound = [](std::string_view word, double none) {
    if (word.empty() || word == (none < 0 ? "-inf" : "inf")) return none;
    return parse_number(word).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  r.low = bound(text.substr(0, colon), r.low);
  r.high = bound(text.substr(std::min(colon, text.size() - 1) + 1), r.high);
  if (colon == std::string_view::npos || !(r.low < r.high))
    throw InputError("--box", fmt::format("'{}'", text), "two numbers LOW:HIGH, the lower one first",
                     "Write for example --box 0: for x >= 0, or --box=-1:1.");
  return r;
}

void resolve_data(Settings& settings) {
  const LossKind loss = loss_options(settings).kind;
  (void)regulariser_of(settings);
  adopt_defaults(settings, loss);
  if (!settings.classes.empty()) parse_classes(settings.classes);
  // Rank 0 alone reads held-out data.
  if (!settings.test.empty() && speaks()) settings.test = resolved("--test", settings.test, settings.cache);
  if (!settings.test.empty() && !speaks() && !find_named(settings.test))
    settings.test = fs::absolute(settings.test).lexically_normal().string();
  if (is_synthetic(settings.data)) {
    settings.data = in_full(parse_synthetic(settings.data, loss, settings.seed));
    return;
  }
  if (is_shard_pattern(settings.data)) {
    if (!settings.labels.empty())
      throw InputError("--labels", settings.labels, "with one file an agent, labels are in these files",
                       "Leave --labels out.");
    settings.data = fs::absolute(settings.data).lexically_normal().string();
    return;
  }
  settings.data = resolved("--data", settings.data, settings.cache);
  if (settings.labels.empty()) return;
  require_file("--labels", settings.labels);
  settings.labels = fs::absolute(settings.labels).lexically_normal().string();
}

std::optional<ClassPair> classes_of(const Settings& settings) {
  if (settings.classes.empty()) return {};
  return parse_classes(settings.classes);
}

std::optional<Synthetic> synthetic_of(const Settings& settings) {
  if (!is_synthetic(settings.data)) return {};
  return parse_synthetic(settings.data, parse_loss(settings.loss), settings.seed);
}

Dataset read_all(const Settings& settings, const CknWatch& watch) {
  if (const auto synthetic = synthetic_of(settings)) return synthesize(*synthetic);
  return read_data(settings.data,
                   {.label = settings.label, .labels = settings.labels, .threads = threads_of(settings)},
                   settings.cache, classes_of(settings), watch);
}

std::vector<std::shared_ptr<const Loss>> Loaded::hosted() const {
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const Index agent : transport->hosted()) losses.push_back(problem.losses[agent]);
  return losses;
}

Loaded load(const Settings& settings, const Graph& graph, Cluster& cluster, Threads& threads,
            const CknWatch& watch) {
  const LossKind loss = parse_loss(settings.loss);
  std::vector<Index> host_of = place(graph, cluster.size());
  std::shared_ptr<Transport> transport = cluster.transport(graph, host_of);
  const auto hosted = transport->hosted();
  const bool whole = cluster.size() == 1 && !is_shard_pattern(settings.data);
  const Shares shares = whole ? all_shares(settings, graph.agents(), watch)
                              : own_shares(settings, graph.agents(), hosted, cluster, watch);

  LossOptions options = loss_options(settings);
  options.classes = shares.classes;
  options.l2 = settings.kappa ? l2_for_kappa(*settings.kappa, losses_of(shares, options), *transport, threads)
                              : settings.l2.value_or(Settings::default_l2);
  options.planned_gradients = typical_gradients;
  const double l2 = options.l2;
  const auto losses = losses_of(shares, options);
  Problem problem{.losses = std::vector<std::shared_ptr<const Loss>>(graph.agents()),
                  .constants = {},
                  .regulariser = regulariser_of(settings)};
  for (std::size_t c = 0; c < losses.size(); ++c) problem.losses[hosted[c]] = losses[c];
  problem.constants = constants_of(losses, settings.L, settings.mu, *transport, threads);
  return {.data = shares.facts,
          .loss = loss,
          .l2 = l2,
          .strong_convexity = l2 > 0 ? l2 : least_convexity(losses, *transport),
          .dimension = losses.front()->dimension(),
          .key = joint_key(shares, host_of, l2, key_of_kind(options, problem.regulariser),
                           parse_storage(settings.storage), cluster),
          .problem = std::move(problem),
          .test = shares.test,
          .host_of = std::move(host_of),
          .transport = std::move(transport)};
}

}  // namespace ideal::cli
