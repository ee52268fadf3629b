// SPDX-License-Identifier: Apache-2.0
// Under mpirun: what a round costs beside a bare exchange of the same messages, and how gradients and rounds
// scale with ranks. Everything alternates within one job; medians of ratios are taken. Ranks that have no
// part in a measurement sleep. Rank 0 prints a table, or JSON with --json.
#include <ideal/ideal.hpp>
#include <ideal/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>

namespace {

using namespace ideal;
using Json = nlohmann::ordered_json;

constexpr Index dimension = 784;

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

/// The first `size` ranks of all; the others get MPI_COMM_NULL.
class Team {
 public:
  explicit Team(int size) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comm_);
  }
  ~Team() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] bool plays() const { return comm_ != MPI_COMM_NULL; }
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// All ranks meet here; those that come early sleep instead of taking a core from those that work.
void meet() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void yielding_wait(std::span<MPI_Request> requests) {
  for (MPI_Request& request : requests) {
    for (int tests = 0, done = 0; !done; ++tests) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (!done && tests > 64) sched_yield();
    }
  }
}

/// Seconds a call of `round` takes, the slowest rank of the team counting.
double seconds_a_round(MPI_Comm comm, int rounds, auto&& round) {
  round();
  MPI_Barrier(comm);
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < rounds; ++k) round();
  double mine = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / rounds;
  double slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return slowest;
}

/// The ring's messages without any framework: one vector to and from each side.
class BareRing {
 public:
  explicit BareRing(MPI_Comm comm) : comm_(comm) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    left_ = (rank + size - 1) % size;
    right_ = (rank + 1) % size;
    out_.setOnes(dimension, 2);
    in_.setZero(dimension, 2);
  }

  /// As it is usually written.
  void exchange(const Block& X) {
    start(X);
    MPI_Waitall(4, requests_, MPI_STATUSES_IGNORE);
  }
  /// The same, kind to ranks on the same core.
  void exchange_yielding(const Block& X) {
    start(X);
    yielding_wait(requests_);
  }
  [[nodiscard]] const Block& received() const { return in_; }

 private:
  void start(const Block& X) {
    out_.col(0) = X.col(0);
    out_.col(1) = X.col(X.cols() - 1);
    // Towards the left with tag 0, towards the right with tag 1: with two ranks both are the same one.
    MPI_Irecv(in_.col(0).data(), dimension, MPI_DOUBLE, left_, 1, comm_, &requests_[0]);
    MPI_Irecv(in_.col(1).data(), dimension, MPI_DOUBLE, right_, 0, comm_, &requests_[1]);
    MPI_Isend(out_.col(0).data(), dimension, MPI_DOUBLE, left_, 0, comm_, &requests_[2]);
    MPI_Isend(out_.col(1).data(), dimension, MPI_DOUBLE, right_, 1, comm_, &requests_[3]);
  }

  MPI_Comm comm_;
  int left_ = 0, right_ = 0;
  Block out_, in_;
  MPI_Request requests_[4];
};

/// The ways MPI offers to exchange with two neighbours, all with the same waiting: which the transport takes
/// is decided by this.
class Ways {
 public:
  explicit Ways(MPI_Comm comm) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    peers_ = {(rank + size - 1) % size, (rank + 1) % size};
    if (size == 2) peers_.resize(1);  // both sides in one message, as the transport does
    degree_ = static_cast<int>(peers_.size());
    each_ = static_cast<int>(2 * dimension) / degree_;
    MPI_Dist_graph_create_adjacent(comm, degree_, peers_.data(), MPI_UNWEIGHTED, degree_, peers_.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
    for (int p = 0; p < degree_; ++p) {
      counts_.push_back(each_);
      first_.push_back(p * each_);
      persistent_.resize(2 * peers_.size());
      MPI_Recv_init(in_.data() + p * each_, each_, MPI_DOUBLE, peers_[p], 0, graph_, &persistent_[2 * p]);
      MPI_Send_init(out_.data() + p * each_, each_, MPI_DOUBLE, peers_[p], 0, graph_,
                    &persistent_[2 * p + 1]);
    }
#if MPI_VERSION >= 4
    MPI_Neighbor_alltoallv_init(out_.data(), counts_.data(), first_.data(), MPI_DOUBLE, in_.data(),
                                counts_.data(), first_.data(), MPI_DOUBLE, graph_, MPI_INFO_NULL,
                                &collective_);
#endif
  }
  ~Ways() {
    for (MPI_Request& request : persistent_) MPI_Request_free(&request);
    if (collective_ != MPI_REQUEST_NULL) MPI_Request_free(&collective_);
    MPI_Comm_free(&graph_);
  }
  Ways(const Ways&) = delete;
  Ways& operator=(const Ways&) = delete;

