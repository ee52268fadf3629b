// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "settings.hpp"
#include "shares.hpp"

#include <ideal/cluster.hpp>
#include <ideal/datasets.hpp>
#include <ideal/solve.hpp>

#include <memory>

namespace ideal::cli {

/// Rewrites `settings.data` and `settings.test` in full (an absolute path, a name of the catalogue, or every
/// key of the synthetic problem), chooses the classes a named data set has by default, and checks what can be
/// checked without reading a file.
void resolve_data(Settings& settings);

/// A file, or a named data set out of the cache (empty: the default one). Where only two classes are wanted,
/// a named one need not be read whole.
Dataset read_data(const std::string& data, const ReadOptions& options, const std::string& cache,
                  const std::optional<ClassPair>& classes = {}, const CknWatch& watch = {});

/// As many as --threads tells, or one a core.
int threads_of(const Settings& settings);

/// The whole of what --data names.
Dataset read_all(const Settings& settings, const CknWatch& watch);

/// The built-in problem, if --data names that.
std::optional<Synthetic> synthetic_of(const Settings& settings);

/// The loss --loss names, with its own options; l2 and classes are still to be told.
LossOptions loss_options(const Settings& settings);

/// What --l1 and --box say.
Regulariser regulariser_of(const Settings& settings);

/// The two classes --classes names, if it is given.
std::optional<ClassPair> classes_of(const Settings& settings);

/// The losses of this process's agents, with what is known about those of all; the reference optimum is still
/// to be found.
struct Loaded {
  DataFacts data;
  LossKind loss;
  double l2;
  double strong_convexity;  ///< of the losses themselves, whatever --mu the method is told: at least l2
  Index dimension;
  std::string key;  ///< of the problem's content
  Problem problem;
  std::shared_ptr<const Dataset> test;   ///< held-out data, labelled as the loss wants it; may be none
  std::vector<Index> host_of;            ///< the rank of every agent
  std::shared_ptr<Transport> transport;  ///< between ranks

  [[nodiscard]] std::vector<std::shared_ptr<const Loss>> hosted() const;
};

/// Every process of the cluster takes part, and reads the rows of its own agents.
Loaded load(const Settings& settings, const Graph& graph, Cluster& cluster, Threads& threads,
            const CknWatch& watch = {});

}  // namespace ideal::cli
