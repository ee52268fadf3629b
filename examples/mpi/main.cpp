// SPDX-License-Identifier: Apache-2.0
// A solver inside somebody else's MPI job: the program has initialised MPI and gives half of its ranks to us.
// Each of them makes the losses of its own agents; nobody else ever sees their data.
#include <ideal/ideal.hpp>
#include <ideal/mpi.hpp>

#include <cmath>
#include <cstdio>

namespace {

/// Agent i's private parabola (i+1)/2 |x - 10(i+1)|^2.
class Parabola final : public ideal::Loss {
 public:
  explicit Parabola(ideal::Index agent) : a_(static_cast<double>(agent + 1)), c_(10 * a_) {}
  ideal::Index dimension() const override { return 1; }
  double value(ideal::VectorRef x) const override { return a_ / 2 * (x[0] - c_) * (x[0] - c_); }
  void gradient(ideal::VectorRef x, ideal::VectorOut g) const override { g[0] = a_ * (x[0] - c_); }
  ideal::Curvature curvature() const override { return {a_, a_}; }

 private:
  double a_, c_;
};

/// Collective over `communicator`.
double minimiser(MPI_Comm communicator) {
  const auto cluster = ideal::mpi_cluster(communicator);
  const auto topology = ideal::Topology::parse("cycle:8", "metropolis");
  const auto host_of = ideal::place(topology.graph(), cluster->size());
  const auto transport = cluster->transport(topology.graph(), host_of);

  ideal::Problem problem;
  problem.losses.resize(8);
  std::vector<std::shared_ptr<const ideal::Loss>> mine;
  for (const ideal::Index agent : transport->hosted()) {
    problem.losses[agent] = std::make_shared<Parabola>(agent);
    mine.push_back(problem.losses[agent]);
  }
  ideal::Threads threads;
  problem.constants = ideal::constants_of(mine, {}, {}, *transport, threads);

  ideal::SolveOptions options;
  options.watch = {.computations = 400, .every = 0};  // no optimum is known to compare with: a budget
  return ideal::solve(problem, topology, ideal::method("mideal"), *transport, options).X(0, 0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool ours = rank % 2 == 0;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, ours ? 0 : MPI_UNDEFINED, rank, &half);

  int wrong = 0;
  if (ours) {
    const double x = minimiser(half);
    const double expected = 10.0 * 204 / 36;  // sum (i+1) 10 (i+1) / sum (i+1)
    wrong = std::abs(x - expected) < 1e-6 ? 0 : 1;
    if (rank == 0) std::printf("%.9g, expected %.9g\n", x, expected);
    MPI_Comm_free(&half);
  }
  int any = 0;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
