// SPDX-License-Identifier: Apache-2.0
#include "core/cache.hpp"
#include "core/huge_pages.hpp"
#include "loss/reading.hpp"
#include "loss/rows.hpp"

#include <ideal/error.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include <fmt/format.h>

namespace ideal {

namespace {

const std::array<std::string, 3> storage_names{"auto", "f64", "f32"};

/// What is found in the rows of one agent.
struct Findings {
  bool floats = true;              ///< every value is one in single precision, too
  std::vector<std::int32_t> kept;  ///< columns that are not zero throughout; empty: not worth leaving any out

  [[nodiscard]] Index width(Index columns) const { return kept.empty() ? columns : std::ssize(kept); }
};

Index padded(Index columns) {
  return (columns + kernel::least_columns - 1) / kernel::least_columns * kernel::least_columns;
}

/// Leaving columns out costs gathering x and scattering g, as much as a row each.
bool worth_leaving_out(Index zero_columns, Index columns, Index rows) {
  return rows >= 32 && 8 * zero_columns >= columns && zero_columns < columns &&
         padded(columns - zero_columns) < columns;
}

Findings look_at(Eigen::Ref<const DenseRows> rows, bool want_floats) {
  Findings found{.floats = want_floats, .kept = {}};
  std::vector<char> used(static_cast<std::size_t>(rows.cols()), 0);
  for (Index j = 0; j < rows.rows(); ++j) {
    const double* const row = rows.data() + j * rows.cols();
    bool floats = true;
    for (Index k = 0; k < rows.cols(); ++k) {
      used[static_cast<std::size_t>(k)] |= static_cast<char>(row[k] != 0);
      floats &= static_cast<double>(static_cast<float>(row[k])) == row[k];
    }
    found.floats = found.floats && floats;
  }
  const Index zero = std::ranges::count(used, 0);
  if (rows.cols() >= kernel::least_columns && !worth_leaving_out(zero, rows.cols(), rows.rows()))
    return found;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (used[k] || rows.cols() < kernel::least_columns) found.kept.push_back(static_cast<std::int32_t>(k));
  while (found.kept.size() % kernel::least_columns != 0) found.kept.push_back(-1);
  return found;
}

/// From here on there are more small pages than a core has addresses of at hand.
constexpr std::size_t worth_large_pages = 256 << 10;

/// Room for copies of agents' rows, one behind the other in the order of the agents: who computes with one
/// agent's asks for those of the next. It begins with a cache line, and with a large page where that is
/// worth it.
class Copies {
 public:
  static std::size_t whole_lines(std::size_t bytes) { return rounded_up(bytes, line); }

  Copies(std::size_t bytes, Vector of_all)
      : begins_with_(bytes < worth_large_pages ? line : huge_page),
        rows_(static_cast<std::byte*>(
            ::operator new(rounded_up(bytes, begins_with_), std::align_val_t(begins_with_)))),
        labels_(std::move(of_all)) {
    if (bytes >= worth_large_pages) prefer_huge_pages(rows_, rounded_up(bytes, huge_page));
  }
  ~Copies() { ::operator delete(rows_, std::align_val_t(begins_with_)); }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  [[nodiscard]] std::byte* rows() const { return rows_; }
  [[nodiscard]] const Vector& labels() const { return labels_; }  ///< of all agents

 private:
  static constexpr std::size_t line = 64;
  static std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  std::size_t begins_with_;
  std::byte* rows_;
  Vector labels_;
};

std::shared_ptr<Rows> shared_rows(const std::shared_ptr<const Dataset>& data, Index first, Index end,
                                  kernel::Place place) {
  const double* const labels = data->labels.data() + first;
  if (const auto* sparse = std::get_if<SparseRows>(&data->features))
    return std::make_shared<Rows>(
        data,
        SparseView{sparse->outerIndexPtr() + first, sparse->innerIndexPtr(), sparse->valuePtr(), end - first},
        labels, data->columns());
  const auto& dense = std::get<DenseRows>(data->features);
  return std::make_shared<Rows>(
      data, kernel::Rows<double>{dense.data() + first * dense.cols(), end - first, dense.cols(), place},
      labels, data->columns());
}

class Store {
 public:
  Store(const Dataset& data, Storage storage)
      : name_(data.name), storage_(storage), numbers_(data.rows() * data.columns()) {}