  void point_to_point() {
    std::vector<MPI_Request> requests(persistent_.size());
    for (int p = 0; p < degree_; ++p) {
      MPI_Irecv(in_.data() + p * each_, each_, MPI_DOUBLE, peers_[p], 0, graph_, &requests[2 * p]);
      MPI_Isend(out_.data() + p * each_, each_, MPI_DOUBLE, peers_[p], 0, graph_, &requests[2 * p + 1]);
    }
    yielding_wait(requests);
  }
  void persistent() {
    MPI_Startall(static_cast<int>(persistent_.size()), persistent_.data());
    yielding_wait(persistent_);
  }
  void collective() {
    MPI_Request request;
    MPI_Ineighbor_alltoallv(out_.data(), counts_.data(), first_.data(), MPI_DOUBLE, in_.data(),
                            counts_.data(), first_.data(), MPI_DOUBLE, graph_, &request);
    yielding_wait({&request, 1});
  }
  [[nodiscard]] bool has_persistent_collective() const { return collective_ != MPI_REQUEST_NULL; }
  void persistent_collective() {
    MPI_Start(&collective_);
    yielding_wait({&collective_, 1});
  }

 private:
  std::vector<int> peers_, counts_, first_;
  int degree_ = 0, each_ = 0;
  Vector out_ = Vector::Ones(2 * dimension), in_ = Vector::Zero(2 * dimension);
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::vector<MPI_Request> persistent_;
  MPI_Request collective_ = MPI_REQUEST_NULL;
};

/// f(x) = |x - c|^2 / 2: a gradient that costs next to nothing.
class Cheap final : public Loss {
 public:
  explicit Cheap(double centre) : centre_(centre) {}
  Index dimension() const override { return ::dimension; }
  double value(VectorRef x) const override { return (x.array() - centre_).square().sum() / 2; }
  void gradient(VectorRef x, VectorOut g) const override { g = x.array() - centre_; }
  Curvature curvature() const override { return {1, 0.5}; }

 private:
  double centre_;
};

/// The inner iterations of IDEAL on the ring, written out with bare messages: what a round costs at least.
class BareIdeal {
 public:
  BareIdeal(MPI_Comm comm, Index columns, double lambda_max, bool yielding)
      : ring_(comm), yielding_(yielding), rho_(1 / lambda_max), step_(0.5) {
    for (Block* block : {&X_, &Y_, &MX_, &MX_before_, &MY_, &Omega_, &G_}) block->setZero(dimension, columns);
  }

  void round() {
    if (yielding_)
      ring_.exchange_yielding(X_);
    else
      ring_.exchange(X_);
    G_ = Y_.array() - 1;
    const Block& other = ring_.received();
    const Block& X = X_;
    const Index last = X.cols() - 1;
    for (Index c = 0; c <= last; ++c)
      MX_.col(c) =
          2 * X.col(c) - (c > 0 ? X.col(c - 1) : other.col(0)) - (c < last ? X.col(c + 1) : other.col(1));
    MY_ = MX_ + 0.5 * (MX_ - MX_before_);
    MX_before_ = MX_;
    gradient_ = G_ + Omega_ + rho_ * MY_;
    X_next_ = Y_ - step_ * gradient_;
    Y_ = X_next_ + 0.5 * (X_next_ - X_);
    X_.swap(X_next_);
  }

 private:
  BareRing ring_;
  bool yielding_;
  double rho_, step_;
  Block X_, Y_, MX_, MX_before_, MY_, Omega_, G_, gradient_, X_next_;
};

struct Rounds {
  double exchange, bare_exchange, bare_exchange_yielding;
  double round, bare_round, bare_round_yielding;
};

