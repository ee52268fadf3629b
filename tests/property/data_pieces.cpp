// SPDX-License-Identifier: Apache-2.0
// Whatever the number of threads and wherever a file is cut into pieces, the same is read, and the same line
// is refused.
#include "data/number.hpp"
#include "data/readers.hpp"
#include "support/any_text.hpp"
#include "support/by_rows.hpp"
#include "support/data_bytes.hpp"

#include <charconv>
#include <numeric>
#include <system_error>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ideal {
namespace {

using data::Content, data::Workers;
using test::any_dice, test::Dice, test::Text;

/// Pieces down to single bytes, so that every border is crossed.
Workers any_workers(Dice& dice) {
  return {.threads = static_cast<int>(1 + dice.below(8)),
          .piece = static_cast<std::uint64_t>(1 + dice.below(dice.one_in(2) ? 8 : 300))};
}

/// One piece read by one thread.
constexpr Workers alone{.threads = 1, .piece = 1 << 30};

bool same(const Dataset& a, const Dataset& b) {
  std::vector<Index> all(static_cast<std::size_t>(b.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  return test::same_rows(a, all, b);
}

using Read = std::function<Dataset(const Content&, const Workers&)>;

void agree(const Content& content, const Read& read, Dice& dice) {
  const Dataset truth = read(content, alone);
  for (int trial = 0; trial < 4; ++trial) RC_ASSERT(same(read(content, any_workers(dice)), truth));
}

Dataset read_libsvm(const Content& text, const Workers& workers) {
  return data::read_libsvm(text, {}, workers);
}

Dataset read_csv(const Content& text, const Workers& workers) {
  return data::read_csv(text, "", {}, workers);
}

/// In memory or in a file.
void agree_on_text(const std::string& text, const Read& read, Dice& dice) {
  agree(Content(text, "f"), read, dice);
  const test::Folder folder;
  agree(Content(folder.write("a", text)), read, dice);
}

RC_GTEST_PROP(Pieces, libsvm, ()) {
  Dice dice = any_dice();
  Text text(dice, true);
  text.row("1 1:2");
  for (Index left = dice.below(60); left > 0; --left) text.row(test::any_libsvm_row(dice));
  agree_on_text(text.finished(), read_libsvm, dice);
}

RC_GTEST_PROP(Pieces, csv, ()) {
  Dice dice = any_dice();
  const Index columns = 2 + dice.below(4);
  Text text(dice, false);
  if (dice.one_in(2)) {
    std::string names = "\"a, b\"";
    for (Index column = 1; column < columns; ++column) names += fmt::format(",x{}", column);
    text.row(names);
  }
  text.row(test::any_csv_row(dice, columns, ','));
  for (Index left = dice.below(60); left > 0; --left) text.row(test::any_csv_row(dice, columns, ','));
  agree_on_text(text.finished(), read_csv, dice);
}

RC_GTEST_PROP(Pieces, the_first_bad_line_is_refused, ()) {
  Dice dice = any_dice();
  const bool csv = dice.one_in(2);
  const Index rows = 1 + dice.below(60);
  std::string text = csv ? "1,2,3\n" : "1 1:1\n";
  Index line = 1, first_bad = 0;
  for (Index row = 0; row < rows || first_bad == 0; ++row) {
    while (dice.one_in(4)) {
      text += dice.one_in(2) ? "\n" : " \r\n";
      ++line;
    }
    ++line;
    const bool bad = row + 1 >= rows || dice.one_in(10);
    if (bad && first_bad == 0) first_bad = line;
    if (csv)
      text += bad ? (dice.one_in(2) ? "1,red,2" : "1,2") : test::any_csv_row(dice, 3, ',');
    else
      text += bad ? (dice.one_in(2) ? "1 0:1" : "1 1:nan") : test::any_libsvm_row(dice);
    text += dice.one_in(3) ? "\r\n" : "\n";
  }
  const Read read = csv ? Read(read_csv) : Read(read_libsvm);
  const Content content(text, "f");
  const std::string truth = test::message([&] { read(content, alone); });
  RC_ASSERT(truth.starts_with(fmt::format("f:{}: ", first_bad)));
  for (int trial = 0; trial < 4; ++trial)
    RC_ASSERT(test::message([&] { read(content, any_workers(dice)); }) == truth);
}

Read array_reader(data::Elements (*open)(std::unique_ptr<data::ByteStream>, std::optional<std::uint64_t>,
                                         std::string),
                  bool labelled) {
  return [=](const Content& content, const Workers& workers) {
    data::Elements elements = open(content.stream(), content.size(), content.place());
    Dataset result = data::take_rows(elements, content, {}, labelled, workers);
    if (!labelled) result.labels.setZero(std::get<DenseRows>(result.features).rows());
    return result;
  };
}

RC_GTEST_PROP(Pieces, arrays, ()) {
  Dice dice = any_dice();
  const Index rows = 1 + dice.below(40), columns = 2 + dice.below(5);
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  for (double& value : values) value = dice.number();
  const bool big = dice.one_in(2);
  const std::string npy = test::npy_of(big ? ">f8" : "<f8", fmt::format("({}, {})", rows, columns),
                                       test::values(values, big ? std::endian::big : std::endian::little));
  const bool labelled = dice.one_in(2);
  agree(Content(npy, "f"), array_reader(data::open_npy, labelled), dice);

  std::string pixels(static_cast<std::size_t>(rows * columns), '\0');
  for (char& pixel : pixels) pixel = static_cast<char>(dice.below(256));
  const std::string idx =
      test::idx(8, {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns)}, pixels);
  const Read read_idx = array_reader(data::open_idx, false);
  agree(Content(idx, "f"), read_idx, dice);
  const Dataset images = read_idx(Content(idx, "f"), any_workers(dice));
  const auto& features = std::get<DenseRows>(images.features);
  for (Index at = 0; at < features.size(); ++at)
    RC_ASSERT(features.data()[at] == static_cast<unsigned char>(pixels[static_cast<std::size_t>(at)]));
}

RC_GTEST_PROP(Pieces, the_first_row_that_is_not_finite_is_refused, ()) {
  Dice dice = any_dice();
  const Index rows = 1 + dice.below(40), first = dice.below(rows);
  std::vector<double> values(static_cast<std::size_t>(3 * rows), 0.5);
  for (Index row = first; row < rows; ++row)
    if (row == first || dice.one_in(3))
      values[static_cast<std::size_t>(3 * row + dice.below(3))] = std::numeric_limits<double>::infinity();
  const std::string npy = test::npy_of("<f8", fmt::format("({}, 3)", rows), test::values(values));
  const std::string said =
      test::message([&] { array_reader(data::open_npy, true)(Content(npy, "f"), any_workers(dice)); });
  RC_ASSERT(said.starts_with(fmt::format("f: inf in row {}, ", first)));
}

// ---- numbers -------------------------------------------------------------------------------------------

void as_the_standard_reads(const std::string& text) {
  const char* const end = text.data() + text.size();
  double truth = 7, value = 7;
  const auto expected = std::from_chars(text.data(), end, truth);
  const auto got = data::take_number(text.data(), end, value);
  RC_ASSERT(got.ptr == expected.ptr);
  RC_ASSERT(got.ec == expected.ec);
  RC_ASSERT(test::same_bits(&value, &truth, 1));
}

RC_GTEST_PROP(Number, any_characters, ()) {
  as_the_standard_reads(*rc::gen::container<std::string>(
      rc::gen::element('0', '1', '5', '9', '.', '-', '+', 'e', 'E', 'n', 'i', ' ', ',')));
}

RC_GTEST_PROP(Number, decimals, ()) {
  Dice dice = any_dice();
  for (int trial = 0; trial < 100; ++trial) {
    std::string text = dice.one_in(2) ? "-" : "";
    for (Index left = dice.below(20); left > 0; --left) text += static_cast<char>('0' + dice.below(10));
    if (dice.one_in(4)) text += "9007199254740993";  // 2^53 + 1
    if (!dice.one_in(4)) text += '.';
    for (Index left = dice.below(20); left > 0; --left) text += static_cast<char>('0' + dice.below(10));
    if (dice.one_in(4)) text += fmt::format("e{}", dice.below(60) - 30);
    as_the_standard_reads(text);
    as_the_standard_reads(text + ",12345678");
  }
}

}  // namespace
}  // namespace ideal
