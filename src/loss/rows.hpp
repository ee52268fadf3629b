// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loss/kernels.hpp"

#include <ideal/loss.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace ideal {

using kernel::SparseView;

/// One agent's rows, dense or sparse, and the passes over them that losses are made of.
class Rows {
 public:
  using Data = std::variant<kernel::Rows<double>, kernel::Rows<float>, SparseView>;

  /// `owner` keeps data and labels alive. `kept` are the columns that the data hold, ascending, if not all:
  /// the others are zero.
  Rows(std::shared_ptr<const void> owner, Data data, const double* labels, Index columns,
       std::vector<std::int32_t> kept = {});

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] const double* labels() const { return labels_; }
  [[nodiscard]] bool sparse() const { return std::holds_alternative<SparseView>(data_); }
  [[nodiscard]] Storage storage() const {
    return std::holds_alternative<kernel::Rows<float>>(data_) ? Storage::f32 : Storage::f64;
  }

  /// Of memory.
  [[nodiscard]] Index bytes() const;

  /// Dense rows of this type; null: these are others.
  template <class Number>
  [[nodiscard]] const kernel::Rows<Number>* dense() const {
    return std::get_if<kernel::Rows<Number>>(&data_);
  }

  /// How passes go through dense rows from now on.
  template <class Number>
  void read_by(kernel::Reading reading) {
    if (auto* rows = std::get_if<kernel::Rows<Number>>(&data_)) rows->reading = reading;
  }

  /// How many pieces of the rows are worth a thread each, where a sum has `numbers` numbers. It depends on
  /// nothing but the rows, and not on the type that holds them.
  [[nodiscard]] Index pieces(Index numbers) const;

  /// One of so many pieces.
  struct Piece {
    Index number = 0, of = 1;
  };

  /// One pass over a piece: g += sum_j r_j a_j, with r what `residual` makes of A x.
  void pass(Piece piece, const double* x, double* g, const kernel::Residual& residual) const {
    pass_rows(first_of(piece.number, piece.of), first_of(piece.number + 1, piece.of), x, g, residual);
  }

  /// z = A x of rows first ... first+count-1.
  void multiply(Index first, Index count, const double* x, double* z) const;

  /// g += r a_row.
  void add_row(Index row, double r, double* g) const;

  /// The largest |a_row|^2.
  [[nodiscard]] double largest_square() const;

  /// (first, count, Z, R): rows of the panel Z = A X, and room for as many rows of R.
  using PanelUse = kernel::Callback<Index, Index, const double*, double*>;

  /// Calls `use` tile by tile and adds A'R to the panel G. X and G have a row for each held column.
  struct Panel {
    const double* X;
    Index x_width;
    double* G = nullptr;  ///< null: nothing is added
    Index g_width = 0;
  };
  void pass_panel(Piece piece, const Panel& panel, const PanelUse& use) const {
    pass_panel_rows(first_of(piece.number, piece.of), first_of(piece.number + 1, piece.of), panel, use);
  }

  /// How many columns the data hold, and which column of the data set the k-th is; -1: none, all zero.
  [[nodiscard]] Index held() const { return held_; }
  [[nodiscard]] Index column(Index k) const { return kept_.empty() ? k : kept_[static_cast<std::size_t>(k)]; }

  /// Adds A' diag(w) A to the lower triangle of H.
  void add_weighted_gram(const Vector& w, Block& H) const;  ///< w >= 0

  /// Extreme eigenvalues of A'A / count. The smallest is exact up to dimension `dense_limit`, and the valid
  /// lower bound 0 beyond.
  struct GramSpectrum {
    double largest, smallest;
  };
  [[nodiscard]] GramSpectrum gram_spectrum(bool want_smallest) const;

 private:
  [[nodiscard]] Index first_of(Index piece, Index pieces) const { return count_ * piece / pieces; }
  void pass_rows(Index begin, Index end, const double* x, double* g, const kernel::Residual& residual) const;
  void pass_panel_rows(Index begin, Index end, const Panel& panel, const PanelUse& use) const;
  void add_gram_of_few(const Vector& w, Block& H) const;
  [[nodiscard]] kernel::Rows<double> in_double(Index first, Index count, kernel::Numbers& wide) const;
  [[nodiscard]] const double* gathered(const double* x, std::vector<double>& room) const;
  [[nodiscard]] bool all_zero() const;
  [[nodiscard]] Index panel_rows() const;
  static constexpr Index dense_limit = 2000;

  std::shared_ptr<const void> owner_;
  Data data_;
  const double* labels_;
  Index count_, columns_, held_;
  std::vector<std::int32_t> kept_;
};

}  // namespace ideal
