// SPDX-License-Identifier: Apache-2.0
// Every kernel, for every instruction set of this CPU, against sums in extended precision.
#include "loss/kernels.hpp"

#include <ideal/cpu.hpp>
#include <ideal/error.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

using Wide = long double;
constexpr double eps = std::numeric_limits<double>::epsilon();

class EveryCpu : public testing::TestWithParam<std::string> {
 protected:
  EveryCpu() { use_cpu_target(GetParam()); }
  ~EveryCpu() override { use_cpu_target("auto"); }
};

/// Numbers that are floats, too, and among them some that are hard on sums.
std::vector<double> numbers(Index count, std::uint64_t stream) {
  Random random(7, stream);
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& value : out) {
    value = static_cast<double>(static_cast<float>(random.normal()));
    if (random.below(10) == 0) value *= 1024;
    if (random.below(10) == 0) value = 0;
  }
  return out;
}

std::vector<float> as_floats(const std::vector<double>& in) { return {in.begin(), in.end()}; }

const std::vector<Index> row_counts{1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 65, 150, 257, 530};
// Rows of fewer than 8 KB in all are no streams; others are four, of one row each from 768 doubles on, or
// from 3072 where all of them is asked for, and of 64 where rows are shortest.
const std::vector<Index> widths{8,  9,  10, 11,  12,  13,  14,  15,  16,  17,  24,
                                50, 63, 64, 100, 127, 128, 257, 500, 512, 783, 1100};
const std::vector<std::pair<Index, Index>> long_rows{{13, 3079}, {9, 6144}};

const auto halved = [](Index, Index count, double* z) {
  for (Index j = 0; j < count; ++j) z[j] *= 0.5;
};

using kernel::Place;
using kernel::Reading;
using kernel::readings;

/// As agents have them, and with zeros between rows.
struct RandomRows {
  RandomRows(Index rows, Index columns)
      : m(rows),
        d(columns),
        A(numbers(m * d, 1)),
        apart_A(static_cast<std::size_t>(m * apart()), std::nan("")),
        x(numbers(d, 2)),
        r(numbers(m, 3)) {
    for (Index j = 0; j < m; ++j) std::copy_n(A.begin() + j * d, d, apart_A.begin() + j * apart());
    floats = as_floats(A);
    apart_floats = as_floats(apart_A);
  }
  [[nodiscard]] kernel::Rows<double> rows(Reading reading = Reading::tiles,
                                          Place place = Place::own_cache) const {
    return {A.data(), m, d, place, reading};
  }
  [[nodiscard]] kernel::Rows<float> narrow(Reading reading = Reading::tiles,
                                           Place place = Place::own_cache) const {
    return {floats.data(), m, d, place, reading};
  }
  [[nodiscard]] kernel::Rows<double> rows_apart(Reading reading = Reading::tiles,
                                                Place place = Place::own_cache) const {
    return {apart_A.data(), m, d, place, reading, apart()};
  }
  [[nodiscard]] kernel::Rows<float> narrow_apart(Reading reading = Reading::tiles) const {
    return {apart_floats.data(), m, d, Place::own_cache, reading, apart()};
  }
  [[nodiscard]] double a(Index j, Index k) const { return A[static_cast<std::size_t>(j * d + k)]; }
  [[nodiscard]] Index apart() const { return d + 5; }

  Index m, d;
  std::vector<double> A, apart_A;
  std::vector<float> floats, apart_floats;
  std::vector<double> x, r;
};

template <class Test>
void for_all_shapes(Test test) {
  for (const Index m : row_counts)
    for (const Index d : widths) {
      SCOPED_TRACE(testing::Message() << m << " x " << d);
      test(RandomRows(m, d));
    }
  for (const auto& [m, d] : long_rows) {
    SCOPED_TRACE(testing::Message() << m << " x " << d);
    test(RandomRows(m, d));
  }
}

