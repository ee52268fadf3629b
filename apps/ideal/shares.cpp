// SPDX-License-Identifier: Apache-2.0
#include "shares.hpp"

#include "bytes.hpp"
#include "cache.hpp"
#include "problem.hpp"

#include <ideal/datasets.hpp>
#include <ideal/error.hpp>
#include <ideal/outline.hpp>
#include <ideal/reference.hpp>

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

/// What is done to training and held-out rows alike.
void shape(Dataset& data, const Settings& settings) {
  if (const auto classes = classes_of(settings)) keep_classes(data, classes->first, classes->second);
  if (settings.normalize) normalize_rows(data);
}

/// Sparse files do not tell their width: one without the last features is widened.
void match_columns(Dataset& data, Index columns, const std::string& place, std::string_view others) {
  auto* const sparse = std::get_if<SparseRows>(&data.features);
  if (sparse && data.columns() < columns) sparse->conservativeResize(data.rows(), columns);
  if (data.columns() != columns)
    throw InputError(place, fmt::format("{} columns", data.columns()),
                     fmt::format("{} have {}", others, columns), "Use rows of the same features.");
}

std::shared_ptr<Dataset> read_test(const Settings& settings, Index columns, const CknWatch& watch) {
  if (settings.test.empty()) return nullptr;
  auto test = std::make_shared<Dataset>(read_data(settings.test,
                                                  {.label = settings.label, .threads = threads_of(settings)},
                                                  settings.cache, classes_of(settings), watch));
  shape(*test, settings);
  match_columns(*test, columns, fmt::format("--test {}", test->name), "the training data");
  return test;
}

/// Where rows of a class may be on other processes only: `classes` are the labels of all.
std::shared_ptr<Dataset> test_for(const Settings& settings, const DataFacts& train,
                                  const std::set<double>& classes, const CknWatch& watch) {
  auto test = read_test(settings, train.columns, watch);
  if (!test) return test;
  Dataset labels{train.name, DenseRows(std::ssize(classes), 0), Vector(std::ssize(classes))};
  std::ranges::copy(classes, labels.labels.begin());
  prepare_labels(labels, parse_loss(settings.loss), test.get());
  return test;
}

DataFacts facts_of(const Dataset& data) {
  return {data.name, data.rows(), data.columns(), data.nonzeros(), data.sparse()};
}

/// Keeps rows cuts[k] ... cuts[k+1]-1 for the k-th of these agents, in the place of the data.
void keep(Shares& shares, Dataset&& data, std::span<const Index> cuts, const Settings& settings) {
  const LossKind loss = parse_loss(settings.loss);
  std::vector<std::string> keys;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
    keys.push_back(loss_key(data, cuts[k], cuts[k + 1], loss, 0));
  auto rows = store_rows(std::move(data), cuts, parse_storage(settings.storage));
  for (std::size_t k = 0; k < rows.size(); ++k)
    shares.of_agent.push_back({std::move(rows[k]), std::move(keys[k])});
}

// ---- one file for all ----------------------------------------------------------------------------------

/// Rows that can be read one by one.
struct Rows {
  std::string name;
  Vector labels;  ///< of all
  std::function<Dataset(std::span<const Index>)> read;
};

/// The numbers of all processes, one after the other.
Vector joined(const std::vector<std::string>& parts) {
  std::string bytes;
  for (const std::string& part : parts) bytes += part;
  return numbers_of(bytes);
}

Rows synthetic_rows(const Synthetic& options, Cluster& cluster) {
  const auto cut = [&](Index rank) { return options.rows * rank / cluster.size(); };
  const Vector mine = synthetic_labels(options, cut(cluster.rank()), cut(cluster.rank() + 1));
  return {"synthetic", joined(cluster.share(bytes_of(mine))),
          [options](std::span<const Index> rows) { return synthesize(options, rows); }};
}

