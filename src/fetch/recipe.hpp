// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fetch/unpack.hpp"

#include <ideal/datasets.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ideal::fetch {

/// Features and labels as they are cached. Pictures stay bytes: an eighth of what doubles take.
struct Table {
  Index rows = 0, columns = 0;
  bool bytes = false;    ///< the elements are uint8, otherwise float64
  std::string features;  ///< the elements, row by row
  Vector labels;
};

/// The elements as bytes where every value is one.
Table table_of(const Dataset& data);

void write_table(const Table& table, const std::filesystem::path& npz);

using ClassCounts = std::map<double, Index>;

/// How a data set is made out of the files of its package.
struct Recipe {
  std::string_view name;
  std::vector<std::string_view> files;                  ///< ends of paths in the package
  std::map<std::string, std::string, std::less<>> md5;  ///< of files, where published
  Table (*make)(const Members& files, const NamedSplit& split, std::string_view place);
  ClassCounts train_counts, test_counts;  ///< empty: not checked
};

/// The recipe of a catalogue entry.
const Recipe& recipe_of(const NamedDataset& data);

/// Makes a split and checks it against the catalogue and the recipe; `place` names the package in messages.
Table make_table(const Recipe& recipe, const Members& files, const NamedSplit& split, std::string_view place);

/// Throws InputError naming the file unless every checksum of the recipe holds.
void check_files(const Recipe& recipe, const Members& files, std::string_view place);

}  // namespace ideal::fetch
