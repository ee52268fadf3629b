// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

namespace ideal {

/// What a problem may ask of a method beyond smooth, strongly convex losses on one undirected network.
enum class Demand {
  merely_convex,   ///< no strong convexity is known
  nonsmooth,       ///< a loss has subgradients only
  composite,       ///< a regulariser or constraint enters by its proximal step
  time_varying,    ///< the network changes from round to round
  directed,        ///< messages go one way
  no_dual_oracle,  ///< argmin f_i(x) + <a, x> cannot be computed
};

/// Every demand, as above.
std::span<const Demand> all_demands();

/// As it stands in a sentence: "the losses are not smooth".
std::string_view describe(Demand demand);

/// A set of them.
class Demands {
 public:
  constexpr Demands() = default;
  constexpr Demands(std::initializer_list<Demand> demands) {
    for (const Demand d : demands) add(d);
  }
  constexpr void add(Demand demand) { bits_ |= bit(demand); }
  [[nodiscard]] constexpr bool has(Demand demand) const { return (bits_ & bit(demand)) != 0; }
  [[nodiscard]] constexpr bool includes(Demands others) const { return (others.bits_ & ~bits_) == 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr unsigned bit(Demand demand) { return 1U << static_cast<unsigned>(demand); }
  unsigned bits_ = 0;
};

class GraphSequence;
class Method;
class Topology;
struct Problem;

/// What this problem on this network asks for.
Demands demands_of(const Problem& problem, const Topology& topology);

/// What this network asks for, whatever the problem.
Demands demands_of(const GraphSequence& graphs);

/// The method to try first where these are asked for.
std::string_view preferred_method(Demands demands);

/// Throws InputError where the method does not meet a demand: which one, and the methods that meet all.
void require_fit(const Method& method, Demands demands);

}  // namespace ideal