TEST_P(EveryCpu, MultipliesRows) {
  for_all_shapes([](const RandomRows& c) {
    std::vector<double> z(static_cast<std::size_t>(c.m)), narrow = z;
    kernel::multiply(c.rows(), c.x.data(), z.data());
    kernel::multiply(c.narrow(), c.x.data(), narrow.data());
    EXPECT_EQ(z, narrow);
    for (const Place place : {Place::own_cache, Place::memory}) {
      std::vector<double> again(z.size(), std::nan("")), narrow_again = again, apart = again;
      kernel::multiply(c.rows(Reading::tiles, place), c.x.data(), again.data());
      kernel::multiply(c.narrow(Reading::tiles, place), c.x.data(), narrow_again.data());
      kernel::multiply(c.rows_apart(Reading::tiles, place), c.x.data(), apart.data());
      EXPECT_EQ(z, again);
      EXPECT_EQ(z, narrow_again);
      EXPECT_EQ(z, apart);
    }
    for (Index j = 0; j < c.m; ++j) {
      Wide sum = 0, size = 0;
      for (Index k = 0; k < c.d; ++k) {
        sum += Wide(c.a(j, k)) * c.x[k];
        size += std::abs(Wide(c.a(j, k)) * c.x[k]);
      }
      EXPECT_LE(std::abs(z[j] - sum), eps * (static_cast<double>(c.d) / 8 + 5) * size);
    }
  });
}

TEST_P(EveryCpu, AddsMultiplesOfRows) {
  for_all_shapes([](const RandomRows& c) {
    const auto start = numbers(c.d, 4);
    auto g = start, narrow = start, apart = start;
    kernel::add_multiples(c.rows(), c.r.data(), g.data());
    kernel::add_multiples(c.narrow(), c.r.data(), narrow.data());
    kernel::add_multiples(c.rows_apart(), c.r.data(), apart.data());
    EXPECT_EQ(g, narrow);
    EXPECT_EQ(g, apart);
    for (Index k = 0; k < c.d; ++k) {
      Wide sum = start[k], size = std::abs(sum);
      for (Index j = 0; j < c.m; ++j) {
        sum += Wide(c.a(j, k)) * c.r[j];
        size += std::abs(Wide(c.a(j, k)) * c.r[j]);
      }
      EXPECT_LE(std::abs(g[k] - sum), eps * static_cast<double>(c.m + 1) * size);
    }
  });
}

TEST_P(EveryCpu, PassesOnceWithTheBitsOfTwoSteps) {
  for_all_shapes([](const RandomRows& c) {
    const auto start = numbers(c.d, 4);
    std::vector<double> z(static_cast<std::size_t>(c.m));
    auto two_steps = start;
    kernel::multiply(c.rows(), c.x.data(), z.data());
    halved(0, c.m, z.data());
    kernel::add_multiples(c.rows(), z.data(), two_steps.data());
    for (const Reading reading : readings) {
      auto g = start, narrow = start, in_parts = start, apart = start, narrow_apart = start;
      kernel::pass(c.rows(reading), c.x.data(), g.data(), halved);
      kernel::pass(c.narrow(reading), c.x.data(), narrow.data(), halved);
      const Index cut = c.m / 3;
      kernel::pass(c.rows(reading).some(0, cut), c.x.data(), in_parts.data(), halved);
      kernel::pass(c.rows(reading).some(cut, c.m - cut), c.x.data(), in_parts.data(), halved);
      kernel::pass(c.rows_apart(reading), c.x.data(), apart.data(), halved);
      kernel::pass(c.narrow_apart(reading), c.x.data(), narrow_apart.data(), halved);
      EXPECT_EQ(g, two_steps);
      EXPECT_EQ(narrow, two_steps);
      EXPECT_EQ(in_parts, two_steps);
      EXPECT_EQ(apart, two_steps);
      EXPECT_EQ(narrow_apart, two_steps);
    }
  });
}

