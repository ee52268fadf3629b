// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/data.hpp>
#include <ideal/graph_sequence.hpp>
#include <ideal/links.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// The extreme positive eigenvalues of a mixing operator.
struct Spectrum {
  double lambda_max = 0;
  double lambda_min = 0;  ///< smallest positive one, the paper's λmin⁺
  [[nodiscard]] double kappa() const { return lambda_max / lambda_min; }

  /// s in the matrix I - s W that averages. A lambda_max of 2 but for rounding is too large for s = 1: two
  /// agents would swap what they have.
  [[nodiscard]] double averaging_scale() const { return lambda_max < 2 - 1e-9 ? 1 : 1 / lambda_max; }
};

/// Called with a line of text while a long eigenvalue computation goes on.
using Progress = std::function<void(std::string_view)>;

/// What agents know of W, the matrix behind a mixing, beyond its products: all of them, or those of a host.
struct Neighbourhood {
  Vector diagonal;             ///< W_ii, an agent's degree where W is the Laplacian
  double least = 0, most = 0;  ///< W_ii of all agents, the same on every host
  std::vector<Index> colours;  ///< 0, 1, ...: neighbours' colours differ, so those of one may move at once
  Index colour_count = 0;      ///< of all agents
};

/// A graph together with its mixing matrix W: symmetric, positive semi-definite, zero off the graph, kernel =
/// span(1). Construction checks each of these and names the one that fails. Where the network changes or is
/// directed, sequence() has the matrices; graph() is then who ever talks to whom, weights() their mean over
/// the graphs in turn, and spectrum() the largest eigenvalue of any of them together with the smallest that a
/// fixed W would have that averages as fast.
class Topology {
 public:
  /// kind: laplacian | laplacian-normalized | best-constant | metropolis | lazy-metropolis | max-degree |
  /// resistance | fdla | lmsd (docs/mixing.md). Edge weights w_ij, where the graph has them, take the place
  /// of the ones in A, and deg_i = sum of w_ij; Metropolis is then w_ij / (1 + max(deg_i, deg_j)). fdla and
  /// lmsd are optimal over all weights and do not look at them.
  static Topology make(Graph graph, std::string_view kind, const Progress& progress = {});

  /// W given as a matrix; off-diagonal non-zeros are the edges unless `graph` is given. Asymmetry and row
  /// sums within 1e-9 max|W| count as rounding and are removed: W is then symmetric, and each diagonal entry
  /// minus the sum of its row.
  static Topology from_matrix(SparseRows W, const Progress& progress = {});
  static Topology from_matrix(SparseRows W, Graph graph, const Progress& progress = {});

  /// From the command line: `mixing` is a kind, or `file:PATH` (Matrix Market, or dense CSV) whose pattern
  /// must lie on the graph.
  static Topology parse(std::string_view graph, std::string_view mixing, std::uint64_t seed = 0,
                        const Progress& progress = {});
  static Topology parse(const GraphSequence& graphs, std::string_view mixing, const Progress& progress = {});

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const SparseRows& weights() const {
    return weights_;
  }  ///< W, diagonal stored, columns ascending
  [[nodiscard]] const Spectrum& spectrum() const { return spectrum_; }
  [[nodiscard]] Index agents() const { return graph_.agents(); }

  /// Rounds after which word of every agent has come to every other: the graph's diameter, or a bound. Found
  /// out at the first call.
  [[nodiscard]] Index reach() const;

  /// Of all agents. Found out at the first call.
  [[nodiscard]] const Neighbourhood& neighbourhood() const;

  /// Null where the network is the same undirected one at every step.
  [[nodiscard]] const LinkSequence* sequence() const { return sequence_.get(); }
  [[nodiscard]] const std::optional<Averaging>& averaging() const { return averaging_; }  ///< of the sequence
  [[nodiscard]] bool changes() const { return sequence_ && sequence_->changes(); }
  [[nodiscard]] bool directed() const { return sequence_ && sequence_->directed(); }

  /// How far fdla and lmsd may be from their optimum: value / bound - 1, the bound proven. Other kinds have
  /// none.
  [[nodiscard]] std::optional<double> optimality_gap() const { return gap_; }

 private:
  Topology(Graph graph, SparseRows weights, Spectrum spectrum);
  static Topology on_graph(const SparseRows& W, Graph graph, std::string_view place,
                           const Progress& progress);
  static Topology fixed(Graph graph, std::string_view mixing, const Progress& progress);
  static Topology of_sequence(const GraphSequence& graphs, std::vector<Links> in_turn, double lambda_max);

  /// What is found out when it is asked for; copies of a topology have it in common.
  struct FoundOut {
    std::once_flag reach_found, neighbourhood_found;
    Index reach = 0;
    Neighbourhood neighbourhood;
  };

  Graph graph_;
  std::shared_ptr<FoundOut> found_out_ = std::make_shared<FoundOut>();
  SparseRows weights_;
  Spectrum spectrum_;
  std::optional<double> gap_;
  std::shared_ptr<const LinkSequence> sequence_;
  std::optional<Averaging> averaging_;
};

/// The names `make` accepts.
const std::vector<std::string>& mixing_kinds();

/// Throws InputError unless `mixing` is one of these or `file:PATH`.
void require_mixing(std::string_view mixing);

/// Extreme positive eigenvalues of a symmetric PSD matrix with kernel span(1), to about 1e-10 relative: dense
/// below 500 rows, Lanczos above, through a sparse factorisation when the plain iteration is too slow. Throws
/// where W is not such a matrix.
Spectrum spectrum_of(const SparseRows& W, const Progress& progress = {});

/// W from a Matrix Market (coordinate or array, general or symmetric) or dense CSV file.
SparseRows read_matrix(const std::filesystem::path& file);

}  // namespace ideal