/// Every process looks through its part of the file and tells the others.
Rows file_rows(const fs::path& file, const ReadOptions& options, std::string name, Cluster& cluster) {
  std::vector<Outline> parts;
  for (const std::string& bytes :
       cluster.share(to_bytes(outline(file, options, cluster.rank(), cluster.size()))))
    parts.push_back(outline_from_bytes(bytes));
  auto whole = std::make_shared<Outline>(join(parts));
  return {std::move(name), whole->labels,
          [=](std::span<const Index> rows) { return read_rows(file, options, *whole, rows); }};
}

/// Rank 0 computes them if they are not there yet; nobody looks for them before, or after it was stopped.
void make_features(const NamedSplit& named, const fs::path& cache, Cluster& cluster, const CknWatch& watch) {
  std::string said;
  try {
    if (cluster.rank() == 0) (void)read_named(named, cache, {}, watch);
  } catch (const CknStopped&) {
    said = "stopped";
  }
  if (told_by_first(cluster, said) == "stopped") throw CknStopped();
}

Rows source_of(const Settings& settings, Cluster& cluster, const CknWatch& watch) {
  if (const auto synthetic = synthetic_of(settings)) return synthetic_rows(*synthetic, cluster);
  const auto named = find_named(settings.data);
  if (!named)
    return file_rows(settings.data, {.label = settings.label, .labels = settings.labels},
                     fs::path(settings.data).filename().string(), cluster);
  const fs::path cache = required_cache(settings.cache);
  if (named->ckn) make_features(*named, cache, cluster, watch);
  return file_rows(rows_file(*named, cache), {}, named->title(), cluster);
}

/// The numbers of the rows that --classes leaves, and their labels.
std::vector<Index> chosen(Vector& labels, const Settings& settings) {
  std::vector<Index> rows;
  const auto classes = classes_of(settings);
  for (Index row = 0; row < labels.size(); ++row)
    if (!classes || labels[row] == classes->first || labels[row] == classes->second) rows.push_back(row);
  if (!classes) return rows;
  Dataset only_labels{settings.data, DenseRows(labels.size(), 0), labels};
  keep_classes(only_labels, classes->first, classes->second);  // its messages, too
  labels = only_labels.labels;
  return rows;
}

Shares shares_of_one_file(const Settings& settings, Index agents, std::span<const Index> hosted,
                          Cluster& cluster, const CknWatch& watch) {
  const LossKind loss = parse_loss(settings.loss);
  const Rows source = source_of(settings, cluster, watch);
  Vector labels = source.labels;
  const std::vector<Index> numbers = chosen(labels, settings);
  const std::set<double> distinct(labels.begin(), labels.end());
  Shares shares;
  shares.classes = prepare_labels(labels, source.name, loss);
  const auto [order, offsets] =
      divide(labels, settings.partition, agents, static_cast<std::uint64_t>(settings.seed));

  std::vector<Index> rows, places, cuts{0};
  for (const Index agent : hosted) {
    for (Index k = offsets[agent]; k < offsets[agent + 1]; ++k) {
      places.push_back(order[k]);
      rows.push_back(numbers[order[k]]);
    }
    cuts.push_back(std::ssize(rows));
  }
  Dataset data = source.read(rows);
  data.name = source.name;
  data.labels = labels(places);
  if (settings.normalize) normalize_rows(data);
  shares.facts = facts_of(data);
  shares.facts.rows = labels.size();
  if (cluster.rank() == 0) shares.test = test_for(settings, shares.facts, distinct, watch);
  keep(shares, std::move(data), cuts, settings);
  return shares;
}

// ---- one file an agent ---------------------------------------------------------------------------------

/// The labels that occur anywhere; none for a loss without classes.
Vector labels_everywhere(const std::vector<std::shared_ptr<Dataset>>& data, LossKind loss, Cluster& cluster) {
  std::set<double> mine;
  if (!is_regression(loss))
    for (const auto& part : data) mine.insert(part->labels.begin(), part->labels.end());
  const std::vector<double> distinct(mine.begin(), mine.end());
  return joined(cluster.share(bytes_of(Eigen::Map<const Vector>(distinct.data(), std::ssize(distinct)))));
}

