// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/cluster.hpp>
#include <ideal/method.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ideal::cli {

/// What `ideal solve` computes: the content of config.toml.
struct Settings {
  std::string data = "synthetic";
  std::string test;  ///< held-out data; empty: none
  std::string label, labels;
  std::string classes;  ///< "A,B" keeps the rows of two classes
  bool normalize = false;
  std::string loss = "logistic";
  std::optional<double> l2;     ///< default_l2 unless kappa decides
  std::optional<double> kappa;  ///< L/mu to reach through l2
  std::optional<double> L, mu;
  std::optional<double> smoothing, delta, quantile;  ///< of the losses that have them
  double l1 = 0;
  std::string box;  ///< "LOW:HIGH"; empty: none
  static constexpr double default_l2 = 1e-3;

  std::string graph = "cycle:8";
  std::string mixing = "laplacian";
  std::string partition = "contiguous";
  std::string storage = "auto";
  std::string cpu = "auto";

  std::string method = "auto";
  std::vector<std::string> set;
  Index rounds = 2000;
  double tol = 1e-8;
  std::string stop = "auto";  ///< what tol is compared with
  std::optional<double> tau;  ///< 1, where a run is looked at

  Index seed = 0;
  std::optional<Index> batch_seed;  ///< seed unless given
  Index threads = 0;                ///< 0: one a core
  Index hosts = 0;                  ///< 0: the simulator
  std::optional<Index> every;       ///< by the number of agents if not given
  Index checkpoint = 0;             ///< 0: none

  std::string cache;  ///< where named data sets are; not of config.toml, as it changes nothing computed
};

class Options;

/// Gives every setting its name, range and help.
void declare(Settings& settings, Options& options);

/// All that is set, as config.toml holds it.
std::string toml_of(Settings settings);

/// Writes out what follows from the settings, and checks what can be checked without reading data.
void resolve(Settings& settings);

/// Throws InputError on every process unless all have the same settings; it names the first that differs. The
/// number of threads is each one's own affair.
void require_same_settings(Cluster& cluster, Settings settings);

/// Where nobody said how often to record: as often as looking at so many agents costs little.
Index default_every(Index agents);

/// The method with its parameters set. A method that asks for tau is told; on a real network, where nobody
/// told it, it measures.
Method chosen_method(const Settings& settings, bool simulated = true);

/// The time of a round in units of a gradient's, as reports show it.
inline double tau_of(const Settings& settings) { return settings.tau.value_or(1); }

/// Whether the method's own certificate ends the run; throws InputError if it has none and was asked for it.
bool stops_by_certificate(const Settings& settings, const Method& method);

}  // namespace ideal::cli
