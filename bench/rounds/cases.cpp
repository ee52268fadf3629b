// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <ideal/datasets.hpp>

#include <cmath>
#include <mutex>

#include <fmt/format.h>

namespace bench {

using namespace ideal;
namespace fs = std::filesystem;

namespace {

constexpr Index rows = 1280, synthetic_columns = 30, side = 28, pooled_side = 14;

/// Means of 2 x 2 pixels: a ten-class model of whole images would have 7840 numbers, and tell no more.
DenseRows pooled(const DenseRows& images) {
  DenseRows small = DenseRows::Zero(images.rows(), pooled_side * pooled_side);
  for (Index r = 0; r < images.rows(); ++r)
    for (Index y = 0; y < side; ++y)
      for (Index x = 0; x < side; ++x) small(r, y / 2 * pooled_side + x / 2) += images(r, y * side + x) / 4;
  return small;
}

/// The first rows of a set of images, of length one; the pixels' means where there are ten classes.
std::optional<Dataset> images(const std::string& name, LossKind loss, const fs::path& cache) {
  const NamedSplit split = *find_named(name);
  if (!is_cached(*split.data, cache)) return {};
  const bool ten = loss == LossKind::softmax;
  Dataset all = read_named(split, cache, ten ? std::nullopt : std::optional<ClassPair>({3, 8}));
  const DenseRows& whole = std::get<DenseRows>(all.features);
  DenseRows some = whole.topRows(rows);
  if (ten) some = pooled(some);
  some.rowwise().normalize();
  return Dataset{name, std::move(some), all.labels.head(rows)};
}

/// So ill conditioned that l2 makes it no worse than kappa.
Dataset synthetic(LossKind loss, double kappa) {
  const bool long_runs = kappa > 1e5;
  return synthesize({.rows = long_runs ? rows / 2 : rows,
                     .columns = long_runs ? synthetic_columns / 2 : synthetic_columns,
                     .classes = loss == LossKind::softmax ? 4
                                : loss == LossKind::ridge ? 0
                                                          : 2,
                     .decay = 2 * std::sqrt(kappa),
                     .noise = 0.1,
                     .seed = 5});
}

}  // namespace

std::string Case::name() const {
  return fmt::format("{} {} {:.0e} {} {}", data, to_string(loss), kappa, graph, partition);
}

std::vector<Case> cases(Extent extent) {
  const bool whole = extent == Extent::whole;
  const std::vector<std::string> graphs =
      whole ? std::vector<std::string>{"cycle:8",   "cycle:64",     "barbell:8",   "barbell:32",
                                       "torus:8x8", "regular:64,4", "hypercube:6", "line:32"}
            : std::vector<std::string>{"cycle:8", "barbell:8", "line:12"};
  std::vector<Case> all;
  const auto add = [&](const char* data, double kappa) {
    for (const LossKind loss : {LossKind::logistic, LossKind::ridge, LossKind::softmax})
      for (const std::string& graph : graphs)
        for (const char* partition : {"shuffled", "by-label"})
          all.push_back({data, loss, kappa, graph, partition});
  };
  add("synthetic", 1e2);
  add("synthetic", 1e4);
  if (whole) add("synthetic", 1e6);
  if (whole) add("mnist", 1e3);
  if (whole) add("fashion-mnist", 1e3);
  return all;
}

std::optional<Problem> problem_of(const Case& c, Index agents, const fs::path& cache) {
  std::optional<Dataset> data =
      c.data == "synthetic" ? synthetic(c.loss, c.kappa) : images(c.data, c.loss, cache);
  if (!data) return {};
  const int classes = prepare_labels(*data, c.loss);
  const std::vector<Index> offsets = partition(*data, c.partition, agents, 1);
  const auto shared = std::make_shared<const Dataset>(std::move(*data));
  Threads threads(1);
  const auto transport = in_process(agents);
  const auto bare = make_losses(shared, offsets, c.loss, 0, classes);
  const double l2 = l2_for_kappa(c.kappa, bare, *transport, threads);
  Problem problem{.losses = make_losses(shared, offsets, c.loss, l2, classes), .constants = {}};
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  problem.reference = solve_reference(problem.losses, *transport, threads);
  return problem;
}

}  // namespace bench