TEST_P(EveryCpu, KnowsTheSlopesOfTheLogisticLossByName) {
  for_all_shapes([](const RandomRows& c) {
    constexpr Index before = 2;  // rows that another pass has taken
    std::vector<double> labels(static_cast<std::size_t>(before + c.m));
    for (std::size_t j = 0; j < labels.size(); ++j) labels[j] = j % 3 == 0 ? 1 : -1;
    const double scale = 1 / static_cast<double>(c.m);
    const auto called = [&](Index first, Index count, double* z) {
      kernel::logistic_slopes(z, labels.data() + first, count, scale);
    };
    const kernel::Residual by_name = kernel::LogisticSlopes{labels.data(), scale}, by_call = called;
    std::vector<double> z(static_cast<std::size_t>(c.m)), expected(static_cast<std::size_t>(c.d), 0);
    kernel::multiply(c.rows(), c.x.data(), z.data());
    called(before, c.m, z.data());
    kernel::add_multiples(c.rows(), z.data(), expected.data());
    for (const Reading reading : readings) {
      std::vector<double> g(expected.size(), 0), called_g = g, narrow = g;
      kernel::pass(c.rows(reading), c.x.data(), called_g.data(), by_call.from(before));
      kernel::pass(c.rows(reading), c.x.data(), g.data(), by_name.from(before));
      kernel::pass(c.narrow(reading), c.x.data(), narrow.data(), by_name.from(before));
      EXPECT_EQ(called_g, expected);
      EXPECT_EQ(g, expected);
      EXPECT_EQ(narrow, expected);
    }
  });
}

/// Rows with none to 40 entries, in a few columns of many or in nearly all of few.
struct RandomEntries {
  RandomEntries(Index rows, Index columns) : d(columns), x(numbers(d, 2)), r(numbers(rows, 3)) {
    Random random(7, static_cast<std::uint64_t>(rows * 10000 + columns));
    for (Index j = 0; j < rows; ++j) {
      const auto wanted = static_cast<Index>(random.below(41));
      for (Index k = static_cast<Index>(random.below(3)); k < d && std::ssize(cols) - offsets.back() < wanted;
           k += 1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(1 + d / 40))))
        cols.push_back(static_cast<int>(k));
      offsets.push_back(static_cast<int>(cols.size()));
    }
    values = numbers(std::ssize(cols), 4);
  }
  [[nodiscard]] kernel::SparseView rows() const {
    return {offsets.data(), cols.data(), values.data(), std::ssize(offsets) - 1};
  }

  Index d;
  std::vector<double> x, r;
  std::vector<int> offsets{0}, cols;
  std::vector<double> values;
};

const std::vector<std::pair<Index, Index>> sparse_shapes{{1, 1},   {1, 9},     {3, 40},
                                                         {60, 45}, {70, 1000}, {200, 5000}};

TEST_P(EveryCpu, MultipliesSparseRows) {
  for (const auto& [m, d] : sparse_shapes) {
    SCOPED_TRACE(testing::Message() << m << " x " << d);
    const RandomEntries c(m, d);
    const auto A = c.rows();
    std::vector<double> z(static_cast<std::size_t>(m), -1);
    kernel::multiply(A, c.x.data(), z.data());
    for (Index j = 0; j < m; ++j) {
      const auto row = A.row(j);
      Wide sum = 0, size = 0;
      for (Index e = 0; e < row.count; ++e) {
        const Wide term = Wide(row.values[e]) * c.x[static_cast<std::size_t>(row.columns[e])];
        sum += term;
        size += std::abs(term);
      }
      EXPECT_NEAR(z[static_cast<std::size_t>(j)], static_cast<double>(sum),
                  static_cast<double>(4 * eps * size));
    }
  }
}

TEST_P(EveryCpu, AddsMultiplesOfSparseRows) {
  for (const auto& [m, d] : sparse_shapes) {
    SCOPED_TRACE(testing::Message() << m << " x " << d);
    const RandomEntries c(m, d);
    const auto A = c.rows();
    std::vector<double> g = c.x;
    std::vector<Wide> sum(c.x.begin(), c.x.end()), size(c.x.size(), 0);
    kernel::add_multiples(A, c.r.data(), g.data());
    for (Index j = 0; j < m; ++j) {
      const auto row = A.row(j);
      for (Index e = 0; e < row.count; ++e) {
        const auto k = static_cast<std::size_t>(row.columns[e]);
        const Wide term = Wide(row.values[e]) * c.r[static_cast<std::size_t>(j)];
        sum[k] += term;
        size[k] += std::abs(term) + std::abs(sum[k]);
      }
    }
    for (std::size_t k = 0; k < g.size(); ++k)
      EXPECT_NEAR(g[k], static_cast<double>(sum[k]), static_cast<double>(eps * size[k]));
  }
}

