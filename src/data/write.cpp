// SPDX-License-Identifier: Apache-2.0
// Writers of data sets, one a format; each leaves either the whole file or the old one.
#include "data/atomic_file.hpp"
#include "data/gzip.hpp"
#include "data/npy_header.hpp"
#include "data/zip.hpp"

#include <ideal/data.hpp>
#include <ideal/error.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace ideal {
namespace {

using data::AtomicFile;
using data::bytes_of;
using data::npy_header;
using data::ZipWriter;

/// Text on its way to a file, gzipped or not.
class TextFile {
 public:
  TextFile(const std::filesystem::path& file, bool gzipped) : file_(file) {
    if (gzipped) packer_.emplace();
  }

  void text(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= chunk) pass_on();
  }
  /// The shortest decimal that reads back as the same bits.
  void number(double value) { fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), value); }
  void integer(Index value) { fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), value); }

  void commit() {
    pass_on();
    if (packer_) file_.write(packer_->finish());
    file_.commit();
  }

 private:
  static constexpr std::size_t chunk = 1 << 18;

  void pass_on() {
    file_.write(packer_ ? packer_->pack(buffer_) : buffer_);
    buffer_.clear();
  }

  AtomicFile file_;
  std::optional<data::GzipPacker> packer_;
  std::string buffer_;
};

/// Row `row` with its zeros, whatever the storage.
Eigen::RowVectorXd dense_row(const Dataset& data, Index row) {
  return std::visit([&](const auto& matrix) { return Eigen::RowVectorXd(matrix.row(row)); }, data.features);
}

void write_features(TextFile& out, const SparseRows& matrix, Index row) {
  for (SparseRows::InnerIterator entry(matrix, row); entry; ++entry) {
    out.text(" ");
    out.integer(entry.col() + 1);
    out.text(":");
    out.number(entry.value());
  }
}

void write_features(TextFile& out, const DenseRows& matrix, Index row) {
  for (Index column = 0; column < matrix.cols(); ++column) {
    if (matrix(row, column) == 0) continue;
    out.text(" ");
    out.integer(column + 1);
    out.text(":");
    out.number(matrix(row, column));
  }
}

bool stores_last_column(const DenseRows& matrix) { return (matrix.rightCols(1).array() != 0).any(); }

bool stores_last_column(const SparseRows& matrix) {
  for (Index row = 0; row < matrix.rows(); ++row)
    for (SparseRows::InnerIterator entry(matrix, row); entry; ++entry)
      if (entry.col() + 1 == matrix.cols()) return true;
  return false;
}

void write_libsvm(const Dataset& data, TextFile& out) {
  // A reader takes the largest index for the width, so an empty last column leaves one explicit zero.
  bool width_known = std::visit([](const auto& matrix) { return stores_last_column(matrix); }, data.features);
  for (Index row = 0; row < data.rows(); ++row) {
    out.number(data.labels[row]);
    std::visit([&](const auto& matrix) { write_features(out, matrix, row); }, data.features);
    if (!std::exchange(width_known, true)) out.text(fmt::format(" {}:0", data.columns()));
    out.text("\n");
  }
  out.commit();
}

void write_csv(const Dataset& data, TextFile& out) {
  for (Index column = 1; column <= data.columns(); ++column) {
    out.text("x");
    out.integer(column);
    out.text(",");
  }
  out.text("label\n");
  for (Index row = 0; row < data.rows(); ++row) {
    for (const double value : dense_row(data, row)) {
      out.number(value);
      out.text(",");
    }
    out.number(data.labels[row]);
    out.text("\n");
  }
  out.commit();
}

void write_npy_dataset(const Dataset& data, const std::filesystem::path& file) {
  AtomicFile out(file);
  out.write(npy_header("f8", fmt::format("({}, {})", data.rows(), data.columns() + 1)));
  for (Index row = 0; row < data.rows(); ++row) {
    const Eigen::RowVectorXd values = dense_row(data, row);
    out.write(bytes_of(values.data(), static_cast<std::size_t>(values.size())));
    out.write(bytes_of(&data.labels[row], 1));
  }
  out.commit();
}

std::string vector_header(std::string_view type, Index size) {
  return npy_header(type, fmt::format("({},)", size));
}

void add_features(ZipWriter& zip, const DenseRows& matrix) {
  zip.add("X.npy", {npy_header("f8", fmt::format("({}, {})", matrix.rows(), matrix.cols())),
                    bytes_of(matrix.data(), static_cast<std::size_t>(matrix.size()))});
}

void add_features(ZipWriter& zip, const FloatRows& matrix) {
  zip.add("X.npy", {npy_header("f4", fmt::format("({}, {})", matrix.rows(), matrix.cols())),
                    bytes_of(matrix.data(), static_cast<std::size_t>(matrix.size()))});
}

// The arrays scipy.sparse.load_npz expects.
void add_features(ZipWriter& zip, const SparseRows& matrix) {
  if (!matrix.isCompressed()) {
    SparseRows compressed = matrix;
    compressed.makeCompressed();
    return add_features(zip, compressed);
  }
  const Index count = matrix.nonZeros();
  const auto size = static_cast<std::size_t>(count);
  const std::array<std::int64_t, 2> shape = {matrix.rows(), matrix.cols()};
  zip.add("indices.npy", {vector_header("i4", count), bytes_of(matrix.innerIndexPtr(), size)});
  zip.add("indptr.npy", {vector_header("i4", matrix.rows() + 1),
                         bytes_of(matrix.outerIndexPtr(), static_cast<std::size_t>(matrix.rows()) + 1)});
  zip.add("format.npy", {npy_header("S3", "()"), "csr"});
  zip.add("shape.npy", {vector_header("i8", 2), bytes_of(shape.data(), 2)});
  zip.add("data.npy", {vector_header("f8", count), bytes_of(matrix.valuePtr(), size)});
}

template <class Matrix>
void write_npz(const Matrix& features, const Vector& labels, const std::filesystem::path& file) {
  AtomicFile out(file);
  ZipWriter zip(out);
  add_features(zip, features);
  zip.add("y.npy", {vector_header("f8", labels.size()),
                    bytes_of(labels.data(), static_cast<std::size_t>(labels.size()))});
  zip.finish();
  out.commit();
}

}  // namespace

void write_dataset(const Dataset& data, const std::filesystem::path& file) {
  const bool gzipped = file.extension() == ".gz";
  const std::string extension = (gzipped ? file.stem() : file).extension().string();
  if (extension == ".svm" || extension == ".libsvm") {
    TextFile out(file, gzipped);
    return write_libsvm(data, out);
  }
  if (extension == ".csv") {
    TextFile out(file, gzipped);
    return write_csv(data, out);
  }
  if (extension == ".npy" && !gzipped) return write_npy_dataset(data, file);
  if (extension == ".npz" && !gzipped)
    return std::visit([&](const auto& features) { write_npz(features, data.labels, file); }, data.features);
  throw InputError(file.string(), fmt::format("extension '{}{}'", extension, gzipped ? ".gz" : ""),
                   "the extension names the format to write",
                   "Use .svm, .libsvm, .csv, .svm.gz, .libsvm.gz, .csv.gz, .npy or .npz.");
}

void write_dataset(const FloatRows& features, const Vector& labels, const std::filesystem::path& file) {
  if (file.extension() == ".npz") return write_npz(features, labels, file);
  write_dataset({.name = {}, .features = DenseRows(features.cast<double>()), .labels = labels}, file);
}

}  // namespace ideal