  /// What each agent's rows are like, if they are worth a copy.
  [[nodiscard]] std::vector<std::optional<Findings>> all_findings(const Dataset& data,
                                                                  std::span<const Index> offsets) const {
    std::vector<std::optional<Findings>> all;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      all.push_back(worth_a_copy(data, offsets[i], offsets[i + 1]));
    return all;
  }

  /// Where copies of the agents' rows begin, in bytes, and where the last one ends; of those that are not
  /// worth it there is none.
  [[nodiscard]] std::vector<std::size_t> places(std::span<const std::optional<Findings>> found,
                                                std::span<const Index> offsets, Index columns) const {
    std::vector<std::size_t> at{0};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto numbers = [&] {
        return static_cast<std::size_t>((offsets[i + 1] - offsets[i]) * apart(found[i]->width(columns)));
      };
      const std::size_t bytes =
          found[i] ? numbers() * (found[i]->floats ? sizeof(float) : sizeof(double)) : 0;
      at.push_back(at.back() + Copies::whole_lines(bytes));
    }
    return at;
  }

  /// Rows from `first` on.
  [[nodiscard]] std::shared_ptr<Rows> copy(Eigen::Ref<const DenseRows> rows, Index first, Findings found,
                                           std::shared_ptr<const Copies> room, std::size_t at) const {
    if (found.floats) return packed<float>(rows, first, std::move(found), std::move(room), at);
    return packed<double>(rows, first, std::move(found), std::move(room), at);
  }

  template <class Number>
  [[nodiscard]] kernel::Place place() const {
    const Index bytes = numbers_ * static_cast<Index>(sizeof(Number));
    if (bytes <= own_cache_bytes()) return kernel::Place::own_cache;
    return bytes <= cached_bytes() ? kernel::Place::shared_cache : kernel::Place::memory;
  }

 private:
  /// What rows first ... end-1 are like.
  [[nodiscard]] std::optional<Findings> worth_a_copy(const Dataset& data, Index first, Index end) const {
    const auto* dense = std::get_if<DenseRows>(&data.features);
    if (!dense) return {};
    Findings found = look_at(dense->middleRows(first, end - first), storage_ == Storage::automatic);
    if (storage_ == Storage::f32) {
      require_floats(dense->middleRows(first, end - first));
      found.floats = true;
    }
    if (found.floats || !found.kept.empty() || wants_large_pages()) return found;
    return {};
  }

  /// Rows that a cache holds are not moved by readers into large pages: there are too few to fill many.
  [[nodiscard]] bool wants_large_pages() const {
    return bytes() >= static_cast<Index>(worth_large_pages) && bytes() <= cached_bytes();
  }

  /// Rows that a cache holds begin where a register does, if that takes little more room: what lies across
  /// two lines is loaded twice.
  [[nodiscard]] Index apart(Index width) const {
    const Index whole = kernel::whole_registers(width);
    return bytes() <= cached_bytes() && 8 * (whole - width) <= width ? whole : width;
  }

  [[nodiscard]] Index bytes() const { return numbers_ * static_cast<Index>(sizeof(double)); }

  template <class Number>
  [[nodiscard]] std::shared_ptr<Rows> packed(Eigen::Ref<const DenseRows> from, Index first, Findings found,
                                             std::shared_ptr<const Copies> room, std::size_t at) const {
    using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Index width = found.width(from.cols());
    Eigen::Map<Matrix> all(reinterpret_cast<Number*>(room->rows() + at), from.rows(), apart(width));
    auto rows = all.leftCols(width);
    all.rightCols(all.cols() - width).setZero();
    const auto& kept = found.kept;
    if (kept.empty()) {
      rows = from.cast<Number>();
    } else {
      for (Index j = 0; j < from.rows(); ++j)
        for (Index k = 0; k < std::ssize(kept); ++k)
          rows(j, k) = kept[k] < 0 ? Number(0) : static_cast<Number>(from(j, kept[k]));
    }
    const kernel::Rows<Number> view{
        .data = all.data(), .count = all.rows(), .d = width, .place = place<Number>(), .apart = all.cols()};
    const double* const labels = room->labels().data() + first;
    return std::make_shared<Rows>(std::move(room), view, labels, from.cols(), std::move(found.kept));
  }