TEST_P(EveryCpu, SomeSparseRowsHaveTheBitsOfAll) {
  const RandomEntries c(60, 45);
  const auto A = c.rows();
  std::vector<double> all(60), one(60), g(45, 0), h(45, 0);
  kernel::multiply(A, c.x.data(), all.data());
  kernel::add_multiples(A, c.r.data(), g.data());
  for (Index j = 0; j < 60; ++j) {
    kernel::multiply(A.some(j, 1), c.x.data(), &one[static_cast<std::size_t>(j)]);
    kernel::add_multiples(A.some(j, 1), &c.r[static_cast<std::size_t>(j)], h.data());
  }
  EXPECT_EQ(all, one);
  EXPECT_EQ(g, h);
}

TEST_P(EveryCpu, MultipliesNumbers) {
  for (const Index count : {0, 1, 3, 4, 7, 8, 9, 100}) {
    const auto in = numbers(count, 5);
    std::vector<double> out(in.size() + 1, 42);
    kernel::multiply(0.1, in.data(), count, out.data());
    for (Index k = 0; k < count; ++k) EXPECT_EQ(out[k], 0.1 * in[k]);
    EXPECT_EQ(out.back(), 42) << "what lies behind is left alone";
  }
}

TEST_P(EveryCpu, SlopesDoNotDependOnHowManyThereAre) {
  const auto z = numbers(19, 6);
  std::vector<double> labels(19, -1), together = z;
  kernel::logistic_slopes(together.data(), labels.data(), 19, 0.5);
  for (Index count = 1; count < 19; ++count) {
    auto first = z;
    kernel::logistic_slopes(first.data(), labels.data(), count, 0.5);
    for (Index j = 0; j < 19; ++j) EXPECT_EQ(first[j], j < count ? together[j] : z[j]) << count;
  }
}

TEST_P(EveryCpu, HandsEveryRowToTheResidualOnce) {
  for_all_shapes([](const RandomRows& c) {
    const auto m = static_cast<std::size_t>(c.m);
    std::vector<double> g(static_cast<std::size_t>(c.d), 0), z(m);
    kernel::multiply(c.rows(), c.x.data(), z.data());
    for (const Reading reading : readings) {
      std::vector<int> seen(m, 0);
      std::vector<double> margins(m);
      const auto look = [&](Index first, Index count, const double* some) {
        for (Index j = 0; j < count; ++j) {
          ++seen[first + j];
          margins[first + j] = some[j];
        }
      };
      kernel::pass(c.rows(reading), c.x.data(), g.data(), look);
      EXPECT_EQ(margins, z);
      kernel::pass(c.narrow(reading), c.x.data(), g.data(), look);
      EXPECT_EQ(margins, z);
      kernel::pass(c.rows_apart(reading), c.x.data(), g.data(), look);
      EXPECT_EQ(margins, z);
      EXPECT_EQ(seen, std::vector<int>(m, 3)) << "once of each kind";
    }
  });
}

TEST_P(EveryCpu, MultipliesPanels) {
  for (const Index columns : {1, 2, 3, 9, 10, 12, 17, 30})
    for (const Index m : {1, 3, 4, 33}) {
      const RandomRows c(m, 21);
      const Index width = kernel::whole_registers(columns);
      ASSERT_GE(width, columns);
      const auto X = numbers(c.d * width, 5);
      std::vector<double> Z(static_cast<std::size_t>(m * width));
      kernel::multiply_panel(c.rows(), X.data(), width, Z.data());
      for (Index j = 0; j < m; ++j)
        for (Index i = 0; i < width; ++i) {
          Wide sum = 0, size = 0;
          for (Index k = 0; k < c.d; ++k) {
            sum += Wide(c.a(j, k)) * X[k * width + i];
            size += std::abs(Wide(c.a(j, k)) * X[k * width + i]);
          }
          EXPECT_LE(std::abs(Z[j * width + i] - sum), eps * static_cast<double>(c.d) * size);
        }
    }
}

