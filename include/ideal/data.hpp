// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <Eigen/SparseCore>

namespace ideal {

using DenseRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRows =
    Eigen::SparseMatrix<double, Eigen::RowMajor>;  // compressed, columns of a row ascend; 32-bit indices

/// Rows of features, each with a label. Sparse input stays sparse.
struct Dataset {
  std::string name;
  std::variant<DenseRows, SparseRows> features;
  Vector labels;

  [[nodiscard]] Index rows() const { return labels.size(); }
  [[nodiscard]] Index columns() const;
  [[nodiscard]] bool sparse() const { return std::holds_alternative<SparseRows>(features); }
  [[nodiscard]] Index nonzeros() const;
};

// ---- files -------------------------------------------------------------------------------------------

enum class Format { libsvm, csv, npy, npz, idx };

struct ReadOptions {
  std::string label = {};  ///< CSV: name of the label column; default the last. Other formats ignore it.
  std::filesystem::path labels = {};  ///< IDX, NPY, NPZ: file with the labels, itself IDX or NPY; default for
                                      ///< IDX: the sibling `*labels-idx1*`; for NPY: the last column; for
                                      ///< NPZ: the array y.
  int threads = 1;                    ///< that read together; what is read does not depend on it
};

/// Reads LIBSVM/SVMlight, CSV, NPY, NPZ or IDX, plain or gzipped; the format is recognised by content.
/// Throws InputError naming file and line (text) or byte offset (binary), the value, the rule and the remedy.
Dataset read_dataset(const std::filesystem::path& file, const ReadOptions& options = {});

/// Where what text files hold is kept in binary, so that they are parsed once.
struct ParsedCache {
  std::filesystem::path folder;            ///< readable by its owner only, as the data may be private
  std::uint64_t least_file = 16ull << 20;  ///< bytes; smaller files are read anew, which takes no time
  std::uint64_t most = 8ull << 30;         ///< bytes of all entries; those not used for longest make room
};

/// The same data set as read_dataset. That of a large LIBSVM or CSV file, plain or gzipped, is found in the
/// cache by the content of the file and by the options, or is kept there. An entry that is damaged is made
/// anew, and a cache that cannot be written costs time at the next reading, nothing else.
Dataset read_cached(const std::filesystem::path& file, const ReadOptions& options, const ParsedCache& cache);

/// The format `read_dataset` would recognise, and whether the file is gzipped.
struct Recognised {
  Format format;
  bool gzipped;
};
Recognised recognise(const std::filesystem::path& file);

std::string_view to_string(Format format);

/// Writes in the format the extension names: .svm/.libsvm, .csv, .npy (labels last column), .npz; plus ".gz"
/// for the text formats. Atomic: written beside the target and renamed, so a failure leaves no half file.
void write_dataset(const Dataset& data, const std::filesystem::path& file);

/// The same for features in single precision; NPZ keeps them so and is half as large.
void write_dataset(const FloatRows& features, const Vector& labels, const std::filesystem::path& file);

/// Writes a float64 matrix (rows x cols, C order) as NPY, atomically. Unlike a data set, a matrix may hold
/// NaN and infinity: the solution of a diverged run does. A one-dimensional file is read as one column.
void write_npy(const Eigen::Ref<const DenseRows>& matrix, const std::filesystem::path& file);
DenseRows read_npy(const std::filesystem::path& file);

// ---- shaping -----------------------------------------------------------------------------------------

struct Synthetic {
  Index rows = 1000;
  Index columns = 20;
  int classes = 2;     ///< labels -1/+1 for two classes, 0..classes-1 for more, real for 0 (regression)
  double decay = 10;   ///< ratio of the largest to the smallest feature scale (spectrum of the features)
  double noise = 0.1;  ///< label noise: flip probability, or standard deviation for regression
  double density = 1;  ///< < 1 gives a sparse data set with that share of non-zeros
  std::uint64_t seed = 0;
};

/// A seeded problem of the given shape; the same on every platform.
Dataset synthesize(const Synthetic& options);

/// Some of its rows, in the order asked for; and the labels of rows first ... end-1.
Dataset synthesize(const Synthetic& options, std::span<const Index> rows);
Vector synthetic_labels(const Synthetic& options, Index first, Index end);

/// Keeps the rows labelled `first` or `second` and relabels them -1 and +1. Throws InputError if one does not
/// occur, unless told that it need not.
void keep_classes(Dataset& data, double first, double second, bool both = true);

/// Scales every non-zero row to unit Euclidean norm.
void normalize_rows(Dataset& data);

/// Agent i owns rows order[offsets[i]] ... order[offsets[i+1]-1].
struct Division {
  std::vector<Index> order;
  std::vector<Index> offsets;
};

/// Deals rows to agents, knowing no more of them than their labels. kinds: contiguous | shuffled | by-label |
/// dirichlet:ALPHA. Every agent gets at least one row.
Division divide(const Vector& labels, std::string_view kind, Index agents, std::uint64_t seed);

/// Divides the rows of `data`, reorders them in place and returns offsets o_0 = 0 ... o_n = rows: agent i
/// owns rows o_i ... o_{i+1}-1.
std::vector<Index> partition(Dataset& data, std::string_view kind, Index agents, std::uint64_t seed);

}  // namespace ideal
