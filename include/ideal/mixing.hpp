// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/meter.hpp>
#include <ideal/parallel.hpp>
#include <ideal/part.hpp>
#include <ideal/topology.hpp>
#include <ideal/transport.hpp>

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ideal {

enum class Stores;

/// The hosted agents' places in a spanning tree, which like the connections is there before a run begins.
struct Tree {
  std::vector<Index> agents, parents, hops;  ///< hops from the root, which has no parent: -1
  Index radius = 0;                          ///< the most hops of any agent
};

/// Numbers that ride on messages: they cost bytes, but no rounds.
class Passenger {
 public:
  virtual ~Passenger() = default;

  /// What the next messages take along, a column per hosted agent; as many numbers each time.
  [[nodiscard]] virtual const Block& leaving() const = 0;

  /// What hosted agent c has heard from a neighbour, whose entry in its row of W is `weight`. Neighbours come
  /// in agent order.
  virtual void heard(Index c, Index neighbour, double weight, const double* numbers) = 0;

  /// All have heard all of it.
  virtual void round_over() = 0;
};

/// The communication oracle: X -> M X for a symmetric positive semi-definite M with kernel span(1). Where the
/// network changes, M is that of the current step, which began with the last gradient; where it is directed,
/// only the columns of M sum to zero.
class Mixing {
 public:
  virtual ~Mixing() = default;

  /// Sends X off; finish() is M X, which lives until the next call on this object. X stays as it is in
  /// between and must not be a result of this object.
  virtual void start(const Block& X) = 0;
  virtual const Block& finish() = 0;

  /// M X at once.
  const Block& mix(const Block& X) {
    start(X);
    return finish();
  }

  /// Communications it takes.
  [[nodiscard]] virtual Index rounds() const = 0;

  /// M X = 0 of an X that is the same at every agent: nothing is sent.
  virtual const Block& common(const Block& X) = 0;

  /// The extreme positive eigenvalues of M, or bounds that enclose them.
  [[nodiscard]] virtual Spectrum spectrum() const = 0;

  /// How fast a network averages that changes or is directed; none where M is always the same.
  [[nodiscard]] virtual std::optional<Averaging> averaging() const = 0;

  /// The links of such a network; null where M is always the same.
  [[nodiscard]] virtual const LinkSequence* links() const = 0;

  /// What each hosted agent knows by itself of the largest: no eigenvalue exceeds the largest of these.
  [[nodiscard]] virtual Vector local_bounds() const = 0;

  /// The largest of each row over all agents, known to every agent afterwards: flooding, for reach() rounds.
  /// Counted like any other communication.
  virtual Vector maxima(const Block& column_per_hosted_agent) = 0;
  double maximum(const Vector& one_per_hosted_agent) { return maxima(one_per_hosted_agent.transpose())[0]; }

  /// With every message from now on go these numbers, a column per hosted agent, and each agent keeps the
  /// largest it has met: after reach() rounds every agent knows the largest of each row. They cost bytes, but
  /// no rounds. nullptr: no more. To be called between rounds; maxima() and total() carry nothing.
  virtual void carry(Block* numbers) = 0;

  /// With every message from now on goes a passenger, before such numbers; nullptr: no more.
  virtual void take_along(Passenger* passenger) = 0;

  /// A round for a passenger alone. Counted like any other communication.
  virtual void send(Passenger& passenger) = 0;

  /// Takes the memory for that, for X and numbers of such sizes, at once.
  virtual void expect_load(const Block& X, const Block& numbers) = 0;

  /// Rounds that carried numbers so far.
  [[nodiscard]] virtual Index rounds_carried() const = 0;

  /// Seconds spent in all of these.
  [[nodiscard]] virtual double seconds() const = 0;

  /// Rounds after which word of every agent has come to every other: the graph's diameter, or a bound.
  virtual Index reach() = 0;

  /// The sums of each row over all agents, at every agent: up a spanning tree and down again, two rounds a
  /// level. Counted like any other communication.
  virtual Vector total(const Block& column_per_hosted_agent) = 0;
  virtual Index rounds_of_total() = 0;
  virtual const Tree& tree() = 0;

  [[nodiscard]] virtual Index agents() const = 0;

  /// The mean over all agents at every agent, as a server would compute it and send it back. Only centralized
  /// baselines use it; it is no round of the network. Lives as long as a result of mix().
  virtual const Block& average(const Block& X) = 0;

  /// The same by the network's own means: sums travel to a central agent and the mean back, which takes twice
  /// the radius of the graph in rounds, two on a star.
  virtual const Block& average_over_tree(const Block& X) = 0;

  [[nodiscard]] virtual Neighbourhood neighbourhood() const = 0;

  /// What agents do by themselves between oracles: update(own) for one part of the blocks after the other,
  /// own(B) being the part of a block of X's shape. Parts are worked on in any order and on several threads,
  /// so statements go entry by entry; an entry's own sequence of operations is always the same.
  template <class Update>
  void locally(const Block& X, Update update) {
    const auto some = [&, size = X.size()](Index first, Index end) {
      for (Index part = first; part < end; ++part) update(Own(part, size));
    };
    threads().ranges(Own::parts(X.size()), some, Threads::worth_waking_others / Own::most);
  }

  /// M X at once, each part used as soon as it is there: update(own, MX) as above, where MX is own(M X) and
  /// lives in the cache. X itself stays as it is; the time it takes counts as this oracle's.
  template <class Update>
  void mix(const Block& X, const Update& update) {
    start(X);
    finish_by_parts(std::cref(update));
  }

 protected:
  using MixedPart = Eigen::Map<const Vector, Eigen::AlignedMax>;
  using UseOfPart = std::function<void(const Own&, const MixedPart&)>;

 private:
  virtual void finish_by_parts(const UseOfPart& use) {
    const Block& MX = finish();
    locally(MX, [&](auto own) { use(own, own(MX)); });
  }
  virtual Threads& threads() = 0;
  friend class Chebyshev;
};

/// An agent from which every other is at most `radius` hops away.
struct Centre {
  Index agent, radius;
};

/// W itself over a transport: one communication a call. Neighbours are summed in agent order, so every
/// transport gives the same bits.
class Network final : public Mixing {
 public:
  Network(const Topology& topology, Transport& transport, Meter& meter, Threads& threads);

  void start(const Block& X) override;
  const Block& finish() override;
  Index rounds() const override { return 1; }
  const Block& common(const Block& X) override { return room_for(X).setZero(X.rows(), X.cols()); }
  Spectrum spectrum() const override { return topology_.spectrum(); }
  std::optional<Averaging> averaging() const override { return topology_.averaging(); }
  const LinkSequence* links() const override { return topology_.sequence(); }
  Vector local_bounds() const override;
  Vector maxima(const Block& column_per_hosted_agent) override;
  void carry(Block* numbers) override { carried_ = numbers; }
  void take_along(Passenger* passenger) override { passenger_ = passenger; }
  void send(Passenger& passenger) override;
  void expect_load(const Block& X, const Block& numbers) override;
  Index rounds_carried() const override { return rounds_carried_; }
  Index reach() override;
  Vector total(const Block& column_per_hosted_agent) override;
  Index rounds_of_total() override { return 2 * centre().radius; }
  const Tree& tree() override;
  Index agents() const override { return topology_.agents(); }
  const Block& average(const Block& X) override;
  const Block& average_over_tree(const Block& X) override;
  Neighbourhood neighbourhood() const override;

  /// Spent with messages and their sums; what travels while a host computes takes no time.
  double seconds() const override { return seconds_; }

 private:
  Threads& threads() override { return threads_; }
  void finish_by_parts(const UseOfPart& use) override;
  void receive();
  [[nodiscard]] Index ranges_of(const Block& X) const;
  void count(Index numbers);
  void look_around();
  Block& room_for(const Block& X);
  void sum_neighbours(Index range, Index ranges, Stores stores);
  void sum_stretch(Index first, Index count, const double** x, double* result) const;
  const double** neighbours_of_range(Index range) { return neighbours_.data() + range * list_to_list_; }
  template <class Theirs>
  void keep_largest(Block& numbers, const Theirs& theirs_of);
  template <class Theirs>
  void tell(Passenger& passenger, const Theirs& theirs_of);
  [[nodiscard]] Index passengers() const { return passenger_ ? passenger_->leaving().rows() : 0; }
  [[nodiscard]] Index load() const { return passengers() + (carried_ ? carried_->rows() : 0); }
  const Block& riders(Index agents);
  const Centre& centre();

  const Topology& topology_;
  Transport& transport_;
  Meter& meter_;
  Threads& threads_;
  const SparseRows* M_;     ///< of the current step
  Index step_ = -1;         ///< where the network changes
  Links drawn_;             ///< room for its links
  Index links_ = 0;         ///< directed edges leaving the hosted agents
  Index list_to_list_ = 0;  ///< pointers of a thread's list of neighbours, and of what keeps it from the next
  std::optional<Centre> centre_;
  Tree tree_;  ///< of shortest ways to the centre
  const Block* sent_ = nullptr;
  Block* carried_ = nullptr;
  Passenger* passenger_ = nullptr;
  Index rounds_carried_ = 0;
  Block riders_;  ///< what a message takes along
  double seconds_ = 0;
  std::vector<const double*> neighbours_;  ///< room for the longest row of W, for each thread
  Block* result_ = nullptr;
  std::map<Index, Block> results_;  ///< by length of the vectors: no memory is taken anew where it changes
};

/// Q(W) = I - T_J(c2 (I - c3 W)) / T_J(c2), the paper's eq. (Q) on the scaled matrix: J communications a
/// call, and a condition number of at most 4 at the default J = floor(sqrt(kappa_W)).
class Chebyshev final : public Mixing {
 public:
  explicit Chebyshev(Mixing& W, std::optional<Index> J = {}) : Chebyshev(W, W.spectrum(), J) {}

  /// For what W's spectrum is believed to be.
  Chebyshev(Mixing& W, const Spectrum& believed, std::optional<Index> J) : W_(W) { believe(believed, J); }
  void believe(const Spectrum& W, std::optional<Index> J);

  void start(const Block& X) override;
  const Block& finish() override;
  Index rounds() const override { return J_ * W_.rounds(); }
  const Block& common(const Block& X) override { return W_.common(X); }
  Spectrum spectrum() const override { return spectrum_; }
  std::optional<Averaging> averaging() const override { return W_.averaging(); }
  const LinkSequence* links() const override { return W_.links(); }
  Vector local_bounds() const override {
    return Vector::Constant(W_.local_bounds().size(), spectrum_.lambda_max);
  }
  Vector maxima(const Block& column_per_hosted_agent) override { return W_.maxima(column_per_hosted_agent); }
  void carry(Block* numbers) override { W_.carry(numbers); }
  void take_along(Passenger* passenger) override { W_.take_along(passenger); }
  void send(Passenger& passenger) override { W_.send(passenger); }
  void expect_load(const Block& X, const Block& numbers) override { W_.expect_load(X, numbers); }
  Index rounds_carried() const override { return W_.rounds_carried(); }
  double seconds() const override { return W_.seconds(); }
  Index reach() override { return W_.reach(); }
  Vector total(const Block& column_per_hosted_agent) override { return W_.total(column_per_hosted_agent); }
  Index rounds_of_total() override { return W_.rounds_of_total(); }
  const Tree& tree() override { return W_.tree(); }
  Index agents() const override { return W_.agents(); }
  const Block& average(const Block& X) override { return W_.average(X); }
  const Block& average_over_tree(const Block& X) override { return W_.average_over_tree(X); }
  Neighbourhood neighbourhood() const override { return W_.neighbourhood(); }

  [[nodiscard]] Index degree() const { return J_; }
  static Index default_degree(double kappa_W);

 private:
  Threads& threads() override { return W_.threads(); }

  Mixing& W_;
  Index J_ = 1;
  double c2_ = 0, c3_ = 0;
  Spectrum spectrum_;
  const Block* sent_ = nullptr;
  Block current_, previous_, gossip_;
};

}  // namespace ideal