TEST_P(EveryCpu, AddsToPanelsFromARowOn) {
  for (const Index columns : {1, 2, 3, 9, 10, 12, 17, 30})
    for (const Index from : {0, 1, 6, 20}) {
      const RandomRows c(33, 21);
      const Index width = kernel::whole_registers(columns);
      const auto R = numbers(c.m * width, 5), start = numbers(c.d * width, 6);
      auto G = start;
      kernel::add_panel(c.rows(), R.data(), width, G.data(), from);
      for (Index k = 0; k < c.d; ++k)
        for (Index i = 0; i < width; ++i) {
          Wide sum = start[k * width + i], size = std::abs(sum);
          for (Index j = 0; k >= from && j < c.m; ++j) {
            sum += Wide(c.a(j, k)) * R[j * width + i];
            size += std::abs(Wide(c.a(j, k)) * R[j * width + i]);
          }
          EXPECT_LE(std::abs(G[k * width + i] - sum), eps * static_cast<double>(c.m) * size);
        }
    }
}

/// Rows and columns are taken in groups, and the last ones in smaller groups, of which nothing shows.
TEST_P(EveryCpu, PanelsHaveTheBitsOfRowsAndColumnsOneByOne) {
  for (const Index columns : {1, 10, 17, 30})
    for (const Index m : {5, 7, 8, 15, 24}) {
      SCOPED_TRACE(testing::Message() << m << " rows, " << columns << " columns");
      const RandomRows c(m, 21);
      const Index width = kernel::whole_registers(columns);
      const auto X = numbers(c.d * width, 5), R = numbers(m * width, 6), start = numbers(c.d * width, 7);
      std::vector<double> Z(static_cast<std::size_t>(m * width)), by_row = Z;
      auto G = start, row_by_row = start;
      kernel::multiply_panel(c.rows(), X.data(), width, Z.data());
      kernel::add_panel(c.rows(Reading::tiles, Place::memory), R.data(), width, G.data());
      auto Z_apart = Z, G_apart = start;
      kernel::multiply_panel(c.rows_apart(), X.data(), width, Z_apart.data());
      kernel::add_panel(c.rows_apart(Reading::tiles, Place::memory), R.data(), width, G_apart.data());
      EXPECT_EQ(Z, Z_apart);
      EXPECT_EQ(G, G_apart);
      for (Index j = 0; j < m; ++j) {
        kernel::multiply_panel(c.rows().some(j, 1), X.data(), width, by_row.data() + j * width);
        kernel::add_panel(c.rows().some(j, 1), R.data() + j * width, width, row_by_row.data());
      }
      EXPECT_EQ(Z, by_row);
      EXPECT_EQ(G, row_by_row);
      for (Index first = 1; first < c.d; ++first) {
        auto later = start;
        kernel::add_panel(c.rows(), R.data(), width, later.data(), first);
        EXPECT_TRUE(std::equal(later.begin() + first * width, later.end(), G.begin() + first * width));
      }
    }
}

TEST_P(EveryCpu, WidensFloats) {
  for (const Index count : {0, 1, 3, 4, 7, 8, 9, 100}) {
    const auto exact = numbers(count, 8);
    std::vector<double> out(static_cast<std::size_t>(count));
    kernel::widen(as_floats(exact).data(), count, out.data());
    EXPECT_EQ(out, exact);
  }
}

/// Margins of every size, with both labels.
struct Margins {
  Margins() {
    constexpr double tiny = std::numeric_limits<double>::denorm_min();
    for (const double size : {0.0,  tiny,  1e-310, 1e-20, 1e-8,  0.1,   0.7,   1.0,    5.0, 36.0, 37.0,
                              40.0, 700.0, 708.0,  709.0, 745.0, 746.0, 999.0, 1001.0, 1e4, 1e300})
      for (const double sign : {-1.0, 1.0})
        for (const double label : {-1.0, 1.0}) {
          z.push_back(sign * size);
          b.push_back(label);
        }
    z.push_back(0.3);
    b.push_back(1);  // an odd number of them
  }
  [[nodiscard]] Index count() const { return std::ssize(z); }
  std::vector<double> z, b;
};

