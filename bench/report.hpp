// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace bench {

struct Goal {
  enum class Sense { at_least, at_most, within };
  Sense sense;
  double bound;

  [[nodiscard]] bool reached_by(double figure) const;
};

constexpr Goal at_least(double bound) { return {Goal::Sense::at_least, bound}; }
constexpr Goal at_most(double bound) { return {Goal::Sense::at_most, bound}; }
/// Of 1, by this share.
constexpr Goal within(double share) { return {Goal::Sense::within, share}; }

struct Figure {
  std::string item;
  int threads;
  double value;
  std::string unit;  ///< what the value is a multiple of
  std::optional<Goal> goal = {};
};

/// Figures in the order they come, printed at once.
class Report {
 public:
  void begin(std::string_view group);
  void add(const Figure& figure);

  /// Says what took part, such as the version of a library.
  void note(const std::string& name, const std::string& value) { json_["peers"][name] = value; }

  [[nodiscard]] const nlohmann::ordered_json& json() const { return json_; }

 private:
  nlohmann::ordered_json json_;
};

}  // namespace bench