  void require_floats(Eigen::Ref<const DenseRows> rows) const {
    const double largest = rows.cwiseAbs().maxCoeff();
    if (largest > static_cast<double>(std::numeric_limits<float>::max()))
      throw InputError("--storage f32", fmt::format("{} in {}", largest, name_),
                       "single precision ends at 3.4e38", "Use --storage auto.");
  }

  std::string name_;
  Storage storage_;
  Index numbers_;
};

bool is_worth_a_copy(const std::optional<Findings>& found) { return found.has_value(); }

/// Gives memory back from time to time: growing by an agent's copy and shrinking by its rows, there is never
/// much more than there was.
void forget_rows_from(Dataset& data, Index first) {
  constexpr Index worth_it = 8 << 20;
  auto& dense = std::get<DenseRows>(data.features);
  if ((dense.rows() - first) * dense.cols() * static_cast<Index>(sizeof(double)) >= worth_it || first == 0)
    dense.conservativeResize(first, dense.cols());
}

/// Without a copy, which is what Eigen 3.4 makes of a sparse matrix that is moved.
std::shared_ptr<const Dataset> taken(Dataset& data) {
  auto own = std::make_shared<Dataset>();
  own->name.swap(data.name);
  own->labels.swap(data.labels);
  if (auto* sparse = std::get_if<SparseRows>(&data.features))
    own->features.emplace<SparseRows>().swap(*sparse);
  else
    own->features.swap(data.features);
  return own;
}

std::vector<std::shared_ptr<const Rows>> ready(const std::vector<std::shared_ptr<Rows>>& rows) {
  choose_reading(rows);
  return {rows.begin(), rows.end()};
}

}  // namespace

Storage parse_storage(std::string_view name) {
  const auto found = std::ranges::find(storage_names, name);
  if (found == storage_names.end())
    throw InputError("--storage", fmt::format("'{}'", name), "auto, f64 or f32",
                     did_you_mean(name, storage_names));
  return static_cast<Storage>(found - storage_names.begin());
}

std::string_view to_string(Storage storage) { return storage_names[static_cast<std::size_t>(storage)]; }

std::vector<std::shared_ptr<const Rows>> store_rows(Dataset&& data, std::span<const Index> offsets,
                                                    Storage storage) {
  const Store store(data, storage);
  auto found = store.all_findings(data, offsets);
  const auto agents = found.size();
  std::vector<std::shared_ptr<Rows>> rows(agents);
  if (std::ranges::none_of(found, is_worth_a_copy)) {
    const auto shared = taken(data);
    for (std::size_t i = 0; i < agents; ++i)
      rows[i] = shared_rows(shared, offsets[i], offsets[i + 1], store.place<double>());
    return ready(rows);
  }
  // If some are copied then all, so that the data can be forgotten on the way, from their end.
  for (auto& any : found)
    if (!any) any = Findings{.floats = false, .kept = {}};
  const auto at = store.places(found, offsets, data.columns());
  const auto room = std::make_shared<const Copies>(at.back(), std::move(data.labels));
  for (std::size_t i = agents; i-- > 0;) {
    const Index first = offsets[i], count = offsets[i + 1] - first;
    rows[i] = store.copy(std::get<DenseRows>(data.features).middleRows(first, count), first,
                         std::move(*found[i]), room, at[i]);
    forget_rows_from(data, first);
  }
  return ready(rows);
}

std::vector<std::shared_ptr<const Rows>> store_rows(const std::shared_ptr<const Dataset>& data,
                                                    std::span<const Index> offsets, Storage storage) {
  const Store store(*data, storage);
  auto found = store.all_findings(*data, offsets);
  const auto agents = found.size();
  const auto at = store.places(found, offsets, data->columns());
  const bool none = std::ranges::none_of(found, is_worth_a_copy);
  const auto room = none ? nullptr : std::make_shared<const Copies>(at.back(), data->labels);
  std::vector<std::shared_ptr<Rows>> rows(agents);
  for (std::size_t i = 0; i < agents; ++i) {
    const Index first = offsets[i], count = offsets[i + 1] - first;
    rows[i] = found[i] ? store.copy(std::get<DenseRows>(data->features).middleRows(first, count), first,
                                    std::move(*found[i]), room, at[i])
                       : shared_rows(data, first, first + count, store.place<double>());
  }
  return ready(rows);
}

}  // namespace ideal