/// Labels as the loss wants them, by the labels of all agents.
int prepare_together(std::vector<std::shared_ptr<Dataset>>& data, LossKind loss, const std::string& name,
                     const Vector& everywhere) {
  int classes = 1;
  for (const auto& part : data) {
    Vector labels(part->labels.size() + everywhere.size());
    labels << part->labels, everywhere;
    classes = prepare_labels(labels, name, loss);
    part->labels = labels.head(part->labels.size());
  }
  return classes;
}

Shares shares_of_own_files(const Settings& settings, std::span<const Index> hosted, Cluster& cluster,
                           const CknWatch& watch) {
  if (settings.partition != "contiguous")
    throw InputError("--partition", settings.partition, "with one file an agent, the files are the partition",
                     "Leave --partition out.");
  std::vector<std::shared_ptr<Dataset>> data;
  Index columns = 0;
  for (const Index agent : hosted) {
    const fs::path file = shard_file(settings.data, agent);
    data.push_back(std::make_shared<Dataset>(read_dataset(file, {.label = settings.label, .labels = {}})));
    // An agent may have rows of one class only; that both occur somewhere is seen later.
    if (const auto classes = classes_of(settings))
      keep_classes(*data.back(), classes->first, classes->second, false);
    if (data.back()->rows() == 0)
      throw InputError(file.string(), fmt::format("no row of the classes {}", settings.classes),
                       "every agent has at least one row",
                       "Choose other --classes, or leave this agent out.");
    if (settings.normalize) normalize_rows(*data.back());
    columns = std::max(columns, data.back()->columns());
  }
  for (const std::string& told : cluster.share(fmt::format("{}", columns)))
    columns = std::max(columns, static_cast<Index>(std::stoll(told)));

  const LossKind loss = parse_loss(settings.loss);
  const Vector everywhere = labels_everywhere(data, loss, cluster);
  Shares shares;
  shares.classes = prepare_together(data, loss, settings.data, everywhere);
  for (std::size_t k = 0; k < data.size(); ++k) {
    match_columns(*data[k], columns, shard_file(settings.data, hosted[k]).string(), "other agents");
    const DataFacts facts = facts_of(*data[k]);
    shares.facts.rows += facts.rows;
    shares.facts.nonzeros += facts.nonzeros;
    shares.facts.sparse = facts.sparse;
    const Index cuts[] = {0, facts.rows};
    keep(shares, std::move(*data[k]), cuts, settings);
  }
  shares.facts.name = fs::path(settings.data).filename().string();
  shares.facts.columns = columns;
  Index rows = 0;
  for (const std::string& told : cluster.share(fmt::format("{}", shares.facts.rows)))
    rows += std::stoll(told);
  shares.facts.rows = rows;
  if (cluster.rank() == 0)
    shares.test = test_for(settings, shares.facts, {everywhere.begin(), everywhere.end()}, watch);
  return shares;
}

}  // namespace

Shares all_shares(const Settings& settings, Index agents, const CknWatch& watch) {
  const LossKind loss = parse_loss(settings.loss);
  Dataset data = read_all(settings, watch);
  shape(data, settings);
  Shares shares;
  const auto test = read_test(settings, data.columns(), watch);
  shares.classes = prepare_labels(data, loss, test.get());
  shares.test = test;
  const std::vector<Index> offsets =
      partition(data, settings.partition, agents, static_cast<std::uint64_t>(settings.seed));
  shares.facts = facts_of(data);
  keep(shares, std::move(data), offsets, settings);
  return shares;
}

Shares own_shares(const Settings& settings, Index agents, std::span<const Index> hosted, Cluster& cluster,
                  const CknWatch& watch) {
  Shares shares = is_shard_pattern(settings.data)
                      ? shares_of_own_files(settings, hosted, cluster, watch)
                      : shares_of_one_file(settings, agents, hosted, cluster, watch);
  require_same(cluster, "data of dimension", fmt::format("{}", shares.facts.columns));
  Index nonzeros = 0;
  for (const std::string& told : cluster.share(fmt::format("{}", shares.facts.nonzeros)))
    nonzeros += std::stoll(told);
  shares.facts.nonzeros = nonzeros;
  return shares;
}

}  // namespace ideal::cli
