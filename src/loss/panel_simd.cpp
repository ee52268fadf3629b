// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

// The order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loss/panel_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "loss/loops_simd.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, 8>;

/// Rows, or columns of A, that share what is loaded of a panel: as many as leave registers for the sums of
/// each.
constexpr Index group = avx512 ? 8 : 4;
static_assert(panel_group % group == 0);

struct Panel {
  using V = hn::Vec<Lanes>;
  static constexpr Lanes lanes{};
  static constexpr Index lane_count = hn::MaxLanes(lanes);

  /// `rows` rows of A times `wide` registers of a row of X: all sums stay in registers.
  template <Index rows, Index wide>
  static HWY_INLINE void multiply_block(const double* A, Index d, Index apart, const double* X, Index width,
                                        double* Z) {
    V sum[rows][wide];
    for (Index j = 0; j < rows; ++j)
      for (Index v = 0; v < wide; ++v) sum[j][v] = hn::Zero(lanes);
    for (Index k = 0; k < d; ++k) {
      V x[wide];
      for (Index v = 0; v < wide; ++v) x[v] = hn::LoadU(lanes, X + k * width + v * lane_count);
      for (Index j = 0; j < rows; ++j) {
        const V a = hn::Set(lanes, A[j * apart + k]);
        for (Index v = 0; v < wide; ++v) sum[j][v] = hn::MulAdd(a, x[v], sum[j][v]);
      }
    }
    for (Index j = 0; j < rows; ++j)
      for (Index v = 0; v < wide; ++v) hn::StoreU(sum[j][v], lanes, Z + j * width + v * lane_count);
  }

  /// `columns` columns of A, transposed, times `wide` registers of the rows of R. Meanwhile the next rows of
  /// A are asked for, unless a core's own caches have them: products use up rows as fast as memory brings
  /// them, additions read them out of a cache.
  template <Index columns, Index wide>
  static HWY_INLINE void add_block(const Rows<double>& A, Index k, const double* R, Index width, double* G) {
    V sum[columns][wide];
    for (Index c = 0; c < columns; ++c)
      for (Index v = 0; v < wide; ++v) sum[c][v] = hn::LoadU(lanes, G + c * width + v * lane_count);
    const double* row = A.data + k;
    const Index ahead = A.place == Place::own_cache ? 0 : A.count * A.apart;
    for (Index j = 0; j < A.count; ++j, row += A.apart, R += width) {
      __builtin_prefetch(row + ahead, 0, 2);
      V r[wide];
      for (Index v = 0; v < wide; ++v) r[v] = hn::LoadU(lanes, R + v * lane_count);
      for (Index c = 0; c < columns; ++c) {
        const V a = hn::Set(lanes, row[c]);
        for (Index v = 0; v < wide; ++v) sum[c][v] = hn::MulAdd(a, r[v], sum[c][v]);
      }
    }
    for (Index c = 0; c < columns; ++c)
      for (Index v = 0; v < wide; ++v) hn::StoreU(sum[c][v], lanes, G + c * width + v * lane_count);
  }

  template <Index wide>
  static HWY_INLINE void multiply_strip(const Rows<double>& A, const double* X, Index width, double* Z) {
    by_groups<group>(0, A.count, [&]<Index rows>(Index j) IDEAL_INLINED {
      multiply_block<rows, wide>(A.row(j), A.d, A.apart, X, width, Z + j * width);
    });
  }

  template <Index wide>
  static HWY_INLINE void add_strip(const Rows<double>& A, const double* R, Index width, double* G,
                                   Index first) {
    by_groups<group>(first, A.d, [&]<Index columns>(Index k) IDEAL_INLINED {
      add_block<columns, wide>(A, k, R, width, G + k * width);
    });
  }

  /// use<wide>(at) for all strips of a panel: three registers from number `at` on, or what is left.
  template <class Use>
  static HWY_INLINE void by_strips(Index width, const Use& use) {
    Index at = 0;
    for (; at + 3 * lane_count <= width; at += 3 * lane_count) use.template operator()<3>(at);
    if (at + 2 * lane_count <= width)
      use.template operator()<2>(at);
    else if (at < width)
      use.template operator()<1>(at);
  }
};

}  // namespace

Index whole_registers_of(Index numbers) {
  return (numbers + Panel::lane_count - 1) / Panel::lane_count * Panel::lane_count;
}

void multiply_panel_f64(const Rows<double>& A, const double* X, Index width, double* Z) {
  Panel::by_strips(
      width, [&]<Index wide>(Index at) HWY_ATTR { Panel::multiply_strip<wide>(A, X + at, width, Z + at); });
}

void add_panel_f64(const Rows<double>& A, const double* R, Index width, double* G, Index first) {
  Panel::by_strips(
      width, [&]<Index wide>(Index at) HWY_ATTR { Panel::add_strip<wide>(A, R + at, width, G + at, first); });
}

}  // namespace ideal::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ideal::kernel {

HWY_EXPORT(whole_registers_of);
HWY_EXPORT(multiply_panel_f64);
HWY_EXPORT(add_panel_f64);

Index whole_registers(Index numbers) { return HWY_DYNAMIC_DISPATCH(whole_registers_of)(numbers); }
void multiply_panel(const Rows<double>& A, const double* X, Index width, double* Z) {
  HWY_DYNAMIC_DISPATCH(multiply_panel_f64)(A, X, width, Z);
}
void add_panel(const Rows<double>& A, const double* R, Index width, double* G, Index first) {
  HWY_DYNAMIC_DISPATCH(add_panel_f64)(A, R, width, G, first);
}

}  // namespace ideal::kernel
#endif
