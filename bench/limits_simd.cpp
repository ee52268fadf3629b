// SPDX-License-Identifier: Apache-2.0
#include "limits.hpp"

#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

// Compiled once for each instruction set, by including itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "limits_simd.cpp"
#include <hwy/foreach_target.h>
// after it
#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;

/// Eight sums, so that no addition waits for another.
double sum(const double* data, size_t count) {
  const Tag tag;
  const size_t step = hn::Lanes(tag);
  auto s0 = hn::Zero(tag), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  size_t k = 0;
  for (; k + 8 * step <= count; k += 8 * step) {
    s0 = hn::Add(s0, hn::LoadU(tag, data + k));
    s1 = hn::Add(s1, hn::LoadU(tag, data + k + step));
    s2 = hn::Add(s2, hn::LoadU(tag, data + k + 2 * step));
    s3 = hn::Add(s3, hn::LoadU(tag, data + k + 3 * step));
    s4 = hn::Add(s4, hn::LoadU(tag, data + k + 4 * step));
    s5 = hn::Add(s5, hn::LoadU(tag, data + k + 5 * step));
    s6 = hn::Add(s6, hn::LoadU(tag, data + k + 6 * step));
    s7 = hn::Add(s7, hn::LoadU(tag, data + k + 7 * step));
  }
  const auto all =
      hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)));
  double total = hn::GetLane(hn::SumOfLanes(tag, all));
  for (; k < count; ++k) total += data[k];
  return total;
}

void stream(const double* from, size_t count, double* to) {
  const Tag tag;
  const size_t step = hn::Lanes(tag);
  size_t k = 0;
  for (; k + step <= count; k += step) hn::Stream(hn::LoadU(tag, from + k), tag, to + k);
  for (; k < count; ++k) to[k] = from[k];
  hwy::FlushStream();
}

double chains(size_t steps, double factor, double summand, double* result) {
  const Tag tag;
  const auto a = hn::Set(tag, factor), b = hn::Set(tag, summand);
  // Each begins elsewhere: a compiler computes chains that are the same only once.
  const auto start = [&](double k) HWY_ATTR { return hn::Set(tag, factor + k * summand); };
  auto s0 = start(0), s1 = start(1), s2 = start(2), s3 = start(3), s4 = start(4), s5 = start(5),
       s6 = start(6), s7 = start(7), s8 = start(8), s9 = start(9);
  for (size_t k = 0; k < steps; ++k) {
    s0 = hn::MulAdd(s0, a, b);
    s1 = hn::MulAdd(s1, a, b);
    s2 = hn::MulAdd(s2, a, b);
    s3 = hn::MulAdd(s3, a, b);
    s4 = hn::MulAdd(s4, a, b);
    s5 = hn::MulAdd(s5, a, b);
    s6 = hn::MulAdd(s6, a, b);
    s7 = hn::MulAdd(s7, a, b);
    s8 = hn::MulAdd(s8, a, b);
    s9 = hn::MulAdd(s9, a, b);
  }
  const auto all = hn::Add(hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(s8, s9)),
                           hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)));
  *result = hn::GetLane(hn::SumOfLanes(tag, all));
  return 2.0 * 10 * static_cast<double>(hn::Lanes(tag) * steps);
}

void logistic(double* z, const double* labels, size_t count) {
  const Tag tag;
  const size_t step = hn::Lanes(tag);
  const auto one = hn::Set(tag, 1.0), scale = hn::Set(tag, -1.0 / static_cast<double>(count));
  size_t j = 0;
  for (; j + step <= count; j += step) {
    const auto b = hn::LoadU(tag, labels + j);
    const auto e = hn::Exp(tag, hn::Mul(b, hn::LoadU(tag, z + j)));
    hn::StoreU(hn::Mul(hn::Mul(b, scale), hn::Div(one, hn::Add(one, e))), tag, z + j);
  }
  for (; j < count; ++j) z[j] = -labels[j] / (1 + std::exp(labels[j] * z[j])) / static_cast<double>(count);
}

void exponentials(double* values, size_t count) {
  const Tag tag;
  const size_t step = hn::Lanes(tag);
  size_t j = 0;
  for (; j + step <= count; j += step) hn::StoreU(hn::Exp(tag, hn::LoadU(tag, values + j)), tag, values + j);
  for (; j < count; ++j) values[j] = std::exp(values[j]);
}

}  // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench {

HWY_EXPORT(sum);
HWY_EXPORT(stream);
HWY_EXPORT(chains);
HWY_EXPORT(logistic);
HWY_EXPORT(exponentials);

namespace {

constexpr Index line = 8;  // doubles of a cache line
std::atomic<double> sink;  // what is stored there cannot be left out

/// [first, end) of the cache lines that a thread of the team takes.
std::pair<Index, Index> share(Index count, Index rank, Index size) {
  const auto bound = [&](Index r) { return r == size ? count : count / line * r / size * line; };
  return {bound(rank), bound(rank + 1)};
}

}  // namespace

void read_once(Threads& team, std::span<const double> data) {
  team.each(team.count(), [&](Index rank) {
    const auto [first, end] = share(std::ssize(data), rank, team.count());
    sink = HWY_DYNAMIC_DISPATCH(sum)(data.data() + first, static_cast<size_t>(end - first));
  });
}

void read_nearest_cache(int times) {
  static const std::vector<double> kept(2048, 1.0);
  for (int k = 0; k < times; ++k) sink = HWY_DYNAMIC_DISPATCH(sum)(kept.data(), kept.size());
}

void copy_past_caches(Threads& team, std::span<const double> from, std::span<double> to) {
  team.each(team.count(), [&](Index rank) {
    const auto [first, end] = share(std::ssize(from), rank, team.count());
    HWY_DYNAMIC_DISPATCH(stream)(from.data() + first, static_cast<size_t>(end - first), to.data() + first);
  });
}

double multiply_add(Threads& team, Index steps) {
  std::atomic<double> operations = 0;
  team.each(team.count(), [&](Index) {
    double result = 0;
    operations += HWY_DYNAMIC_DISPATCH(chains)(static_cast<size_t>(steps), 1 - 1e-9, 1e-9, &result);
    sink = result;
  });
  return operations;
}

void logistic_slopes(ideal::Vector& z, const ideal::Vector& labels) {
  HWY_DYNAMIC_DISPATCH(logistic)(z.data(), labels.data(), static_cast<size_t>(z.size()));
}

void softmax_slopes(ideal::DenseRows& scores, const ideal::Vector& labels) {
  const double share = 1 / static_cast<double>(labels.size());
  for (auto row : scores.rowwise()) row.array() -= row.maxCoeff();
  HWY_DYNAMIC_DISPATCH(exponentials)(scores.data(), static_cast<size_t>(scores.size()));
  for (Index j = 0; j < scores.rows(); ++j) {
    scores.row(j) *= share / scores.row(j).sum();
    scores(j, static_cast<Index>(labels[j])) -= share;
  }
}

}  // namespace bench
#endif
