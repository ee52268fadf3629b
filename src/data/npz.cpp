// SPDX-License-Identifier: Apache-2.0
// NPZ: a zip archive of NPY arrays. Features are X, or a CSR matrix as scipy.sparse.save_npz writes it;
// labels are y.
#include "data/npy_header.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "data/zip.hpp"

#include <ideal/error.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace ideal::data {
namespace {

using StorageIndex = SparseRows::StorageIndex;

class Archive {
 public:
  Archive(std::string_view bytes, std::string_view place) : zip_(bytes, place), place_(place) {}

  [[nodiscard]] bool contains(std::string_view array) const { return zip_.contains(member(array)); }

  /// The first of `names` the archive has.
  template <std::size_t n>
  [[nodiscard]] std::optional<std::string_view> find(const std::array<std::string_view, n>& names) const {
    for (const std::string_view name : names)
      if (contains(name)) return name;
    return std::nullopt;
  }

  ArrayView array(std::string_view name) {
    if (!contains(name))
      throw InputError(place_, fmt::format("no array {}", name),
                       "a sparse matrix has data, indices, indptr and shape",
                       "Write scipy.sparse.save_npz(file, X.tocsr()).");
    return parse_npy(zip_.read(member(name)), place(name));
  }

  std::string text(std::string_view name) { return read_npy_text(zip_.read(member(name)), place(name)); }

  [[nodiscard]] std::string place(std::string_view array) const {
    return fmt::format("{}[{}]", place_, array);
  }

 private:
  static std::string member(std::string_view array) { return fmt::format("{}.npy", array); }

  ZipReader zip_;
  std::string_view place_;
};

/// A CSR matrix out of the arrays data, indices, indptr and shape, none of which is trusted.
class CsrReader {
 public:
  explicit CsrReader(Archive& archive) : archive_(archive) {}

  SparseRows read() {
    read_extents();
    const ArrayView data = values();
    const ArrayView indptr = integers("indptr", rows_ + 1);
    const ArrayView indices = integers("indices", data.size());
    SparseRows matrix(static_cast<Index>(rows_), static_cast<Index>(columns_));
    matrix.resizeNonZeros(static_cast<Index>(data.size()));
    copy_integers(indptr, "indptr", matrix.outerIndexPtr());
    copy_integers(indices, "indices", matrix.innerIndexPtr());
    data.copy(0, data.size(), matrix.valuePtr());
    check_structure(matrix, static_cast<StorageIndex>(data.size()));
    return matrix;
  }

 private:
  void read_extents() {
    const ArrayView shape = integers("shape", 2);
    std::array<std::int64_t, 2> extents{};
    shape.copy(0, 2, extents.data());
    constexpr auto limit = std::numeric_limits<StorageIndex>::max();
    if (extents[0] < 1 || extents[1] < 1 || extents[0] >= limit || extents[1] >= limit)
      refuse("shape", fmt::format("shape {} x {}", extents[0], extents[1]),
             fmt::format("a sparse data set has 1 to {} rows and columns", limit - 1));
    rows_ = static_cast<std::size_t>(extents[0]);
    columns_ = static_cast<std::size_t>(extents[1]);
  }

  ArrayView values() {
    ArrayView array = archive_.array("data");
    if (array.shape.size() != 1 || array.size() > std::numeric_limits<StorageIndex>::max())
      refuse("data", fmt::format("an array of shape {}", to_string(array.shape)),
             "the values are one-dimensional and at most 2147483647");
    return array;
  }

  ArrayView integers(std::string_view name, std::size_t size) {
    ArrayView array = archive_.array(name);
    if (!array.integral() || array.shape.size() != 1)
      refuse(name, fmt::format("an array of shape {}", to_string(array.shape)),
             "a one-dimensional integer array is needed");
    if (array.size() != size)
      refuse(name, fmt::format("{} integers", array.size()), fmt::format("the matrix needs {}", size));
    return array;
  }

  void copy_integers(const ArrayView& array, std::string_view name, StorageIndex* out) const {
    for (std::size_t i = 0; i < array.size(); ++i) {
      std::int64_t value = 0;
      array.copy(i, 1, &value);
      if (value < 0 || value > std::numeric_limits<StorageIndex>::max())
        refuse(name, fmt::format("{} at position {}", value, i), "offsets and indices are 0 to 2147483647");
      out[i] = static_cast<StorageIndex>(value);
    }
  }

  void check_structure(const SparseRows& matrix, StorageIndex size) const {
    const StorageIndex* const offsets = matrix.outerIndexPtr();
    if (offsets[0] != 0 || offsets[rows_] != size)
      refuse("indptr", fmt::format("offsets from {} to {}", offsets[0], offsets[rows_]),
             fmt::format("offsets run from 0 to {}, the number of values", size));
    for (std::size_t row = 0; row < rows_; ++row)
      if (offsets[row] > offsets[row + 1])
        refuse("indptr", fmt::format("offset {} after {}", offsets[row + 1], offsets[row]), "offsets ascend");
    for (std::size_t row = 0; row < rows_; ++row) check_row(matrix, row);
  }

  void check_row(const SparseRows& matrix, std::size_t row) const {
    const StorageIndex* const offsets = matrix.outerIndexPtr();
    const StorageIndex* const indices = matrix.innerIndexPtr();
    for (StorageIndex at = offsets[row]; at < offsets[row + 1]; ++at) {
      if (!std::isfinite(matrix.valuePtr()[at]))
        refuse("data", fmt::format("{} in row {}, column {}", matrix.valuePtr()[at], row, indices[at]),
               "values must be finite; rows and columns count from 0", "Fill or drop missing values.");
      if (static_cast<std::size_t>(indices[at]) >= columns_)
        refuse("indices", fmt::format("column {} in row {}", indices[at], row),
               fmt::format("there are {}", columns_));
      if (at > offsets[row] && indices[at] <= indices[at - 1])
        refuse("indices", fmt::format("column {} after {} in row {}", indices[at], indices[at - 1], row),
               "the columns of a row ascend", "Call X.sum_duplicates() before saving: it sorts too.");
    }
  }

  [[noreturn]] void refuse(std::string_view array, std::string_view found, std::string_view rule,
                           std::string_view remedy = "Write scipy.sparse.save_npz(file, X.tocsr()).") const {
    throw InputError(archive_.place(array), found, rule, remedy);
  }

  Archive& archive_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

std::variant<DenseRows, SparseRows> read_features(Archive& archive, std::string_view place) {
  constexpr std::array<std::string_view, 4> dense_names = {"X", "data", "features", "x"};
  if (archive.contains("format")) {
    const std::string format = archive.text("format");
    if (format != "csr")
      throw InputError(place, fmt::format("a sparse matrix in format {}", shown(format)),
                       "sparse rows come in format csr", "Write scipy.sparse.save_npz(file, X.tocsr()).");
    return CsrReader(archive).read();
  }
  const auto name = archive.find(dense_names);
  if (!name)
    throw InputError(place, "no array of features", "features are the array X, data, features or x",
                     "Write numpy.savez(file, X=X, y=y).");
  return to_rows(archive.array(*name), archive.place(*name));
}

}  // namespace

NpzContent parse_npz(std::string_view bytes, std::string_view place) {
  constexpr std::array<std::string_view, 3> label_names = {"y", "labels", "target"};
  Archive archive(bytes, place);
  NpzContent content{read_features(archive, place), std::nullopt};
  if (const auto name = archive.find(label_names))
    content.labels = to_vector(archive.array(*name), archive.place(*name));
  return content;
}

}  // namespace ideal::data
