// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <array>
#include <type_traits>
#include <vector>

/// The loops over data rows that losses are made of, compiled for every instruction set and chosen when the
/// program runs. Every sum has an order of its own: a dot product is eight partial sums, rows are added one
/// after the other. So results depend neither on the width of a register, nor on how rows are grouped, nor on
/// the type that holds the data, and CPUs with fused multiply-add all give the same bits.
namespace ideal::kernel {

/// A dot product takes eight steps at once: rows are no shorter.
constexpr Index least_columns = 8;

/// Where rows are found when they are read the next time: in a core's own caches, in the last one, which
/// cores share, or in memory.
enum class Place { own_cache, shared_cache, memory };

/// How a pass goes through rows, of which nothing shows but its speed: which is the fastest, CPUs differ in,
/// and so it is found out by trying (reading.hpp).
enum class Reading {
  tiles,              ///< tile by tile out of the nearest cache; nothing is asked for ahead of its use
  tiles_asked_for,    ///< meanwhile the next tile is asked for
  groups,             ///< a few rows at a time, whose slopes are computed beside the products of the next
  groups_from_afar,   ///< which are asked for long before
  pairs,              ///< two rows at a time, which are added beside the products of the next two
  streams,            ///< from memory, in four streams, of which a part is asked for; few rows are `agents`
  streams_asked_for,  ///< of which all is asked for
  short_tiles,        ///< tiles of 4 KB, or of an agent's few rows, all of which is asked for long before
  agents              ///< an agent's few rows as one tile, and those of agents that come soon are asked for
};
/// All of them, those first that are seldom slow.
inline constexpr std::array readings{Reading::groups,
                                     Reading::pairs,
                                     Reading::groups_from_afar,
                                     Reading::tiles_asked_for,
                                     Reading::streams_asked_for,
                                     Reading::streams,
                                     Reading::short_tiles,
                                     Reading::tiles,
                                     Reading::agents};

static_assert(readings.size() == static_cast<std::size_t>(Reading::agents) + 1);

/// Rows of d numbers, each of which begins `apart` numbers behind the one before. Passes and products take
/// no notice of what lies between; rows that are kept are followed by zeros.
template <class Number>
struct Rows {
  const Number* data;
  Index count, d;
  Place place;
  Reading reading = Reading::tiles;
  Index apart = d;

  [[nodiscard]] const Number* row(Index j) const { return data + j * apart; }
  [[nodiscard]] Index row_bytes() const { return apart * static_cast<Index>(sizeof(Number)); }
  [[nodiscard]] Rows some(Index first, Index many) const {
    return {row(first), many, d, place, reading, apart};
  }
};

/// Non-zeros of one row; the columns ascend, none occurs twice.
struct SparseEntries {
  const int* columns;
  const double* values;
  Index count;
};

/// Rows of non-zeros, one behind the other.
struct SparseView {
  const int* offsets;  ///< count + 1 of them
  const int* columns;
  const double* values;
  Index count;

  [[nodiscard]] SparseEntries row(Index j) const {
    return {columns + offsets[j], values + offsets[j], Index{offsets[j + 1]} - offsets[j]};
  }
  [[nodiscard]] Index entries() const { return Index{offsets[count]} - offsets[0]; }
  [[nodiscard]] SparseView some(Index first, Index many) const {
    return {offsets + first, columns, values, many};
  }
};

/// Refers to something that can be called, and that lives longer.
template <class... Arguments>
class Callback {
 public:
  Callback() = default;
  template <class Callable>
  Callback(const Callable& callable)  // NOLINT(google-explicit-constructor): a lambda is passed as it is
      : what_(&callable), call_([](const void* what, Arguments... arguments) {
          (*static_cast<const Callable*>(what))(arguments...);
        }) {}
  void operator()(Arguments... arguments) const { call_(what_, arguments...); }