/// A ring of `agents` over a team: our transport and IDEAL beside bare ones.
Rounds rounds_on(MPI_Comm comm, Index agents, int count, bool busy_waiting) {
  const auto cluster = mpi_cluster(comm);
  const Topology topology = Topology::parse(fmt::format("cycle:{}", agents), "laplacian");
  const auto transport = cluster->transport(topology.graph(), place(topology.graph(), cluster->size()));
  const Index columns = std::ssize(transport->hosted());
  const Block X = Block::Random(dimension, columns);
  BareRing ring(comm);
  Rounds times{};
  times.exchange = seconds_a_round(comm, count, [&] { transport->exchange(X); });
  times.bare_exchange_yielding = seconds_a_round(comm, count, [&] { ring.exchange_yielding(X); });
  times.bare_exchange = busy_waiting ? seconds_a_round(comm, count, [&] { ring.exchange(X); }) : 0;

  Problem problem{.losses = std::vector<std::shared_ptr<const Loss>>(agents),
                  .constants = {.L = 1, .mu = 0.5}};
  for (const Index i : transport->hosted()) problem.losses[i] = std::make_shared<Cheap>(1 + i);
  SolveOptions options;
  options.watch = {.computations = static_cast<double>(count), .every = 0};
  times.round = solve(problem, topology, method("ideal"), *transport, options).trace.back().seconds / count;
  double slowest = 0;
  MPI_Allreduce(&times.round, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  times.round = slowest;
  BareIdeal yielding(comm, columns, topology.spectrum().lambda_max, true);
  times.bare_round_yielding = seconds_a_round(comm, count, [&] { yielding.round(); });
  BareIdeal bare(comm, columns, topology.spectrum().lambda_max, false);
  times.bare_round = busy_waiting ? seconds_a_round(comm, count, [&] { bare.round(); }) : 0;
  return times;
}

/// Rounds of a ring of eight over the team, against the fastest bare version.
Json overhead(int ranks, int repetitions, int count, bool busy_waiting) {
  const Team team(ranks);
  std::vector<double> exchange, bare_exchange, exchange_ratio, round, bare_round, round_ratio;
  const auto best = [](double a, double b) { return b > 0 ? std::min(a, b) : a; };
  for (int k = 0; k < repetitions; ++k) {
    meet();
    if (!team.plays()) continue;
    const Rounds t = rounds_on(team.comm(), 8, count, busy_waiting);
    exchange.push_back(t.exchange);
    bare_exchange.push_back(best(t.bare_exchange_yielding, t.bare_exchange));
    exchange_ratio.push_back(exchange.back() / bare_exchange.back());
    round.push_back(t.round);
    bare_round.push_back(best(t.bare_round_yielding, t.bare_round));
    round_ratio.push_back(round.back() / bare_round.back());
  }
  if (!team.plays()) return {};
  return {{"ranks", ranks},
          {"exchange_us", 1e6 * median(exchange)},
          {"bare_exchange_us", 1e6 * median(bare_exchange)},
          {"exchange_ratio", median(exchange_ratio)},
          {"round_us", 1e6 * median(round)},
          {"bare_round_us", 1e6 * median(bare_round)},
          {"round_ratio", median(round_ratio)}};
}

Json ways(int ranks, int repetitions, int count) {
  const Team team(ranks);
  std::optional<Ways> all;
  if (team.plays()) all.emplace(team.comm());
  std::map<std::string, std::vector<double>> times;
  for (int k = 0; k < repetitions; ++k) {
    meet();
    if (!team.plays()) continue;
    const auto time = [&](const char* name, auto&& round) {
      times[name].push_back(seconds_a_round(team.comm(), count, round));
    };
    time("Isend/Irecv", [&] { all->point_to_point(); });
    time("persistent Send/Recv", [&] { all->persistent(); });
    time("Ineighbor_alltoallv", [&] { all->collective(); });
    if (all->has_persistent_collective())
      time("persistent Neighbor_alltoallv", [&] { all->persistent_collective(); });
  }
  Json table{{"ranks", ranks}};
  for (auto& [name, values] : times) table[name] = 1e6 * median(values);
  return table;
}

/// Logistic losses of the first agents, made by the ranks that host them.
std::vector<std::shared_ptr<const Loss>> logistic(std::span<const Index> hosted, Index rows) {
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const Index i : hosted) {
    auto data = std::make_shared<Dataset>(
        synthesize({.rows = rows, .columns = dimension, .seed = 7 + static_cast<std::uint64_t>(i)}));
    const Index cuts[] = {0, rows};
    losses.push_back(make_losses(data, cuts, LossKind::logistic, 1e-3).front());
  }
  return losses;
}

