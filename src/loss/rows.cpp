// SPDX-License-Identifier: Apache-2.0
#include "loss/rows.hpp"

#include "core/symmetric.hpp"

#include <ideal/error.hpp>

#include <bit>

#include <Spectra/SymEigsSolver.h>
#include <fmt/format.h>

namespace ideal {

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// A thread's room for a vector, to be used before the next call with the same tag.
template <class Tag>
std::vector<double>& thread_room() {
  thread_local std::vector<double> room;
  return room;
}

/// v -> A'A v / m for Spectra.
class GramOperator {
 public:
  using Scalar = double;
  explicit GramOperator(const Rows& rows) : rows_(rows) {}
  [[nodiscard]] Index rows() const { return rows_.columns(); }
  [[nodiscard]] Index cols() const { return rows_.columns(); }
  void perform_op(const double* in, double* out) const {
    std::fill_n(out, rows(), 0.0);
    const auto m = static_cast<double>(rows_.count());
    rows_.pass({}, in, out, [&](Index, Index count, double* z) {
      for (Index j = 0; j < count; ++j) z[j] /= m;
    });
  }

 private:
  const Rows& rows_;
};

double largest_by_lanczos(const Rows& rows) try {
  GramOperator gram(rows);
  Spectra::SymEigsSolver<GramOperator> solver(gram, 1, 20);
  solver.init();
  solver.compute(Spectra::SortRule::LargestAlge, 500, 1e-11);
  if (solver.info() != Spectra::CompInfo::Successful)
    throw RunError("the largest eigenvalue of A'A did not converge; give L yourself with --L");
  return solver.eigenvalues()[0];
} catch (const std::runtime_error& error) {  // Spectra's own, in the language of its inside
  throw RunError(fmt::format("the largest eigenvalue of A'A was not found ({}); give L yourself with --L",
                             error.what()));
}

/// Of AA', which has the same positive eigenvalues as A'A.
double largest_of_few_rows(const Rows& rows) {
  const Index m = rows.count();
  Block gram(m, m);
  Vector row(rows.columns());
  for (Index j = 0; j < m; ++j) {
    row.setZero();
    rows.add_row(j, 1, row.data());
    rows.multiply(0, m, row.data(), gram.col(j).data());
  }
  return symmetric_eigenvalues(gram)[m - 1] / static_cast<double>(m);
}

/// The row behind those from `first` on that stay near between their two uses, at least one: so many entries
/// of twelve bytes, and as many margins of eight as that leaves room for.
Index end_of_kept_rows(const SparseView& A, Index first) {
  constexpr Index entries = 20'000, rows = 10'000;
  const auto* const begin = A.offsets + first;
  const auto* const behind = std::upper_bound(begin, A.offsets + A.count + 1, *begin + entries);
  return std::clamp<Index>(behind - A.offsets - 1, first + 1, std::min(A.count, first + rows));
}

/// Many rows at a time: x and g share the nearest cache badly, so that going to and fro between them costs
/// more than fetching rows from another one. Where they are more than the CPU has addresses of at hand, it
/// costs more than reading all rows twice.
void sparse_pass(const SparseView& A, Index columns, const double* x, double* g,
                 const kernel::Residual& residual) {
  constexpr Index wide = 500'000;
  thread_local std::vector<double> z;
  for (Index first = 0; first < A.count;) {
    const Index next = columns > wide ? A.count : end_of_kept_rows(A, first);
    const auto some = A.some(first, next - first);
    z.resize(std::max(z.size(), static_cast<std::size_t>(some.count)));
    kernel::multiply(some, x, z.data());
    for (Index j = 0; j < some.count; j += kernel::most_margins)
      residual(first + j, std::min(kernel::most_margins, some.count - j), z.data() + j);
    kernel::add_multiples(some, z.data(), g);
    first = next;
  }
}

void multiply_sparse_panel(const SparseView& A, Index first, Index count, const double* X, Index width,
                           double* Z) {
  std::fill_n(Z, count * width, 0.0);
  for (Index j = 0; j < count; ++j)
    for (Index k = A.offsets[first + j]; k < A.offsets[first + j + 1]; ++k)
      for (Index c = 0; c < width; ++c) Z[j * width + c] += A.values[k] * X[A.columns[k] * width + c];
}

void add_sparse_panel(const SparseView& A, Index first, Index count, const double* R, Index width,
                      double* G) {
  for (Index j = 0; j < count; ++j)
    for (Index k = A.offsets[first + j]; k < A.offsets[first + j + 1]; ++k)
      for (Index c = 0; c < width; ++c) G[A.columns[k] * width + c] += A.values[k] * R[j * width + c];
}

Index entries(const Rows::Data& data) {
  return std::visit(Overloaded{[](const SparseView& A) { return A.entries(); },
                               [](const auto& A) { return A.count * A.d; }},
                    data);
}

}  // namespace

