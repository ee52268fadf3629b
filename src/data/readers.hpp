// SPDX-License-Identifier: Apache-2.0
// The readers, one a format. Each reads a file piece by piece, or bytes in memory, for which `place` stands
// in messages instead of the file.
#pragma once

#include "data/array.hpp"
#include "data/pieces.hpp"
#include "data/selection.hpp"
#include "data/source.hpp"
#include "data/text_rows.hpp"

#include <ideal/data.hpp>
#include <ideal/outline.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ideal::data {

/// The format of unpacked bytes; throws InputError, listing what is accepted, if it is none.
Format recognise(const Content& content);
Format recognise_bytes(std::string_view bytes, std::string_view place);

Dataset read_libsvm(const Content& text, const Selection& selection, const Workers& workers = {});
Dataset parse_libsvm(std::string_view text, std::string_view place);
void outline_libsvm(const Content& text, const Stretch& stretch, Outline& out);

/// Throw InputError if there are none.
void require_libsvm_rows(Index rows, std::string_view place);
void require_libsvm_columns(Index columns, std::string_view place);
void require_csv_rows(Index rows, std::string_view place);

/// `label` names the label column; empty means the last.
Dataset read_csv(const Content& text, std::string_view label, const Selection& selection,
                 const Workers& workers = {});
Dataset parse_csv(std::string_view text, std::string_view label, std::string_view place);
void outline_csv(const Content& text, std::string_view label, const Stretch& stretch, Outline& out);

/// The arrays point into `bytes`; their length has been checked against it.
ArrayView parse_npy(std::string_view bytes, std::string_view place);
ArrayView parse_idx(std::string_view bytes, std::string_view place);

/// The same on their way from a file of `size` bytes; where that is not known, Elements::finish() checks it.
Elements open_npy(std::unique_ptr<ByteStream> bytes, std::optional<std::uint64_t> size, std::string place);
Elements open_idx(std::unique_ptr<ByteStream> bytes, std::optional<std::uint64_t> size, std::string place);

/// Labels are read only if all rows are.
struct NpzContent {
  std::variant<DenseRows, SparseRows> features;
  std::optional<Vector> labels;
};
NpzContent read_npz(const Content& archive, const Selection& selection);
NpzContent parse_npz(std::string_view bytes, std::string_view place);

struct NpzOutline {
  Extents extents;
  bool sparse;
  std::optional<Vector> labels;
};
NpzOutline outline_npz(const Content& archive);

/// The labels of a data set that has them in another file: what `options` name, else what is beside IDX
/// images.
std::filesystem::path labels_file(const std::filesystem::path& file, const ReadOptions& options);
Vector read_labels(const std::filesystem::path& file);

/// Throw InputError.
void check_label_count(Index labels, Index rows, std::string_view labels_place, std::string_view rows_place);
void require_images(const ArrayHead& head, std::string_view place);
[[noreturn]] void refuse_missing_labels(std::string_view place);

}  // namespace ideal::data
