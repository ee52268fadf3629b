// SPDX-License-Identifier: Apache-2.0
// Texts as people write them: noise between rows, either line end, and none at the end of the file.
#pragma once

#include <ideal/block.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <rapidcheck.h>

namespace ideal::test {

/// Choices of a test case, all from one seed: drawing thousands of values one by one takes too long.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  Index below(Index bound) { return std::uniform_int_distribution<Index>(0, bound - 1)(engine_); }
  bool one_in(Index n) { return below(n) == 0; }
  double number() { return std::normal_distribution<double>(0, 1e3)(engine_); }

 private:
  std::mt19937_64 engine_;
};

inline Dice any_dice() { return Dice(*rc::gen::arbitrary<std::uint64_t>()); }

/// Lines as the readers take them, with noise between rows.
class Text {
 public:
  Text(Dice& dice, bool comments) : dice_(dice), comments_(comments) {
    if (dice.one_in(3)) bytes_ = "\xEF\xBB\xBF";
  }

  void row(std::string_view row) {
    while (dice_.one_in(4)) noise();
    bytes_ += row;
    if (comments_ && dice_.one_in(5)) bytes_ += " # 1,2:3";
    bytes_ += dice_.one_in(3) ? "\r\n" : "\n";
  }

  std::string finished() {
    while (dice_.one_in(2)) noise();
    if (dice_.one_in(2)) bytes_.resize(bytes_.find_last_not_of("\r\n") + 1);
    return bytes_;
  }

 private:
  void noise() {
    switch (dice_.below(comments_ ? 4 : 3)) {
      case 0:
        bytes_ += "\n";
        break;
      case 1:
        bytes_ += " \t \r\n";
        break;
      case 2:
        bytes_ += "\r\n";
        break;
      default:
        bytes_ += "  # a comment, of 3:4 words\n";
    }
  }

  Dice& dice_;
  bool comments_;
  std::string bytes_;
};

inline std::string any_libsvm_row(Dice& dice) {
  std::string row = fmt::format("{}{}", dice.one_in(3) ? "+" : "", dice.below(4));
  for (Index index = 1 + dice.below(3); index < 12; index += 1 + dice.below(4)) {
    if (dice.one_in(8)) row += " qid:3";
    row += fmt::format("{}{}:{}", dice.one_in(6) ? "\t " : " ", index, dice.number());
  }
  return row;
}

inline std::string any_csv_row(Dice& dice, Index columns, char separator) {
  std::string row;
  for (Index column = 0; column < columns; ++column) {
    const std::string number = fmt::format("{}", dice.number());
    const std::string cell = dice.one_in(8) ? fmt::format("\" {}\"", number) : number;
    row += (column == 0 ? "" : std::string(1, separator)) + cell;
  }
  return row;
}

}  // namespace ideal::test
