// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "settings.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ideal::cli {

/// One run of an experiment.
struct Case {
  Settings settings;    ///< resolved
  std::string problem;  ///< title; runs that differ only in method, parameters or seed share it
  std::string curve;    ///< label; runs that differ only in their seed share it
};

/// Methods x graphs x partitions x parameter grids x seeds, as a TOML file tells them:
///
///     title = "MNIST"
///     taus  = [0.1, 10]
///     data  = "mnist"                          # any option of `ideal solve`; a list means each of them
///     graph = ["cycle:8", "barbell:8"]
///     repeat = 10                              # methods that draw rows, each time with other draws
///     [[method]]
///     name  = "ideal"
///     label = "IDEAL, {rho-scale} x rho"       # optional; {key} is the value of a parameter
///     set   = {T = 100, rho-scale = [0.5, 1]}
struct Experiment {
  std::string title;
  std::vector<double> taus;
  std::vector<Case> cases;
  std::string text;  ///< of the file
};

/// Reads and expands an experiment, checking all that can be checked without reading data; throws InputError
/// naming file and line. `cache`: where named data sets are; empty: the default one.
Experiment read_experiment(const std::filesystem::path& file, const std::string& cache = {});

}  // namespace ideal::cli
