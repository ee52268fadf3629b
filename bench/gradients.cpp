// SPDX-License-Identifier: Apache-2.0
#include "blas.hpp"
#include "groups.hpp"
#include "limits.hpp"
#include "problems.hpp"
#include "race.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

namespace bench {

namespace {

using namespace ideal;

constexpr Index sharers = 8;  // agents who have the rows among them equally; threads go by agents
constexpr int classes = 10;

struct Goals {
  double of_bandwidth, over_peer;
};

std::string shape(const Dataset& data) { return fmt::format("{} x {}", data.rows(), data.columns()); }

/// Useful operations of a gradient: a multiplication and an addition for each value in each of two products.
double operations(const Dataset& data) { return 4.0 * static_cast<double>(data.rows() * data.columns()); }

/// All agents are at the same point and have as many rows, so their mean is the gradient of all rows.
Vector mean(const Block& gradients) { return gradients.rowwise().mean(); }

void enter_peak(Race& race, Threads& team) {
  const double flops = multiply_add(team);
  race.enter("peak", per_unit(flops, timed(team.count(), [&team] { multiply_add(team); })));
}

/// For one and two threads; none: measured for information.
using GoalsByThreads = std::array<std::optional<Goals>, 2>;

/// Every gradient, reading and product takes the next of the data sets, which have one shape.
void logistic_in_turn(Report& report, const std::string& item,
                      const std::vector<std::shared_ptr<const Dataset>>& sets, const GoalsByThreads& goals) {
  std::vector<Problem> problems;
  for (const auto& data : sets) problems.push_back(shared_by(sharers, data));
  BlasLogistic blas(sets[0]->rows(), sets[0]->columns());
  std::size_t turn = 0;
  const auto next = [&] { return ++turn % sets.size(); };
  for (const int threads : {1, 2}) {
    Gradients gradients(problems, threads);
    use_blas_threads(threads);
    for (std::size_t k = 0; k < sets.size(); ++k) require_same(mean(gradients(k)), blas(*sets[k]));
    Race race;
    race.enter("ideal", timed(threads, [&] { gradients(next()); }));
    race.enter("read", timed(threads, [&] { read_once(gradients.team(), values_of(*sets[next()])); }));
    race.enter("OpenBLAS", timed(threads, [&] { blas(*sets[next()]); }), threads > 1);
    race.run();
    const auto& goal = goals[static_cast<std::size_t>(threads - 1)];
    const auto wanted = [&](double Goals::*which) {
      return goal ? std::optional(at_least((*goal).*which)) : std::nullopt;
    };
    report.add(
        {item, threads, race.speed("ideal", "read"), "of the read bandwidth", wanted(&Goals::of_bandwidth)});
    report.add({item, threads, race.speed("ideal", "OpenBLAS"), "x OpenBLAS in two passes",
                wanted(&Goals::over_peer)});
  }
}

/// As many data sets in turn as are several times what caches hold; if that are more than one, also one of
/// them again and again, of which caches keep what they can.
void from_memory(Report& report, Index rows, Index columns, const GoalsByThreads& goals) {
  constexpr Index beyond_caches = 150'000'000;
  const Index bytes = rows * columns * static_cast<Index>(sizeof(double));
  std::vector<std::shared_ptr<const Dataset>> sets;
  for (Index sum = 0; sum < beyond_caches; sum += bytes)
    sets.push_back(random_rows(rows, columns, Values::doubles, 2, sets.size() + 1));
  const std::string item = "logistic, float64, " + shape(*sets[0]);
  logistic_in_turn(report, item, sets, goals);
  if (sets.size() > 1) logistic_in_turn(report, item + ", again and again", {sets[0]}, {});
}

/// Values that are floats are kept as floats: half the bytes of doubles.
void from_memory_as_floats(Report& report, Index rows, Index columns) {
  const auto floats = random_rows(rows, columns, Values::floats), doubles = random_rows(rows, columns);
  const Problem problem = shared_by(sharers, floats), wide = shared_by(sharers, doubles);
  for (const int threads : {1, 2}) {
    Gradients gradients(problem, threads), wide_gradients(wide, threads);
    const auto half_the_bytes = values_of(*floats).first(values_of(*floats).size() / 2);
    Race race;
    race.enter("floats", timed(threads, [&] { gradients(); }));
    race.enter("read", timed(threads, [&] { read_once(gradients.team(), half_the_bytes); }));
    race.enter("doubles", timed(threads, [&] { wide_gradients(); }));
    race.run();
    const std::string item = "logistic, float32, " + shape(*floats);
    report.add({item, threads, race.speed("floats", "read"), "of the read bandwidth", at_least(0.70)});
    report.add({item, threads, race.speed("floats", "doubles"), "x our float64", at_least(1.6)});
  }
}

void in_cache(Report& report, const std::string& cache, Index rows, Index columns, double goal) {
  const auto data = random_rows(rows, columns);
  const Problem problem = shared_by(1, data);
  Gradients gradients(problem, 1);
  constexpr Index steps = 40'000;  // as long as a slice of gradients
  const double flops = multiply_add(gradients.team(), steps);
  const auto [of_peak, share] = compare_undisturbed({operations(*data), [&] { gradients(); }},
                                                    {flops, [&] { multiply_add(gradients.team(), steps); }});
  const auto values = values_of(*data);
  const double of_reading =
      compare_undisturbed({1, [&] { gradients(); }}, {1, [&] { read_once(gradients.team(), values); }}).speed;
  const std::string item = fmt::format("logistic, {}, in {}", shape(*data), cache);
  report.add({item, 1, of_peak, "of the multiply-add peak", at_least(goal)});
  report.add({item, 1, of_reading, "of reading these rows from there"});
  report.add({item, 1, share, "of the slices seemed undisturbed"});
}

void softmax(Report& report) {
  const auto data = random_rows(10000, 784, Values::doubles, classes);
  const Problem problem = shared_by(sharers, data, LossKind::softmax, classes);
  BlasSoftmax blas(*data, classes);
  for (const int threads : {1, 2}) {
    Gradients gradients(problem, threads);
    use_blas_threads(threads);
    require_same(mean(gradients()), blas().reshaped<Eigen::RowMajor>());
    const double flops = classes * operations(*data);
    Race race;
    race.enter("ideal", per_unit(flops, timed(threads, [&] { gradients(); })));
    race.enter("OpenBLAS", per_unit(flops, timed(threads, [&] { blas(); })), threads > 1);
    enter_peak(race, gradients.team());
    race.run();
    const std::string item = fmt::format("softmax, {} classes, {}", classes, shape(*data));
    report.add({item, threads, race.speed("ideal", "OpenBLAS"), "x two GEMMs of OpenBLAS", at_least(1.8)});
    report.add({item, threads, race.speed("ideal", "peak"), "of the multiply-add peak", at_least(0.45)});
  }
}

void sparse(Report& report) {
  const auto data =
      std::make_shared<const Dataset>(synthesize({.rows = 50000, .columns = 20000, .density = 50.0 / 20000}));
  const Problem problem = shared_by(1, data);
  const auto& A = std::get<SparseRows>(data->features);
  const Vector x = Vector::Constant(A.cols(), Gradients::start);
  Vector z(A.rows()), g(A.cols());
  const auto two_products = [&] {
    z.noalias() = A * x;
    logistic_slopes(z, data->labels);
    g = l2 * x;
    g.noalias() += A.transpose() * z;
  };
  for (const int threads : {1, 2}) {
    Gradients gradients(problem, threads);
    two_products();
    require_same(mean(gradients()), g);
    Race race;
    race.enter("ideal", timed(threads, [&] { gradients(); }));
    race.enter("Eigen", timed(threads, two_products));
    race.run();
    report.add({fmt::format("logistic, sparse, {}, 50 a row", shape(*data)), threads,
                race.speed("ideal", "Eigen"), "x Eigen in two products, 1 thread",
                at_least(threads == 1 ? 1.15 : 1.6)});
  }
}

}  // namespace

void measure_gradients(Report& report) {
  report.begin("Gradients");
  report.note("OpenBLAS", blas_name());
  from_memory(report, 10000, 784, {Goals{0.83, 1.8}, Goals{0.90, 2.0}});
  from_memory(report, 60000, 784, {Goals{0.83, 1.8}, Goals{0.90, 2.0}});
  from_memory(report, 100000, 50, {Goals{0.72, 2.3}, Goals{0.85, 3.2}});
  from_memory_as_floats(report, 60000, 784);
  in_cache(report, "L2", 336, 100, 0.45);
  in_cache(report, "L2", 42, 784, 0.45);
  in_cache(report, "L3", 8000, 100, 0.40);
  in_cache(report, "L3", 1000, 784, 0.40);
  softmax(report);
  sparse(report);
}

}  // namespace bench