/// Relative to the result, as long as that is a normal number.
void expect_close(double found, Wide truth, double relative) {
  EXPECT_LE(std::abs(found - truth), relative * std::abs(truth) + 4 * std::numeric_limits<double>::min());
}

TEST_P(EveryCpu, SlopesOfTheLogisticLoss) {
  const Margins margins;
  auto found = margins.z;
  kernel::logistic_slopes(found.data(), margins.b.data(), margins.count(), 0.25);
  for (Index k = 0; k < margins.count(); ++k) {
    SCOPED_TRACE(margins.z[k]);
    const Wide bz = Wide(margins.b[k]) * margins.z[k];
    expect_close(found[k], -Wide(0.25) * margins.b[k] / (1 + std::exp(bz)), 8 * eps);
  }
}

TEST_P(EveryCpu, SlopesAreExactToAFewUnitsAllTheWay) {
  constexpr Index count = 20'001;
  std::vector<double> z, b(count, -1);
  for (Index k = 0; k < count; ++k) z.push_back(-707.9 * static_cast<double>(k) / (count - 1));
  auto found = z;
  kernel::logistic_slopes(found.data(), b.data(), count, 1);
  for (Index k = 0; k < count; ++k) {
    const Wide truth = std::exp(Wide(z[k])) / (1 + std::exp(Wide(z[k])));
    EXPECT_LE(std::abs(found[k] - truth), 3 * eps * truth) << z[k];
  }
}

TEST_P(EveryCpu, WhatIsNoNumberStaysNone) {
  for (const Index count : {1, 4, 7, 8}) {
    std::vector<double> z(static_cast<std::size_t>(count), std::nan("")), b(z.size(), 1), curved = z, far = z;
    EXPECT_TRUE(std::isnan(kernel::logistic_values(0, z.data(), b.data(), count)));
    kernel::logistic_slopes(z.data(), b.data(), count, 1);
    kernel::logistic_curvatures(curved.data(), count, 1);
    for (Index k = 0; k < count; ++k) EXPECT_TRUE(std::isnan(z[k]) && std::isnan(curved[k]));
    std::ranges::fill(far, std::numeric_limits<double>::infinity());
    kernel::logistic_slopes(far.data(), b.data(), count, 1);
    for (Index k = 0; k < count; ++k) EXPECT_EQ(far[k], 0);
  }
}

TEST_P(EveryCpu, CurvaturesOfTheLogisticLoss) {
  const Margins margins;
  auto found = margins.z;
  kernel::logistic_curvatures(found.data(), margins.count(), 3);
  for (Index k = 0; k < margins.count(); ++k) {
    SCOPED_TRACE(margins.z[k]);
    const Wide e = std::exp(-std::abs(Wide(margins.z[k])));
    expect_close(found[k], 3 * e / ((1 + e) * (1 + e)), 8 * eps);
  }
}

TEST_P(EveryCpu, ValuesOfTheLogisticLoss) {
  const Margins margins;
  Wide all = 0;
  for (Index k = 0; k < margins.count(); ++k) {
    SCOPED_TRACE(margins.z[k]);
    const Wide bz = Wide(margins.b[k]) * margins.z[k];
    const Wide truth = std::log1p(std::exp(-std::abs(bz))) + std::max(-bz, Wide(0));
    expect_close(kernel::logistic_values(0, &margins.z[k], &margins.b[k], 1), truth, 8 * eps);
    if (std::abs(margins.z[k]) < 1e5) all += truth;
  }
  const Index moderate = margins.count() - 5;  // all but the largest, and the last
  EXPECT_NEAR(kernel::logistic_values(0, margins.z.data(), margins.b.data(), moderate) +
                  kernel::logistic_values(0, &margins.z.back(), &margins.b.back(), 1),
              static_cast<double>(all), 1e-14 * static_cast<double>(all));
}

