// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/loss.hpp>
#include <ideal/meter.hpp>
#include <ideal/parallel.hpp>
#include <ideal/part.hpp>
#include <ideal/regulariser.hpp>
#include <ideal/transport.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ideal {

/// What every agent knows about all the losses: L = max L_i, mu = min mu_i, the fewest rows of an agent, the
/// smoothness of the steepest single row (0: not known), the most rows of an agent (0: as the fewest), and
/// the strong convexity that is no row's doing (0: not known).
struct Constants {
  double L = 0;
  double mu = 0;
  Index rows = 1;
  double row_L = 0;
  Index most_rows = 0;
  double own_l2 = 0;
  bool smooth = true;               ///< all losses are; else L is infinite
  bool curvature_jumps = false;     ///< of one of them
  bool curvature_constant = false;  ///< of all of them
  [[nodiscard]] double kappa() const { return L / mu; }
};

/// L and mu from the losses' curvatures unless given; checks that mu >= 0 and L >= mu, L > 0. `hosted` are
/// the losses of the transport's agents; every host takes part.
Constants constants_of(std::span<const std::shared_ptr<const Loss>> hosted, std::optional<double> L,
                       std::optional<double> mu, Transport& transport, Threads& threads);

/// All agents in this process.
Constants constants_of(std::span<const std::shared_ptr<const Loss>> losses, std::optional<double> L,
                       std::optional<double> mu, Threads& threads);

/// The l2 that gives losses without regulariser the condition number L / mu = kappa.
double l2_for_kappa(double kappa, std::span<const std::shared_ptr<const Loss>> bare, Transport& transport,
                    Threads& threads);

/// The computation oracle: F(X) = sum_i f_i(x_i) over the hosted agents. Each call counts in the meter.
class Objective {
 public:
  Objective(std::vector<std::shared_ptr<const Loss>> losses, std::vector<Index> agents, Constants constants,
            std::uint64_t seed, Meter& meter, Threads& threads, const Regulariser& regulariser = {});

  [[nodiscard]] Index agents() const { return std::ssize(agents_); }  ///< hosted
  [[nodiscard]] Index dimension() const { return losses_.front()->dimension(); }
  [[nodiscard]] double L() const { return constants_.L + extra_convexity_; }
  [[nodiscard]] double mu() const { return constants_.mu + extra_convexity_; }
  [[nodiscard]] double kappa() const { return L() / mu(); }

  /// From now on F has (sigma/2)|x_i|^2 more at every agent, in gradients, L and mu: for methods that
  /// approach losses without strong convexity by such as have it.
  void add_convexity(double sigma) { extra_convexity_ = sigma; }

  /// Whether looking at Hessians does not tell L.
  [[nodiscard]] bool curvature_jumps() const { return constants_.curvature_jumps; }

  /// Whether they are the same everywhere, so that one look is enough.
  [[nodiscard]] bool curvature_constant() const { return constants_.curvature_constant; }

  /// Whether F comes with a regulariser r for every agent, to be met by proximal steps.
  [[nodiscard]] bool composite() const { return !regulariser_.none(); }

  /// argmin_P step r(P) + |P - V|^2 / 2, entry by entry: V itself where there is no r.
  template <class Expression>
  [[nodiscard]] Part prox(const Expression& V, double step) const {
    Part P = V;
    if (composite())
      for (double& p : P) p = regulariser_.prox(p, step);
    return P;
  }

  /// The fewest rows of an agent: how many a mini-batch can have before it is the whole.
  [[nodiscard]] Index rows() const { return constants_.rows; }

  /// Smoothness of any single row's loss; a mean of rows is no steeper.
  [[nodiscard]] double row_L() const;

  /// Every agent's loss is convex also without own_l2()/2 |x|^2, and so is any part of it.
  /// 0: not known.
  [[nodiscard]] double own_l2() const {
    return constants_.own_l2 > 0 ? std::min(mu(), constants_.own_l2) : rows() == 1 ? mu() : 0;
  }

  /// Column c is the gradient of f_i at x_i: one computation. Results live until the next call on this
  /// object.
  const Block& gradient(const Block& X);

