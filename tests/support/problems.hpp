// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/solve.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ideal::test {

struct Shape {
  LossKind loss = LossKind::logistic;
  Index rows = 240;
  Index columns = 7;  // odd on purpose: columns of a Block then start at every alignment
  int classes = 2;    // softmax only
  double kappa = 50;
  double density = 1;
  std::string partition = "by-label";  // heterogeneous
  std::uint64_t seed = 1;
};

/// The data of a problem and the cuts between its agents.
std::shared_ptr<const Dataset> make_data(const Shape& shape, Index agents, std::vector<Index>& offsets);

/// A seeded problem whose condition number L / mu is shape.kappa, with its optimum.
Problem make_problem(const Shape& shape, Index agents);

Vector gradient(const Loss& loss, const Vector& x);
/// Every agent's, at its column of X.
Block gradient(const Problem& problem, const Block& X);

/// All zeros.
Block start_of(const Problem& problem, const Topology& topology);

/// Runs to a number of computations without stopping early.
Result run_for(const Problem& problem, const Topology& topology, const Method& method, double computations,
               Index every = 1);

/// Runs until the method has certified this gap.
Result certified_run(const Problem& problem, const Topology& topology, const Method& m, double tol);

/// As a setting is written; the same number when it is read.
std::string text(double number);

/// A registered method with settings.
Method with(std::string_view name,
            std::initializer_list<std::pair<std::string_view, std::string_view>> settings);

/// A batch that is the whole.
inline constexpr const char* everything = "1000000";

/// A registered method that reports its divergence instead of going back.
Method unguarded(std::string_view name);

std::vector<std::string> method_names();

/// A method's name as a test's name.
inline const auto readable = [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
};

inline const std::array<std::string, 5> five_graphs{"cycle:8", "barbell:8", "grid:3x3", "star:6",
                                                    "complete:5"};

/// A graph and what its edges weigh.
struct Weighted {
  const char* graph;
  const char* mixing;
};
inline constexpr Weighted three_networks[] = {
    {"barbell:8", "laplacian"}, {"cycle:7", "metropolis"}, {"star:5", "max-degree"}};

}  // namespace ideal::test
