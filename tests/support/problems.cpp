// SPDX-License-Identifier: Apache-2.0
#include "support/problems.hpp"

#include <fmt/format.h>

namespace ideal::test {

std::shared_ptr<const Dataset> make_data(const Shape& shape, Index agents, std::vector<Index>& offsets) {
  Dataset data = synthesize({.rows = shape.rows,
                             .columns = shape.columns,
                             .classes = is_regression(shape.loss)         ? 0
                                        : shape.loss == LossKind::softmax ? shape.classes
                                                                          : 2,
                             .decay = 4,
                             .noise = 0.1,
                             .density = shape.density,
                             .seed = shape.seed});
  prepare_labels(data, shape.loss);
  offsets = partition(data, shape.partition, agents, shape.seed);
  return std::make_shared<const Dataset>(std::move(data));
}

Problem make_problem(const Shape& shape, Index agents) {
  std::vector<Index> offsets;
  const auto data = make_data(shape, agents, offsets);
  const int classes = shape.loss == LossKind::softmax ? shape.classes : 2;
  Threads threads;
  const double l2 = l2_for_kappa(shape.kappa, make_losses(data, offsets, shape.loss, 0, classes),
                                 *in_process(agents), threads);
  Problem problem{
      .losses = make_losses(data, offsets, shape.loss, l2, classes), .constants = {}, .reference = {}};
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  problem.reference = solve_reference(problem.losses, threads);
  return problem;
}

Vector gradient(const Loss& loss, const Vector& x) {
  Vector g(loss.dimension());
  loss.gradient(x, g);
  return g;
}

Block gradient(const Problem& problem, const Block& X) {
  Block G(X.rows(), X.cols());
  for (Index i = 0; i < X.cols(); ++i)
    problem.losses[static_cast<std::size_t>(i)]->gradient(X.col(i), G.col(i));
  return G;
}

Block start_of(const Problem& problem, const Topology& topology) {
  return Block::Zero(problem.losses[0]->dimension(), topology.agents());
}

Result run_for(const Problem& problem, const Topology& topology, const Method& method, double computations,
               Index every) {
  SolveOptions options;
  options.watch = {.computations = computations, .every = every};
  return simulate(problem, topology, method, options);
}

Result certified_run(const Problem& problem, const Topology& topology, const Method& m, double tol) {
  SolveOptions options;
  options.watch = {.tol = tol, .certified = true, .computations = 20000, .every = 0};
  return simulate(problem, topology, m, options);
}

Method with(std::string_view name,
            std::initializer_list<std::pair<std::string_view, std::string_view>> settings) {
  Method chosen = method(name);
  for (const auto& [key, value] : settings) chosen.set(key, value);
  return chosen;
}

Method unguarded(std::string_view name) {
  Method chosen = method(name);
  if (std::ranges::any_of(chosen.parameters(), [](const Parameter& p) { return p.key == "guard"; }))
    chosen.set("guard", "false");
  return chosen;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& m : methods()) names.push_back(m.about().name);
  return names;
}

std::string text(double number) { return fmt::format("{}", number); }

}  // namespace ideal::test
