// SPDX-License-Identifier: Apache-2.0
// NPZ: a zip archive of NPY arrays. Features are X, or a CSR matrix as scipy.sparse.save_npz writes it;
// labels are y.
#include "data/npy_header.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "data/zip.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal::data {
namespace {

using StorageIndex = SparseRows::StorageIndex;

class Archive {
 public:
  explicit Archive(const Content& archive) : zip_(archive), place_(archive.place()) {}

  [[nodiscard]] bool contains(std::string_view array) const { return zip_.contains(member(array)); }

  /// The first of `names` the archive has.
  template <std::size_t n>
  [[nodiscard]] std::optional<std::string_view> find(const std::array<std::string_view, n>& names) const {
    for (const std::string_view name : names)
      if (contains(name)) return name;
    return std::nullopt;
  }

  ArrayView array(std::string_view name) { return parse_npy(zip_.read(member(name)), place(name)); }

  [[nodiscard]] Elements elements(std::string_view name) const {
    if (!contains(name))
      throw InputError(place_, fmt::format("no array {}", name),
                       "a sparse matrix has data, indices, indptr and shape",
                       "Write scipy.sparse.save_npz(file, X.tocsr()).");
    return open_npy(zip_.stream(member(name)), zip_.size(member(name)), place(name));
  }

  std::string text(std::string_view name) { return read_npy_text(zip_.read(member(name)), place(name)); }

  [[nodiscard]] std::string place(std::string_view array) const {
    return fmt::format("{}[{}]", place_, array);
  }

 private:
  static std::string member(std::string_view array) { return fmt::format("{}.npy", array); }

  ZipReader zip_;
  std::string place_;
};

/// What `use` makes of the elements. If that fails although the array should be whole, a wrong checksum is
/// the better explanation.
template <class Use>
void use_checked(Elements& elements, bool whole, Use&& use) {
  try {
    use();
  } catch (const InputError&) {
    if (whole) elements.finish();
    throw;
  }
}

/// A CSR matrix out of the arrays data, indices, indptr and shape, none of which is trusted.
class CsrReader {
 public:
  explicit CsrReader(const Archive& archive) : archive_(archive) {
    Elements shape = integers("shape", 2);
    std::array<std::int64_t, 2> extents{};
    shape.read(0, 2, extents.data());
    shape.finish();
    constexpr auto limit = std::numeric_limits<StorageIndex>::max();
    if (extents[0] < 1 || extents[1] < 1 || extents[0] >= limit || extents[1] >= limit)
      refuse("shape", fmt::format("shape {} x {}", extents[0], extents[1]),
             fmt::format("a sparse data set has 1 to {} rows and columns", limit - 1));
    rows_ = static_cast<std::size_t>(extents[0]);
    columns_ = static_cast<std::size_t>(extents[1]);
  }

  [[nodiscard]] Extents extents() const { return {static_cast<Index>(rows_), static_cast<Index>(columns_)}; }

  [[nodiscard]] SparseRows read(const Selection& selection) const {
    selection.check_extents(extents().rows, extents().columns);
    Elements data = values();
    const std::vector<StorageIndex> offsets = read_offsets(data.size());
    Elements indices = integers("indices", data.size());
    SparseRows matrix = allocate_rows(selection, offsets);
    use_checked(indices, selection.all(), [&] {
      use_checked(data, selection.all(), [&] { fill(matrix, selection, offsets, indices, data); });
    });
    if (selection.all()) {
      data.finish();
      indices.finish();
    }
    return matrix;
  }

 private:
  [[nodiscard]] Elements values() const {
    Elements array = archive_.elements("data");
    if (array.head().shape.size() != 1 || array.size() > std::numeric_limits<StorageIndex>::max())
      refuse("data", fmt::format("an array of shape {}", to_string(array.head().shape)),
             "the values are one-dimensional and at most 2147483647");
    return array;
  }

  [[nodiscard]] Elements integers(std::string_view name, std::size_t size) const {
    Elements array = archive_.elements(name);
    if (!array.head().integral() || array.head().shape.size() != 1)
      refuse(name, fmt::format("an array of shape {}", to_string(array.head().shape)),
             "a one-dimensional integer array is needed");
    if (array.size() != size)
      refuse(name, fmt::format("{} integers", array.size()), fmt::format("the matrix needs {}", size));
    return array;
  }

  /// Where rows begin; where each ends, the next begins.
  [[nodiscard]] std::vector<StorageIndex> read_offsets(std::uint64_t size) const {
    Elements indptr = integers("indptr", rows_ + 1);
    std::vector<StorageIndex> offsets(rows_ + 1);
    use_checked(indptr, true, [&] { read_integers(indptr, "indptr", 0, offsets); });
    indptr.finish();
    if (offsets[0] != 0 || static_cast<std::uint64_t>(offsets[rows_]) != size)
      refuse("indptr", fmt::format("offsets from {} to {}", offsets[0], offsets[rows_]),
             fmt::format("offsets run from 0 to {}, the number of values", size));
    for (std::size_t row = 0; row < rows_; ++row)
      if (offsets[row] > offsets[row + 1])
        refuse("indptr", fmt::format("offset {} after {}", offsets[row + 1], offsets[row]), "offsets ascend");
    return offsets;
  }

  void read_integers(Elements& array, std::string_view name, std::size_t first,
                     std::span<StorageIndex> out) const {
    std::array<std::int64_t, 1024> some;
    for (std::size_t done = 0; done < out.size();) {
      const std::size_t count = std::min(out.size() - done, some.size());
      array.read(first + done, count, some.data());
      for (std::size_t i = 0; i < count; ++i, ++done) {
        if (some[i] < 0 || some[i] > std::numeric_limits<StorageIndex>::max())
          refuse(name, fmt::format("{} at position {}", some[i], first + done),
                 "offsets and indices are 0 to 2147483647");
        out[done] = static_cast<StorageIndex>(some[i]);
      }
    }
  }