/// Seconds of a gradient, or of a round, of `agents` agents with `rows` rows each, on a team.
class Worker {
 public:
  Worker(int ranks, Index agents, Index rows) : team_(ranks), agents_(agents) {
    if (!team_.plays()) return;
    cluster_ = mpi_cluster(team_.comm());
    topology_.emplace(Topology::parse(fmt::format("cycle:{}", agents), "laplacian"));
    transport_ = cluster_->transport(topology_->graph(), place(topology_->graph(), ranks));
    hosted_ = {transport_->hosted().begin(), transport_->hosted().end()};
    losses_ = logistic(hosted_, rows);
  }

  /// 0 on ranks that do not play.
  double gradient(int count) {
    meet();
    if (!team_.plays()) return 0;
    Meter meter;
    Threads threads;
    Objective F(losses_, hosted_, {.L = 1, .mu = 0.1}, 0, meter, threads);
    const Block X = Block::Constant(dimension, std::ssize(hosted_), 1e-3);
    return seconds_a_round(team_.comm(), count, [&] { F.gradient(X); });
  }

  /// The same bytes, only read: what the memory allows.
  double read(int count, const std::vector<Vector>& bytes) {
    meet();
    if (!team_.plays()) return 0;
    return seconds_a_round(team_.comm(), count, [&] {
      for (std::size_t c = 0; c < hosted_.size(); ++c) sink_ = sink_ + bytes[c].sum();
    });
  }

  double round(int count) {
    meet();
    if (!team_.plays()) return 0;
    Problem problem{.losses = std::vector<std::shared_ptr<const Loss>>(agents_),
                    .constants = {.L = 1, .mu = 0.1}};
    for (std::size_t c = 0; c < hosted_.size(); ++c) problem.losses[hosted_[c]] = losses_[c];
    SolveOptions options;
    options.watch = {.computations = static_cast<double>(count), .every = 0};
    double mine =
        solve(problem, *topology_, method("ideal"), *transport_, options).trace.back().seconds / count;
    double slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, team_.comm());
    return slowest;
  }

 private:
  Team team_;
  Index agents_;
  std::unique_ptr<Cluster> cluster_;
  std::optional<Topology> topology_;
  std::unique_ptr<Transport> transport_;
  std::vector<Index> hosted_;
  std::vector<std::shared_ptr<const Loss>> losses_;
  double volatile sink_ = 0;
};

/// One rank against two, the same work: from memory and from the cache.
Json strong_scaling(Index rows_an_agent, int count, int repetitions) {
  Worker one(1, 8, rows_an_agent), two(2, 8, rows_an_agent);
  const std::vector<Vector> bytes(8, Vector::Constant(rows_an_agent * dimension, 1e-3));
  std::vector<double> alone, together, ratio, limit;
  for (int k = 0; k < repetitions; ++k) {
    alone.push_back(one.gradient(count));
    together.push_back(two.gradient(count));
    ratio.push_back(alone.back() / together.back());
    const double read_alone = one.read(count, bytes);
    limit.push_back(read_alone / two.read(count, bytes));
  }
  return {{"rows", 8 * rows_an_agent},
          {"megabytes", static_cast<double>(8 * rows_an_agent * dimension) * 8e-6},
          {"one_rank_ms", 1e3 * median(alone)},
          {"two_ranks_ms", 1e3 * median(together)},
          {"speed_up", median(ratio)},
          {"reading_speed_up", median(limit)}};
}

