// SPDX-License-Identifier: Apache-2.0
#include "loss/reading.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

namespace ideal {

namespace {

using kernel::Reading;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// What a clock can tell, and what a disturbance seldom meets.
constexpr Index slice_bytes = 512 << 10;

/// Rows that the nearest cache holds are there whatever is asked for.
constexpr Index worth_trying = 64 << 10;

/// The rows of all agents, slice by slice and round and round: each is read when as much else has been read
/// as will have been in a run.
template <class Number>
class Slices {
 public:
  explicit Slices(std::vector<kernel::Rows<Number>> agents) : agents_(std::move(agents)) {
    Index widest = 0, most = 0;
    for (const auto& A : agents_) {
      bytes_ += A.count * A.row_bytes();
      widest = std::max(widest, A.d);
      most = std::max(most, A.count);
    }
    x_.assign(static_cast<std::size_t>(widest), 0);
    g_ = x_;
    labels_.assign(static_cast<std::size_t>(most), 1);
  }

  [[nodiscard]] Index bytes() const { return bytes_; }

  /// Seconds that a byte of the next slice takes.
  double next(Reading reading) {
    Index done = 0;
    const auto start = Clock::now();
    while (done < slice_bytes) done += pass_some(reading, slice_bytes - done);
    return Seconds(Clock::now() - start).count() / static_cast<double>(done);
  }

 private:
  Index pass_some(Reading reading, Index bytes) {
    kernel::Rows<Number> A = agents_[agent_];
    const Index first = row_, count = std::min(A.count - first, bytes / A.row_bytes() + 1);
    A.reading = reading;
    const kernel::LogisticSlopes slopes{labels_.data(), 0};
    kernel::pass(A.some(first, count), x_.data(), g_.data(), slopes);
    row_ += count;
    if (row_ == A.count) {
      row_ = 0;
      agent_ = (agent_ + 1) % agents_.size();
    }
    return count * A.row_bytes();
  }

  std::vector<kernel::Rows<Number>> agents_;
  kernel::Numbers x_, g_, labels_;
  std::size_t agent_ = 0;
  Index row_ = 0, bytes_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// All ways in turn, each time another first, so that none has the same slices every time: who else uses the
/// machine comes and goes. Of those that are about as fast as the fastest, the first counts.
template <class Number>
Reading fastest(Slices<Number>& slices) {
  constexpr std::size_t rounds = 30, ways = kernel::readings.size();
  constexpr Seconds enough{0.05};
  constexpr double about = 1.03;
  std::array<std::vector<double>, ways> seconds;
  const auto start = Clock::now();
  for (std::size_t round = 0; round < rounds && Clock::now() - start < enough; ++round)
    for (std::size_t k = 0; k < ways; ++k) {
      const std::size_t way = (round + k) % ways;
      seconds[way].push_back(slices.next(kernel::readings[way]));
    }
  std::array<double, ways> each;
  std::ranges::transform(seconds, each.begin(), median);
  const double least = *std::ranges::min_element(each);
  const auto first = std::ranges::find_if(each, [least](double taken) { return taken <= about * least; });
  return kernel::readings[static_cast<std::size_t>(first - each.begin())];
}

template <class Number>
void choose(std::span<const std::shared_ptr<Rows>> agents) {
  std::vector<kernel::Rows<Number>> dense;
  for (const auto& rows : agents)
    if (const auto* A = rows->template dense<Number>(); A && A->count > 0) dense.push_back(*A);
  Slices<Number> slices(std::move(dense));
  if (slices.bytes() < worth_trying) return;
  const Reading reading = fastest(slices);
  for (const auto& rows : agents) rows->template read_by<Number>(reading);
}

}  // namespace

void choose_reading(std::span<const std::shared_ptr<Rows>> agents) {
  choose<double>(agents);
  choose<float>(agents);
}

}  // namespace ideal