  /// With the offsets of the selected rows, wherever they come to stand.
  [[nodiscard]] SparseRows allocate_rows(const Selection& selection,
                                         const std::vector<StorageIndex>& offsets) const {
    SparseRows matrix(selection.count(extents().rows), extents().columns);
    StorageIndex* const ends = matrix.outerIndexPtr() + 1;
    selection.each(extents().rows,
                   [&](Index row, Index position) { ends[position] = offsets[row + 1] - offsets[row]; });
    const Index size = std::accumulate(ends, ends + matrix.rows(), Index{0});
    if (size > std::numeric_limits<StorageIndex>::max())  // rows that are wanted several times
      refuse("data", fmt::format("{} values", size), "a sparse data set holds at most 2147483647");
    std::partial_sum(ends, ends + matrix.rows(), ends);
    matrix.resizeNonZeros(size);
    return matrix;
  }

  void fill(SparseRows& matrix, const Selection& selection, const std::vector<StorageIndex>& offsets,
            Elements& indices, Elements& data) const {
    Index last_row = -1, last_position = 0;
    selection.each(extents().rows, [&](Index row, Index position) {
      const auto size = static_cast<std::size_t>(offsets[row + 1] - offsets[row]);
      const auto first = static_cast<std::size_t>(offsets[row]);
      const StorageIndex at = matrix.outerIndexPtr()[position];
      const std::span<StorageIndex> columns(matrix.innerIndexPtr() + at, size);
      const std::span<double> values(matrix.valuePtr() + at, size);
      if (row == last_row) {  // wanted twice, and passed
        const StorageIndex from = matrix.outerIndexPtr()[last_position];
        std::copy_n(matrix.innerIndexPtr() + from, size, columns.begin());
        std::copy_n(matrix.valuePtr() + from, size, values.begin());
        return;
      }
      read_integers(indices, "indices", first, columns);
      data.read(first, size, values.data());
      check_row(columns, values, row);
      last_row = row;
      last_position = position;
    });
  }

  void check_row(std::span<const StorageIndex> columns, std::span<const double> values, Index row) const {
    for (std::size_t at = 0; at < columns.size(); ++at) {
      if (!std::isfinite(values[at]))
        refuse("data", fmt::format("{} in row {}, column {}", values[at], row, columns[at]),
               "values must be finite; rows and columns count from 0", "Fill or drop missing values.");
      if (static_cast<std::size_t>(columns[at]) >= columns_)
        refuse("indices", fmt::format("column {} in row {}", columns[at], row),
               fmt::format("there are {}", columns_));
      if (at > 0 && columns[at] <= columns[at - 1])
        refuse("indices", fmt::format("column {} after {} in row {}", columns[at], columns[at - 1], row),
               "the columns of a row ascend", "Call X.sum_duplicates() before saving: it sorts too.");
    }
  }

  [[noreturn]] void refuse(std::string_view array, std::string_view found, std::string_view rule,
                           std::string_view remedy = "Write scipy.sparse.save_npz(file, X.tocsr()).") const {
    throw InputError(archive_.place(array), found, rule, remedy);
  }

  const Archive& archive_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

bool holds_csr(Archive& archive, std::string_view place) {
  if (!archive.contains("format")) return false;
  const std::string format = archive.text("format");
  if (format != "csr")
    throw InputError(place, fmt::format("a sparse matrix in format {}", shown(format)),
                     "sparse rows come in format csr", "Write scipy.sparse.save_npz(file, X.tocsr()).");
  return true;
}

Elements dense_features(const Archive& archive, std::string_view place) {
  constexpr std::array<std::string_view, 4> names = {"X", "data", "features", "x"};
  const auto name = archive.find(names);
  if (!name)
    throw InputError(place, "no array of features", "features are the array X, data, features or x",
                     "Write numpy.savez(file, X=X, y=y).");
  return archive.elements(*name);
}

std::optional<Vector> archived_labels(Archive& archive) {
  constexpr std::array<std::string_view, 3> names = {"y", "labels", "target"};
  const auto name = archive.find(names);
  if (!name) return std::nullopt;
  return to_vector(archive.array(*name), archive.place(*name));
}

std::variant<DenseRows, SparseRows> archived_rows(Archive& archive, const Selection& selection,
                                                  std::string_view place) {
  if (holds_csr(archive, place)) return CsrReader(archive).read(selection);
  Elements elements = dense_features(archive, place);
  std::variant<DenseRows, SparseRows> rows;
  use_checked(elements, selection.all(), [&] { rows = take_rows(elements, selection, false).features; });
  return rows;
}

}  // namespace

NpzContent read_npz(const Content& bytes, const Selection& selection) {
  Archive archive(bytes);
  NpzContent content{archived_rows(archive, selection, bytes.place()), std::nullopt};
  if (selection.all()) content.labels = archived_labels(archive);
  return content;
}

NpzContent parse_npz(std::string_view bytes, std::string_view place) {
  return read_npz(Content(bytes, place), {});
}

NpzOutline outline_npz(const Content& bytes) {
  Archive archive(bytes);
  const bool sparse = holds_csr(archive, bytes.place());
  const Extents extents = [&] {
    if (sparse) return CsrReader(archive).extents();
    const Elements elements = dense_features(archive, bytes.place());
    return extents_of(elements.head(), 1, elements.place());
  }();
  return {extents, sparse, archived_labels(archive)};
}

}  // namespace ideal::data