 private:
  const void* what_ = nullptr;
  void (*call_)(const void*, Arguments...) = nullptr;
};

/// In place, for labels b of -1 or +1: scale times the slope -b sigmoid(-b z) of log(1 + exp(-b z)).
void logistic_slopes(double* z, const double* b, Index count, double scale);

/// The slopes of the logistic loss, of rows with labels b.
struct LogisticSlopes {
  const double* b;
  double scale;
};

/// As many margins are looked at together at most: 64 rows of each of four streams, which are 4 KB where rows
/// are shortest.
constexpr Index most_margins = 256;

/// (first, count, z): what becomes of the margins z of rows first ... first+count-1, in place. Slopes of the
/// logistic loss are known to the kernels by name: asking for those of a few rows by a call takes a tenth of
/// the time that the rows take. What is called must live longer.
class Residual {
 public:
  Residual(LogisticSlopes slopes) : slopes_(slopes) {}  // NOLINT(google-explicit-constructor)
  template <class Callable, class = std::invoke_result_t<const Callable&, Index, Index, double*>>
  Residual(const Callable& callable)  // NOLINT(google-explicit-constructor): a lambda is passed as it is
      : call_(callable) {}

  /// The same for rows that are counted from row `begin` on.
  [[nodiscard]] Residual from(Index begin) const {
    Residual later = *this;
    later.begin_ += begin;
    return later;
  }

  void operator()(Index first, Index count, double* z) const {
    if (const double* const b = labels(first))
      logistic_slopes(z, b, count, slopes_.scale);
    else
      call_(begin_ + first, count, z);
  }

  /// Those of row `first` and the following, where slopes of the logistic loss are wanted; null elsewhere.
  [[nodiscard]] const double* labels(Index first) const {
    return slopes_.b ? slopes_.b + begin_ + first : nullptr;
  }
  [[nodiscard]] double scale() const { return slopes_.scale; }

 private:
  LogisticSlopes slopes_{};
  Callback<Index, Index, double*> call_;
  Index begin_ = 0;
};

/// g += sum_j r_j a_j with r = residual(A x): one pass over the data, a few rows at a time.
void pass(const Rows<double>& A, const double* x, double* g, const Residual& residual);
void pass(const Rows<float>& A, const double* x, double* g, const Residual& residual);

/// z = A x.
void multiply(const Rows<double>& A, const double* x, double* z);
void multiply(const Rows<float>& A, const double* x, double* z);
void multiply(const SparseView& A, const double* x, double* z);

/// g += A' r.
void add_multiples(const Rows<double>& A, const double* r, double* g);
void add_multiples(const Rows<float>& A, const double* r, double* g);
void add_multiples(const SparseView& A, const double* r, double* g);

/// As many numbers as fill whole registers and are no fewer.
Index whole_registers(Index numbers);

/// A panel is a matrix stored row by row, with room in each for whole registers.

/// Rows are multiplied by a panel in groups; tiles of whole ones leave no few rows to the end.
constexpr Index panel_group = 8;

/// Numbers of which no register is filled from two cache lines; memory is kept when there are fewer.
using Numbers = std::vector<double, Eigen::aligned_allocator<double>>;

/// Z = A X for a panel X of d rows.
void multiply_panel(const Rows<double>& A, const double* X, Index width, double* Z);

/// G += A' R for a panel G of d rows, from row `first` on.
void add_panel(const Rows<double>& A, const double* R, Index width, double* G, Index first = 0);

/// out = factor in.
void multiply(double factor, const double* in, Index count, double* out);

/// out = in, in double precision.
void widen(const float* in, Index count, double* out);

// ---- other link functions, of many margins at once -----------------------------------------------------

/// In place: scale times the curvature of log(1 + exp(-b z)) in z, which b does not change.
void logistic_curvatures(double* z, Index count, double scale);

/// sum + log(1 + exp(-b_1 z_1)) + log(1 + exp(-b_2 z_2)) + ..., added in this order: the same bits however
/// many are given at once.
double logistic_values(double sum, const double* z, const double* b, Index count);

/// `width` scores, of which the first `classes` count, become probabilities, the others 0. Returns the
/// logarithm of the sum of their exponentials, whatever their size.
double softmax(double* scores, Index classes, Index width);

}  // namespace ideal::kernel
