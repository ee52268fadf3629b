// SPDX-License-Identifier: Apache-2.0
// Some rows of a data file without the others: what each process of a cluster reads.
#pragma once

#include <ideal/data.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// Where in a text a row stands.
struct Landmark {
  Index row;             ///< from 0
  Index line;            ///< how many lines are before it
  std::uint64_t offset;  ///< of the first byte of its line
};

/// What must be known of a data file before some of its rows can be read: the label of every row and where
/// rows lie, but no features.
struct Outline {
  std::string place;  ///< the file, as messages name it
  Format format = Format::libsvm;
  Index columns = 0;
  bool sparse = false;
  Vector labels;
  std::vector<Landmark> landmarks;  ///< ascending; of plain text: its rows 0, 256, 512 ...
  Index lines = 0;                  ///< of plain text
};

/// Looks through one of `parts` shares of the file, so that processes can divide the work: plain text is cut
/// at line ends into shares of about as many bytes, NPY with labels in the last column into shares of as many
/// rows. Of everything else part 0 tells all and the others nothing. Text is checked to its last cell; the
/// features of binary formats are checked by read_rows. Throws as read_dataset does, with the true line.
Outline outline(const std::filesystem::path& file, const ReadOptions& options = {}, Index part = 0,
                Index parts = 1);

/// The outline of the file out of those of all its parts in order. Throws InputError if it has no rows.
Outline join(std::span<const Outline> parts);

/// For sending outlines to other processes. What is no outline is an InputError.
std::string to_bytes(const Outline& outline);
Outline outline_from_bytes(std::string_view bytes);

/// The rows `rows` of the file, numbered from 0, in the order asked for; reads little more than their
/// neighbourhood, except in files that can only be unpacked from the front (gzip, and compressed NPZ). The
/// features are, bit for bit, those of read_dataset; labels, columns and sparseness those of the outline.
Dataset read_rows(const std::filesystem::path& file, const ReadOptions& options, const Outline& outline,
                  std::span<const Index> rows);

/// Whether `data` names one file an agent, as in "shards/part-%04d.svm": it holds exactly one conversion of
/// an integer (%d, %3d, %04d). %% is a per cent sign.
bool is_shard_pattern(std::string_view data);

/// The file of an agent, which count from 0. Throws InputError if `pattern` is none.
std::filesystem::path shard_file(std::string_view pattern, Index agent);

}  // namespace ideal