Rows::Rows(std::shared_ptr<const void> owner, Data data, const double* labels, Index columns,
           std::vector<std::int32_t> kept)
    : owner_(std::move(owner)),
      data_(data),
      labels_(labels),
      count_(std::visit([](const auto& A) { return A.count; }, data)),
      columns_(columns),
      held_(kept.empty() ? columns : std::ssize(kept)),
      kept_(std::move(kept)) {}

Index Rows::bytes() const {
  return std::visit(Overloaded{[](const SparseView& A) {
                                 return A.entries() * static_cast<Index>(sizeof(double) + sizeof(int));
                               },
                               [](const auto& A) { return A.count * A.row_bytes(); }},
                    data_);
}

/// A piece keeps a thread busy for longer than it takes to wake it and to add its sum to the others.
Index Rows::pieces(Index numbers) const {
  constexpr Index worth_a_thread = 4 << 20;
  const Index bytes_each = sizeof(double) + (sparse() ? sizeof(SparseRows::StorageIndex) : 0);
  const Index most = entries(data_) / (16 * std::max<Index>(1, numbers));
  const Index worth = std::max<Index>(1, std::min(entries(data_) * bytes_each / worth_a_thread, most));
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(worth)));  // threads get equal numbers
}

const double* Rows::gathered(const double* x, std::vector<double>& room) const {
  if (kept_.empty()) return x;
  room.resize(kept_.size());
  std::ranges::transform(kept_, room.begin(), [&](std::int32_t k) { return k < 0 ? 0 : x[k]; });
  return room.data();
}

void Rows::pass_rows(Index begin, Index end, const double* x, double* g,
                     const kernel::Residual& residual) const {
  if (const auto* sparse = std::get_if<SparseView>(&data_))
    return sparse_pass(sparse->some(begin, end - begin), columns_, x, g, residual.from(begin));
  struct HeldX;
  struct HeldG;
  const double* held_x = gathered(x, thread_room<HeldX>());
  auto& room = thread_room<HeldG>();
  if (!kept_.empty()) room.assign(kept_.size(), 0);
  double* held_g = kept_.empty() ? g : room.data();
  std::visit(Overloaded{[](const SparseView&) {},
                        [&](const auto& A) {
                          kernel::pass(A.some(begin, end - begin), held_x, held_g, residual.from(begin));
                        }},
             data_);
  for (std::size_t k = 0; k < kept_.size(); ++k)
    if (kept_[k] >= 0) g[kept_[k]] += room[k];
}

void Rows::multiply(Index first, Index count, const double* x, double* z) const {
  struct HeldX;
  std::visit(Overloaded{[&](const SparseView& A) { kernel::multiply(A.some(first, count), x, z); },
                        [&](const auto& A) {
                          kernel::multiply(A.some(first, count), gathered(x, thread_room<HeldX>()), z);
                        }},
             data_);
}

void Rows::add_row(Index row, double r, double* g) const {
  std::visit(Overloaded{[&](const SparseView& A) { kernel::add_multiples(A.some(row, 1), &r, g); },
                        [&](const auto& A) {
                          if (kept_.empty()) return kernel::add_multiples(A.some(row, 1), &r, g);
                          for (std::size_t k = 0; k < kept_.size(); ++k)
                            if (kept_[k] >= 0) g[kept_[k]] += r * A.row(row)[k];
                        }},
             data_);
}

double Rows::largest_square() const {
  Vector row = Vector::Zero(columns_);
  double largest = 0, square = 0;
  for (Index j = 0; j < count_; ++j) {
    add_row(j, 1, row.data());
    multiply(j, 1, row.data(), &square);
    add_row(j, -1, row.data());
    largest = std::max(largest, square);
  }
  return largest;
}

/// A tile that stays in the L2 cache between its two uses, beside the panels it is multiplied by and added
/// to, and the next one: about 128 KB, or one group of rows.
Index Rows::panel_rows() const {
  constexpr Index numbers = 16 << 10, group = kernel::panel_group;
  return std::clamp<Index>((numbers / std::max<Index>(1, held_) + group / 2) / group, 1, 64) * group;
}

kernel::Rows<double> Rows::in_double(Index first, Index count, kernel::Numbers& wide) const {
  if (const auto* already = std::get_if<kernel::Rows<double>>(&data_)) return already->some(first, count);
  const auto& A = std::get<kernel::Rows<float>>(data_);
  wide.resize(static_cast<std::size_t>(count * A.apart));
  kernel::widen(A.row(first), count * A.apart, wide.data());
  return {wide.data(), count, A.d, kernel::Place::own_cache, kernel::Reading::tiles, A.apart};
}