/// The same work a rank on more and more ranks.
Json weak_scaling(int most, int repetitions) {
  constexpr Index agents_a_rank = 4, rows = 200;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<int> sizes;
  for (int ranks = 1; ranks <= most; ranks *= 2) {
    sizes.push_back(ranks);
    workers.push_back(std::make_unique<Worker>(ranks, std::max<Index>(3, agents_a_rank * ranks), rows));
  }
  std::vector<std::vector<double>> times(workers.size());
  for (int k = 0; k < repetitions; ++k)
    for (std::size_t w = 0; w < workers.size(); ++w) times[w].push_back(workers[w]->round(20));
  Json table = Json::array();
  for (std::size_t w = 0; w < workers.size(); ++w)
    table.push_back({{"ranks", sizes[w]},
                     {"agents", agents_a_rank * sizes[w]},
                     {"round_us", 1e6 * median(times[w])},
                     {"a_rank_and_core_us", 1e6 * median(times[w]) /
                                                std::max(1.0, static_cast<double>(sizes[w]) /
                                                                  std::thread::hardware_concurrency())}});
  return table;
}

void print(const Json& results) {
  fmt::print("ring of 8 agents, {} numbers an edge, us\n", dimension);
  fmt::print("{:>6} {:>10} {:>8} {:>7} {:>12} {:>8} {:>7}\n", "ranks", "exchange", "bare", "ratio",
             "IDEAL round", "bare", "ratio");
  for (const Json& r : results["overhead"])
    fmt::print("{:>6} {:>10.2f} {:>8.2f} {:>7.3f} {:>12.2f} {:>8.2f} {:>7.3f}\n", r["ranks"].get<int>(),
               r["exchange_us"].get<double>(), r["bare_exchange_us"].get<double>(),
               r["exchange_ratio"].get<double>(), r["round_us"].get<double>(),
               r["bare_round_us"].get<double>(), r["round_ratio"].get<double>());
  fmt::print("\nways to exchange these messages, us\n");
  for (const Json& r : results["ways"])
    for (const auto& [name, value] : r.items())
      if (name != "ranks")
        fmt::print("{:>6} {:<32} {:.2f}\n", r["ranks"].get<int>(), name, value.get<double>());
  fmt::print("\ngradients of 8 agents on one and two ranks, ms\n");
  for (const Json& r : results["strong_scaling"])
    fmt::print("{:>6} rows, {:>5.1f} MB: {:.3f} / {:.3f} = {:.2f}; reading the same bytes {:.2f}\n",
               r["rows"].get<int>(), r["megabytes"].get<double>(), r["one_rank_ms"].get<double>(),
               r["two_ranks_ms"].get<double>(), r["speed_up"].get<double>(),
               r["reading_speed_up"].get<double>());
  fmt::print("\nIDEAL round, 4 agents of 200 rows a rank, us\n");
  for (const Json& r : results["weak_scaling"])
    fmt::print("{:>6} ranks: {:.1f}; a rank on a core of its own {:.1f}\n", r["ranks"].get<int>(),
               r["round_us"].get<double>(), r["a_rank_and_core_us"].get<double>());
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("OMPI_MCA_btl_vader_eager_limit", "32768", 0);  // as the program does
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::string version(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  version.resize(std::min(version.find_first_of("\n,"), static_cast<std::size_t>(length)));

  const Index cores = std::thread::hardware_concurrency();
  Json results{{"mpi", version}, {"cores", cores}, {"overhead", Json::array()}};
  for (int ranks : {2, 8})
    if (ranks <= size)
      results["overhead"].push_back(overhead(ranks, 15, ranks <= cores ? 2000 : 300, ranks <= cores));
  results["ways"] = Json::array();
  for (int ranks : {2, 8})
    if (ranks <= size) results["ways"].push_back(ways(ranks, 15, ranks <= cores ? 2000 : 300));
  results["strong_scaling"] = Json::array();
  if (size >= 2) {
    results["strong_scaling"].push_back(strong_scaling(1500, 5, 15));
    results["strong_scaling"].push_back(strong_scaling(100, 80, 15));
    results["strong_scaling"].push_back(strong_scaling(20, 400, 15));
  }
  results["weak_scaling"] = weak_scaling(size, 9);
  if (rank == 0) {
    if (argc > 1 && std::strcmp(argv[1], "--json") == 0)
      fmt::print("{}\n", results.dump(2));
    else
      print(results);
  }
  meet();
  MPI_Finalize();
}
