// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/reference.hpp>

#include <cmath>

#include <fmt/format.h>
#include <xxhash.h>

namespace ideal {

namespace {

/// f = sum_i f_i as one loss; agents are added in order whatever the number of threads.
class SumLoss final : public Loss {
 public:
  SumLoss(std::span<const std::shared_ptr<const Loss>> losses, Threads& threads)
      : losses_(losses), threads_(threads), parts_(losses.front()->dimension(), std::ssize(losses)) {}

  Index dimension() const override { return losses_.front()->dimension(); }

  double value(VectorRef x) const override {
    Vector values(parts_.cols());
    threads_.each(parts_.cols(), [&](Index i) { values[i] = losses_[i]->value(x); });
    double sum = 0;
    for (const double v : values) sum += v;
    return sum;
  }
  void gradient(VectorRef x, VectorOut g) const override {
    add_up([&](Index i, auto part) { losses_[i]->gradient(x, part); }, g);
  }
  void hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const override {
    add_up([&](Index i, auto part) { losses_[i]->hessian_vector(x, v, part); }, Hv);
  }
  void add_hessian(VectorRef x, Block& H) const override {
    for (const auto& loss : losses_) loss->add_hessian(x, H);
  }
  Curvature curvature() const override {
    Curvature sum;
    for (const auto& loss : losses_) {
      const auto [L, mu] = loss->curvature();
      sum = {sum.L + L, sum.mu + mu};
    }
    return sum;
  }

 private:
  template <class Part>
  void add_up(Part part, VectorOut total) const {
    threads_.each(parts_.cols(), [&](Index i) { part(i, parts_.col(i)); });
    total.setZero();
    for (Index i = 0; i < parts_.cols(); ++i) total += parts_.col(i);
  }

  std::span<const std::shared_ptr<const Loss>> losses_;
  Threads& threads_;
  mutable Block parts_;
};

}  // namespace

Reference solve_reference(std::span<const std::shared_ptr<const Loss>> losses, Threads& threads,
                          Vector start) {
  const SumLoss f(losses, threads);
  Reference reference;
  reference.x = start.size() == f.dimension() ? std::move(start) : Vector::Zero(f.dimension());
  reference.gradient_norm = newton(f, reference.x);
  reference.value = f.value(reference.x);
  if (!std::isfinite(reference.value) || !std::isfinite(reference.gradient_norm))
    throw RunError(
        "the reference solution is not finite: the data holds values too large for double precision; try "
        "--normalize");
  return reference;
}

Reference cached_reference(std::span<const std::shared_ptr<const Loss>> losses, Threads& threads,
                           const std::filesystem::path& folder, std::string_view key) {
  const auto file = folder / fmt::format("{}.npy", key);
  Vector start;
  try {
    if (exists(file)) start = read_npy(file).reshaped();
  } catch (const std::exception&) {
    // A damaged or unreadable entry is replaced below, if it can be.
  }
  if (start.size() > 0 && !start.allFinite()) start.resize(0);
  const bool found = start.size() > 0;
  Reference reference = solve_reference(losses, threads, std::move(start));
  if (!found) {
    try {
      create_directories(folder);
      write_npy(reference.x.transpose(), file);
    } catch (const std::exception&) {
      // A cache that cannot be written costs time at the next run, nothing else.
    }
  }
  return reference;
}

std::string problem_key(const Dataset& data, std::span<const Index> offsets, LossKind kind, double l2) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_128bits_reset(state);
  const auto add = [&](const auto* values, Index count) {
    XXH3_128bits_update(state, values, static_cast<std::size_t>(count) * sizeof *values);
  };
  const Index shape[] = {data.rows(), data.columns(), static_cast<Index>(kind), data.sparse() ? 1 : 0};
  add(shape, 4);
  add(&l2, 1);
  add(offsets.data(), std::ssize(offsets));
  add(data.labels.data(), data.labels.size());
  if (data.sparse()) {
    const auto& A = std::get<SparseRows>(data.features);
    add(A.outerIndexPtr(), A.outerSize() + 1);
    add(A.innerIndexPtr(), A.nonZeros());
    add(A.valuePtr(), A.nonZeros());
  } else {
    const auto& A = std::get<DenseRows>(data.features);
    add(A.data(), A.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace ideal
