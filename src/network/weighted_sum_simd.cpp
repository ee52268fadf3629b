// SPDX-License-Identifier: Apache-2.0
#include "core/cpu_maker.hpp"
#include "network/weighted_sum.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "network/weighted_sum_simd.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ideal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::ScalableTag<double>;
static_assert(!HWY_HAVE_SCALABLE, "registers whose length is not known stand in no array");

HWY_INLINE double sum_at(const double* weights, const double* const* columns, Index terms, Index i) {
  double sum = weights[0] * columns[0][i];
  for (Index k = 1; k < terms; ++k) sum += weights[k] * columns[k][i];
  return sum;
}

/// Eight bytes past the caches: neighbouring ones are put together to whole lines before they leave the core.
HWY_INLINE void stream_one(double value, double* to) {
#if HWY_ARCH_X86_64
  _mm_stream_si64(reinterpret_cast<long long*>(to), std::bit_cast<long long>(value));
#else
  *to = value;
#endif
}

template <Stores stores>
HWY_INLINE void put_one(double value, double* to) {
  if constexpr (stores == Stores::streaming)
    stream_one(value, to);
  else
    *to = value;
}

template <Stores stores, class V>
HWY_INLINE void put(V value, double* to) {
  if constexpr (stores == Stores::streaming)
    hn::Stream(value, Lanes(), to);
  else
    hn::StoreU(value, Lanes(), to);
}

/// Where agents are numbered along the graph, the last neighbour is the one that no sum before had. The CPU
/// sees it coming, but not early enough: so many numbers ahead it is asked for. 2 KB are 4 to 7 % faster than
/// nothing, and than 32 KB; on AMD's newer CPUs 8 KB are a sixth to a quarter faster than 2 KB from memory.
HWY_INLINE Index asked_ahead() { return wants_to_be_asked_early() ? 1024 : 256; }

/// Results i ... i + `many` lanes - 1, held in registers while the neighbours pass by.
template <Stores stores, Index many>
HWY_INLINE void sum_many(const double* weights, const double* const* columns, Index terms, double* result,
                         Index i, Index far) {
  const Lanes d;
  constexpr auto N = static_cast<Index>(hn::MaxLanes(Lanes()));
  hn::Vec<Lanes> s[many];
  const double* x = columns[0] + i;
  const auto first = hn::Set(d, weights[0]);
  for (Index p = 0; p < many; ++p) s[p] = hn::Mul(first, hn::LoadU(d, x + p * N));
  for (Index k = 1; k < terms; ++k) {
    const auto w = hn::Set(d, weights[k]);
    x = columns[k] + i;
    for (Index p = 0; p < many; ++p) s[p] = hn::Add(s[p], hn::Mul(w, hn::LoadU(d, x + p * N)));
  }
  constexpr Index line = 8;
  for (Index ahead = 0; ahead < many * N; ahead += line) __builtin_prefetch(x + far + ahead);
  for (Index p = 0; p < many; ++p) put<stores>(s[p], result + i + p * N);
}

template <Stores stores>
HWY_INLINE void sum_lanes(const double* weights, const double* const* columns, Index terms, double* result,
                          Index i) {
  const Lanes d;
  auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, columns[0] + i));
  for (Index k = 1; k < terms; ++k)
    sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[k]), hn::LoadU(d, columns[k] + i)));
  put<stores>(sum, result + i);
}

/// Numbers before the next address at which a whole vector may be streamed.
HWY_INLINE Index ragged(const double* result, Index size) {
  const std::uintptr_t vector = hn::Lanes(Lanes()) * sizeof(double);
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(result) % vector;
  return std::min(size, static_cast<Index>((vector - past) % vector / sizeof(double)));
}

template <Stores stores>
HWY_INLINE void sum_column(const double* weights, const double* const* columns, Index terms, double* result,
                           Index size) {
  const auto N = static_cast<Index>(hn::Lanes(Lanes()));
  const Index head = stores == Stores::streaming ? ragged(result, size) : 0, far = asked_ahead();
  Index i = 0;
  for (; i < head; ++i) put_one<stores>(sum_at(weights, columns, terms, i), result + i);
  for (; i + 8 * N <= size; i += 8 * N) sum_many<stores, 8>(weights, columns, terms, result, i, far);
  for (; i + 4 * N <= size; i += 4 * N) sum_many<stores, 4>(weights, columns, terms, result, i, far);
  for (; i + N <= size; i += N) sum_lanes<stores>(weights, columns, terms, result, i);
  if (stores == Stores::cached && i < size && size >= N)  // the last whole vector has some of them again
    return sum_lanes<stores>(weights, columns, terms, result, size - N);
  for (; i < size; ++i) put_one<stores>(sum_at(weights, columns, terms, i), result + i);
}

void sum(const double* weights, const double* const* columns, Index terms, double* result, Index size,
         Stores stores) {
  if (stores == Stores::streaming)
    sum_column<Stores::streaming>(weights, columns, terms, result, size);
  else
    sum_column<Stores::cached>(weights, columns, terms, result, size);
}

}  // namespace ideal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ideal {

HWY_EXPORT(sum);

void weighted_sum(const double* weights, const double* const* columns, Index terms, double* result,
                  Index size, Stores stores) {
  HWY_DYNAMIC_DISPATCH(sum)(weights, columns, terms, result, size, stores);
}

void end_streams() { hwy::FlushStream(); }

}  // namespace ideal
#endif
