// SPDX-License-Identifier: Apache-2.0
// A file looked through in parts and read by rows is the file read at once, in every format.
#include "support/any_text.hpp"
#include "support/by_rows.hpp"
#include "support/data_bytes.hpp"

#include <ideal/error.hpp>
#include <ideal/outline.hpp>

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ideal {
namespace {

using test::any_csv_row, test::any_dice, test::any_libsvm_row, test::Dice, test::Text;

/// Few or enough for several landmarks.
Index any_count(Dice& dice) { return 1 + dice.below(dice.one_in(2) ? 6 : 900); }

std::vector<Index> any_rows(Dice& dice, Index rows) {
  std::vector<Index> wanted(static_cast<std::size_t>(dice.below(dice.one_in(2) ? 5 : 2 * rows + 1)));
  for (Index& row : wanted) row = dice.below(rows);
  if (dice.one_in(2)) std::ranges::sort(wanted);
  return wanted;
}

void agree(const std::filesystem::path& file, const ReadOptions& options, Dice& dice) {
  const Dataset whole = read_dataset(file, options);
  for (const Index parts : {1 + dice.below(7), 1 + dice.below(7), Index{3000}}) {
    if (parts > 100 && !dice.one_in(20)) continue;  // as many as lines: right, and slow
    const Outline found = test::outline_in_parts(file, options, parts);
    RC_ASSERT(test::same_bits(found.labels, whole.labels));
    RC_ASSERT(found.columns == whole.columns());
    RC_ASSERT(found.sparse == whole.sparse());
    const std::vector<Index> rows = any_rows(dice, whole.rows());
    RC_ASSERT(test::same_rows(read_rows(file, options, found, rows), rows, whole));
  }
}

RC_GTEST_PROP(ByRows, whatever_is_written, ()) {
  Dice dice = any_dice();
  const Dataset data = synthesize({.rows = any_count(dice),
                                   .columns = 1 + dice.below(6),
                                   .classes = static_cast<int>(2 + dice.below(3)),
                                   .density = dice.one_in(2) ? 1 : 0.4,
                                   .seed = static_cast<std::uint64_t>(dice.below(1000))});
  const auto name =
      *rc::gen::element<std::string>("a.svm", "a.svm.gz", "a.csv", "a.csv.gz", "a.npy", "a.npz");
  const test::Folder folder;
  write_dataset(data, folder.path(name));
  agree(folder.path(name), {}, dice);
}

std::filesystem::path written(const test::Folder& folder, const std::string& bytes, Dice& dice) {
  return dice.one_in(3) ? folder.write("a.gz", test::gzipped(bytes)) : folder.write("a", bytes);
}

RC_GTEST_PROP(ByRows, libsvm_written_by_hand, ()) {
  Dice dice = any_dice();
  Text text(dice, true);
  text.row("1 1:2");
  for (Index left = any_count(dice); left > 0; --left) text.row(any_libsvm_row(dice));
  const test::Folder folder;
  agree(written(folder, text.finished(), dice), {}, dice);
}

RC_GTEST_PROP(ByRows, csv_written_by_hand, ()) {
  Dice dice = any_dice();
  const Index columns = 2 + dice.below(4);
  const char separator = *rc::gen::element(',', ';', '\t');
  const bool header = dice.one_in(2);
  Text text(dice, false);
  if (header) {
    std::string names = "\"the, label\"";
    for (Index column = 1; column < columns; ++column) names += fmt::format("{}x{}", separator, column);
    text.row(names);
  }
  for (Index left = any_count(dice); left > 0; --left) text.row(any_csv_row(dice, columns, separator));
  ReadOptions options;
  if (header && dice.one_in(2)) options.label = "the, label";
  const test::Folder folder;
  agree(written(folder, text.finished(), dice), options, dice);
}

RC_GTEST_PROP(ByRows, a_bad_line_is_named_by_its_number, ()) {
  Dice dice = any_dice();
  const bool csv = dice.one_in(2);
  Text text(dice, !csv);
  const Index rows = any_count(dice), bad = dice.below(rows);
  text.row(csv ? "1,2,3" : "1 1:1");
  for (Index row = 0; row < rows; ++row) {
    if (csv)
      text.row(row == bad ? *rc::gen::element<std::string>("1,2", "1,red,2", "1,,2", "1,2,inf", "1,2,3,4")
                          : any_csv_row(dice, 3, ','));
    else
      text.row(row == bad ? *rc::gen::element<std::string>("1 0:1", "yes 1:1", "1 2:1 2:2", "1 3", "1 1:nan")
                          : any_libsvm_row(dice));
  }
  const test::Folder folder;
  const auto file = written(folder, text.finished(), dice);
  const std::string truth = test::message([&] { read_dataset(file); });
  RC_ASSERT(truth != "no error");
  const Index parts = 1 + dice.below(7);
  RC_ASSERT(test::message([&] { test::outline_in_parts(file, {}, parts); }) == truth);
}

RC_GTEST_PROP(ByRows, random_bytes_are_no_outline_and_no_danger, ()) {
  const test::Folder folder;
  std::string bytes = to_bytes(outline(folder.write("a.svm", "1 1:2\n2 2:3\n")));
  for (int changes = 0; changes < 3; ++changes)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  const std::vector<char> exact(bytes.begin(), bytes.end());
  try {
    outline_from_bytes({exact.data(), exact.size()});
  } catch (const InputError&) {
  }
}

}  // namespace
}  // namespace ideal