  /// The same, each part used as soon as it is there: update(own, G), where own(B) is the part of a block of
  /// X's shape and G that of the gradient, which is still in the cache. As in Mixing::locally, parts are
  /// worked on in any order and on several threads. own(X) may be written: the gradients of agents it belongs
  /// to are computed. The time of the updates counts as this oracle's.
  template <class Update>
  void gradient(const Block& X, const Update& update) {
    gradient_by_parts(X, std::cref(update));
  }

  /// The same on `batch` rows drawn by each agent: batch / rows computations. Draw t of a run is always the
  /// same batch. A batch of as many rows as the poorest agent has is a whole gradient.
  const Block& gradient(const Block& X, Index batch, Index draw);

  /// By how much the gradient on a mini-batch changes from S to X, both on the rows of that draw: two of
  /// these, and counted so.
  const Block& change(const Block& X, const Block& S, Index batch, Index draw);

  /// Each agent's loss is the mean of as many parts, its rows cut into shares of nearly equal size with the
  /// regulariser in each. Column c is the gradient of part which[c]: 1 / parts computations. There are no
  /// more parts than rows().
  const Block& part_gradient(const Block& X, Index parts, std::span<const Index> which);

  /// Smoothness of any of so many parts.
  [[nodiscard]] double part_L(Index parts) const;

  /// A part for each hosted agent, uniformly; draw t of a run is always the same.
  void draw_parts(Index parts, Index draw, std::span<Index> which) const;

  /// Uniform in [0, 1), the same at every agent.
  [[nodiscard]] double common_draw(Index draw) const;

  /// Of one row's gradient at x_i around that of f_i, which is G's column, for each hosted agent: counted as
  /// one computation.
  Vector row_variance(const Block& X, const Block& G);

  /// Column c is H_i(x_i) v_i, with the Hessian of f_i: counted as one computation.
  const Block& hessian(const Block& X, const Block& V);

  /// argmin F(X) + <A, X>, the gradient of the conjugate at -A, to rounding, searched from `start`: counted
  /// as one computation.
  const Block& dual(const Block& A, const Block& start);

  /// argmin F(X) + <A, X> + sum_i (c_i / 2) |x_i|^2 with one c_i for each hosted agent: counted the same.
  const Block& tilted(const Block& A, const Vector& c, const Block& start);

  /// L_i of each hosted agent, as its loss tells it: known beforehand like L, and not counted.
  [[nodiscard]] Vector smoothness() const;

  /// How steep each hosted agent's loss gets, but for its l2 term; not counted either.
  [[nodiscard]] Vector lipschitz() const;

  /// f_i(x_i) of each hosted agent: counted as one computation.
  Vector values(const Block& X);

  /// What each hosted agent's loss does not fall below, but for its l2 term; not counted.
  [[nodiscard]] Vector lower_bounds() const;

  /// Numbers of the normal distribution, the same for every agent; those of a draw of a run are always the
  /// same.
  void shared_noise(Index draw, Block& numbers) const;

  /// Seeded numbers of the normal distribution, each agent's its own and the same on any host.
  [[nodiscard]] Block noise(Index rows) const;

  /// The strong convexity each hosted agent is sure of without looking at its data.
  [[nodiscard]] Vector known_convexity() const;

  /// Spent in all of these.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  using UseOfPart = std::function<void(const Own&, const Eigen::Map<const Vector, Eigen::AlignedMax>&)>;
  void gradient_by_parts(const Block& X, const UseOfPart& use);
  void gradient_of_agent(Index c, const Block& X);
  Way turn();
  void gradient_in_pieces(const Block& X);
  void batch_gradients(const Block& X, Index batch, Index draw, Block& out);
  std::vector<Index>& picked(Index c, Index most);

  std::vector<std::shared_ptr<const Loss>> losses_;
  std::vector<Index> agents_;
  Constants constants_;
  std::uint64_t seed_;
  Meter& meter_;
  Threads& threads_;
  double seconds_ = 0;
  Regulariser regulariser_;
  double extra_convexity_ = 0;
  std::vector<Index> first_piece_;          ///< of each agent, and the number of all
  Block result_, further_;                  ///< the first piece of each agent, and the others
  std::vector<std::vector<Index>> picked_;  ///< rows, by hosted agent
  Block before_;                            ///< gradients that others are compared with
  std::vector<char> used_;                  ///< parts of a gradient
  bool back_and_forth_ = false;             ///< gradients take agents there and back in turn
  Way way_ = Way::there;                    ///< of the last gradient
};

}  // namespace ideal
