// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "settings.hpp"

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

/// The data, dealt to the agents, and their losses; the reference optimum is still to be found.
struct Loaded {
  std::shared_ptr<const Dataset> data;
  LossKind loss;
  double l2;
  std::string key;  ///< of the problem's content
  Problem problem;
  std::shared_ptr<const Dataset> test;  ///< held-out data, labelled as the loss wants it; may be none
};

Loaded load(const Settings& settings, Index agents, Threads& threads, const CknWatch& watch = {});

}  // namespace ideal::cli