void Rows::pass_panel_rows(Index begin, Index end, const Panel& panel, const PanelUse& use) const {
  thread_local kernel::Numbers Z, R, wide;
  const Index tile = panel_rows();
  Z.resize(static_cast<std::size_t>(tile * panel.x_width));
  R.resize(static_cast<std::size_t>(tile * panel.g_width));
  for (Index first = begin; first < end; first += tile) {
    const Index count = std::min(tile, end - first);
    if (const auto* A = std::get_if<SparseView>(&data_)) {
      multiply_sparse_panel(*A, first, count, panel.X, panel.x_width, Z.data());
      use(first, count, Z.data(), R.data());
      if (panel.G) add_sparse_panel(*A, first, count, R.data(), panel.g_width, panel.G);
    } else {
      const auto rows = in_double(first, count, wide);
      kernel::multiply_panel(rows, panel.X, panel.x_width, Z.data());
      use(first, count, Z.data(), R.data());
      if (panel.G) kernel::add_panel(rows, R.data(), panel.g_width, panel.G);
    }
  }
}

void Rows::add_weighted_gram(const Vector& w, Block& H) const {
  if (const auto* A = std::get_if<SparseView>(&data_)) {
    for (Index j = 0; j < count_; ++j)
      for (Index a = A->offsets[j]; a < A->offsets[j + 1]; ++a)
        for (Index b = A->offsets[j]; b <= a; ++b)
          H(A->columns[a], A->columns[b]) += w[j] * A->values[a] * A->values[b];
    return;
  }
  if (4 * (w.array() != 0).count() < count_) return add_gram_of_few(w, H);
  // Panels of columns of A'diag(w)A, each from its diagonal down.
  constexpr Index columns_at_once = 12;
  const Index width = kernel::whole_registers(columns_at_once), panels = (held_ + width - 1) / width;
  const Index tile = panel_rows();
  kernel::Numbers G(static_cast<std::size_t>(panels * held_ * width), 0),
      R(static_cast<std::size_t>(tile * width)), wide;
  for (Index first = 0; first < count_; first += tile) {
    const Index count = std::min(tile, count_ - first);
    const auto A = in_double(first, count, wide);
    for (Index p = 0; p < panels; ++p) {
      for (Index j = 0; j < count; ++j)
        for (Index c = 0; c < width; ++c)
          R[static_cast<std::size_t>(j * width + c)] =
              p * width + c < held_ ? w[first + j] * A.row(j)[p * width + c] : 0;
      kernel::add_panel(A, R.data(), width, G.data() + p * held_ * width, p * width);
    }
  }
  for (Index b = 0; b < held_; ++b)
    for (Index a = b; a < held_; ++a)
      if (column(a) >= 0 && column(b) >= 0)
        H(column(a), column(b)) += G[static_cast<std::size_t>((b / width * held_ + a) * width + b % width)];
}

/// Where most rows weigh nothing, as those of losses that are straight but for kinks that were rounded off.
void Rows::add_gram_of_few(const Vector& w, Block& H) const {
  constexpr Index at_once = 256;
  Block chosen = Block::Zero(H.rows(), at_once);
  kernel::Numbers wide;
  Index held = 0;
  for (Index j = 0; j < count_; ++j) {
    if (w[j] != 0) {
      const auto A = in_double(j, 1, wide);
      const double root = std::sqrt(w[j]);  // curvatures of convex losses
      for (Index k = 0; k < held_; ++k)
        if (column(k) >= 0) chosen(column(k), held) = root * A.row(0)[k];
      ++held;
    }
    if (held == at_once || (j + 1 == count_ && held > 0)) {
      H.selfadjointView<Eigen::Lower>().rankUpdate(chosen.leftCols(held));
      held = 0;
    }
  }
}

bool Rows::all_zero() const {
  return std::visit(Overloaded{[](const SparseView& A) {
                                 return std::all_of(A.values + A.offsets[0], A.values + A.offsets[A.count],
                                                    [](double v) { return v == 0; });
                               },
                               [](const auto& A) {
                                 return std::all_of(A.data, A.data + A.count * A.apart,
                                                    [](auto v) { return v == 0; });
                               }},
                    data_);
}

Rows::GramSpectrum Rows::gram_spectrum(bool want_smallest) const {
  const Index d = columns();
  const bool full_rank_possible = count() >= d;
  if (all_zero()) return {0.0, 0.0};
  if (count() < d && count() <= 64) return {largest_of_few_rows(*this), 0.0};
  if (d <= 64 || (want_smallest && full_rank_possible && d <= dense_limit)) {
    Block gram = Block::Zero(d, d);
    add_weighted_gram(Vector::Constant(count(), 1.0 / static_cast<double>(count())), gram);
    const Vector lambda = symmetric_eigenvalues(gram);
    return {lambda[d - 1], full_rank_possible ? std::max(0.0, lambda[0]) : 0.0};
  }
  return {largest_by_lanczos(*this), 0.0};
}

}  // namespace ideal
