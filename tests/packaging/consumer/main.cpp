// SPDX-License-Identifier: Apache-2.0
// Four agents, each with a private quadratic, agree on the minimiser of the sum: a loss of one's own in
// fifteen lines.
#include <ideal/ideal.hpp>

#include <iostream>

class Parabola final : public ideal::Loss {
 public:
  Parabola(double curvature, double centre) : a_(curvature), c_(centre) {}
  ideal::Index dimension() const override { return 1; }
  double value(ideal::VectorRef x) const override { return a_ / 2 * (x[0] - c_) * (x[0] - c_); }
  void gradient(ideal::VectorRef x, ideal::VectorOut g) const override { g[0] = a_ * (x[0] - c_); }
  ideal::Curvature curvature() const override { return {a_, a_}; }

 private:
  double a_, c_;
};

int main() {
  ideal::Problem problem;
  for (int i = 1; i <= 4; ++i) problem.losses.push_back(std::make_shared<Parabola>(i, 10.0 * i));
  ideal::Threads threads;
  problem.constants = ideal::constants_of(problem.losses, {}, {}, threads);
  problem.reference = ideal::solve_reference(problem.losses, threads);

  ideal::SolveOptions options;
  options.watch = {.tol = 1e-12, .computations = 1000};
  const auto topology = ideal::Topology::parse("cycle:4", "metropolis");
  const ideal::Result result = ideal::simulate(problem, topology, ideal::method("ideal"), options);
  std::cout << result.X << '\n';
  const double minimiser = (1 * 10 + 2 * 20 + 3 * 30 + 4 * 40) / 10.0;
  return (result.X.array() - minimiser).abs().maxCoeff() < 1e-5 ? 0 : 1;
}