TEST_P(EveryCpu, SoftmaxOfScoresOfAnySize) {
  for (const double scale : {1e-300, 1.0, 50.0, 1e4, 1e300})
    for (const Index classes : {1, 2, 3, 10, 17}) {
      SCOPED_TRACE(testing::Message() << scale << ", " << classes << " classes");
      const Index width = kernel::whole_registers(classes);
      auto scores = numbers(width, 9);
      for (double& s : scores) s *= scale / 1024;
      Wide top = scores[0], sum = 0;
      for (Index k = 0; k < classes; ++k) top = std::max<Wide>(top, scores[k]);
      for (Index k = 0; k < classes; ++k) sum += std::exp(scores[k] - top);
      auto p = scores;
      const double found = kernel::softmax(p.data(), classes, width);
      EXPECT_NEAR(found, static_cast<double>(top + std::log(sum)), 1e-14 * std::abs(found) + 1e-14);
      for (Index k = 0; k < classes; ++k)
        expect_close(p[k], std::exp(scores[k] - top) / sum, scale > 100 ? 1e-9 : 1e-14);
      for (Index k = classes; k < width; ++k) EXPECT_EQ(p[k], 0);
    }
}

/// Those with fused multiply-add.
bool fuses(const std::string& target) { return target.starts_with("AVX") || target == "NEON"; }

TEST_P(EveryCpu, GivesTheBitsOfItsKind) {
  const std::vector<RandomRows> shapes{{137, 50}, {40, 1100}, {13, 3079}};
  const auto gradient = [&](const RandomRows& c, const std::string& cpu, Reading reading) {
    use_cpu_target(cpu);
    std::vector<double> g(static_cast<std::size_t>(c.d), 0), labels(static_cast<std::size_t>(c.m));
    for (std::size_t j = 0; j < labels.size(); ++j) labels[j] = j % 3 == 0 ? 1 : -1;
    kernel::pass(c.rows(reading), c.x.data(), g.data(), kernel::LogisticSlopes{labels.data(), 1});
    return g;
  };
  const RandomEntries entries(60, 45);
  const auto products = [&](const std::string& cpu) {
    use_cpu_target(cpu);
    std::vector<double> z(60), g(45, 1);
    kernel::multiply(entries.rows(), entries.x.data(), z.data());
    kernel::add_multiples(entries.rows(), entries.r.data(), g.data());
    return std::pair(z, g);
  };
  // Panels have room for whole registers, whose length is the CPU's own.
  constexpr Index classes = 10;
  const auto panels = [&](const RandomRows& c, const std::string& cpu) {
    use_cpu_target(cpu);
    const Index width = kernel::whole_registers(classes);
    const auto scores = numbers(c.d * classes, 5);
    std::vector<double> X(static_cast<std::size_t>(c.d * width), 0), G = X;
    for (Index k = 0; k < c.d; ++k) std::copy_n(scores.begin() + k * classes, classes, X.begin() + k * width);
    std::vector<double> Z(static_cast<std::size_t>(c.m * width)), both;
    kernel::multiply_panel(c.rows(), X.data(), width, Z.data());
    kernel::add_panel(c.rows(), Z.data(), width, G.data());
    for (const auto& panel : {Z, G})
      for (std::size_t k = 0; k < panel.size(); ++k)
        if (static_cast<Index>(k) % width < classes) both.push_back(panel[k]);
    return both;
  };
  for (const std::string& other : cpu_targets()) {
    if (fuses(other) != fuses(GetParam())) continue;
    for (const RandomRows& c : shapes) {
      SCOPED_TRACE(testing::Message() << other << ", " << c.m << " x " << c.d);
      const auto expected = gradient(c, GetParam(), Reading::tiles);
      for (const Reading reading : readings) EXPECT_EQ(gradient(c, other, reading), expected);
      EXPECT_EQ(panels(c, other), panels(c, GetParam()));
    }
    EXPECT_EQ(products(other), products(GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, EveryCpu, testing::ValuesIn(cpu_targets()),
                         [](const auto& test) { return test.param; });

TEST(CpuTarget, IsTheBestUnlessAskedFor) {
  const auto all = cpu_targets();
  EXPECT_EQ(cpu_target(), all.front());
  use_cpu_target(all.back());
  EXPECT_EQ(cpu_target(), all.back());
  EXPECT_EQ(cpu_targets(), all);
  use_cpu_target("auto");
  EXPECT_EQ(cpu_target(), all.front());
  EXPECT_THROW(use_cpu_target("Z80"), InputError);
}

}  // namespace
}  // namespace ideal::test
