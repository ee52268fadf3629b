// SPDX-License-Identifier: Apache-2.0
#include "loss/proximal_newton.hpp"
#include "loss/tilted.hpp"

#include <ideal/error.hpp>
#include <ideal/reference.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <xxhash.h>

namespace ideal {

namespace {

/// f = sum_i f_i as one loss; agents are added in order whatever the number of threads and hosts.
class SumLoss final : public Loss {
 public:
  SumLoss(std::span<const std::shared_ptr<const Loss>> hosted, Transport& transport, Threads& threads,
          bool kinked = false)
      : losses_(hosted),
        transport_(transport),
        threads_(threads),
        kinked_(kinked),
        parts_(hosted.front()->dimension(), std::ssize(hosted)) {}

  Index dimension() const override { return losses_.front()->dimension(); }
  bool curvature_jumps() const override { return kinked_; }

  double value(VectorRef x) const override {
    Block values(1, parts_.cols());
    threads_.each(parts_.cols(), [&](Index i) { values(0, i) = losses_[i]->value(x); });
    return sum(values)[0];
  }
  void gradient(VectorRef x, VectorOut g) const override {
    add_up([&](Index i, auto part) { losses_[i]->gradient(x, part); }, g);
  }
  void hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const override {
    add_up([&](Index i, auto part) { losses_[i]->hessian_vector(x, v, part); }, Hv);
  }
  void add_hessian(VectorRef x, Block& H) const override {
    transport_.relay(H, [&](Index i, Block& sum_so_far) { losses_[i]->add_hessian(x, sum_so_far); });
  }
  Curvature curvature() const override {
    Block each(2, parts_.cols());
    threads_.each(parts_.cols(), [&](Index i) {
      const auto [L, mu] = losses_[i]->curvature();
      each.col(i) << L, mu;
    });
    const Vector all = sum(each);
    return {all[0], all[1]};
  }

 private:
  [[nodiscard]] Vector sum(const Block& per_agent) const {
    const Block& all = transport_.gather(per_agent);
    Vector total = Vector::Zero(all.rows());
    for (Index i = 0; i < all.cols(); ++i) total += all.col(i);
    return total;
  }
  template <class Part>
  void add_up(Part part, VectorOut total) const {
    threads_.each(parts_.cols(), [&](Index i) { part(i, parts_.col(i)); });
    total = sum(parts_);
  }

  std::span<const std::shared_ptr<const Loss>> losses_;
  Transport& transport_;
  Threads& threads_;
  bool kinked_;  ///< hardly any row bends, and those that do much
  mutable Block parts_;
};

}  // namespace

namespace {

using SmoothLosses = std::vector<std::shared_ptr<const Loss>>;

/// Those that are not smooth rounded off; empty where one cannot be.
SmoothLosses rounded_off(std::span<const std::shared_ptr<const Loss>> losses, double width) {
  SmoothLosses smooth;
  for (const auto& loss : losses) {
    smooth.push_back(loss->smooth() ? loss : loss->smoothed(width));
    if (!smooth.back()) return {};
  }
  return smooth;
}

struct AllAgents {
  double count;
  bool smooth;
};

AllAgents all_agents(std::span<const std::shared_ptr<const Loss>> hosted, Transport& transport) {
  Block each(1, std::ssize(hosted));
  for (Index i = 0; i < each.cols(); ++i) each(0, i) = hosted[i]->smooth() ? 1 : 0;
  const Block& all = transport.gather(each);
  return {static_cast<double>(all.cols()), all.minCoeff() > 0};
}

/// Newton's method, and where a flat curvature leaves it without a direction, steps down the gradient, too.
double minimise(const Loss& f, Vector& x) {
  constexpr double solved = 1e-6;  // of the gradient at zero; Newton's method ends far below
  Vector g(f.dimension());
  f.gradient(Vector::Zero(f.dimension()), g);
  const double rounding = 1e-13 * (1 + std::abs(f.value(x)));  // of gradients, where the optimum is at zero
  const double wanted = solved * g.norm() + rounding;
  double norm = newton(f, x);
  // With ever less strong convexity of its own, each is nearly solved by the one before.
  for (double l2 = g.norm(); !(norm <= wanted) && l2 > 1e-12 * g.norm(); l2 /= 10)
    proximal_newton(Tilted(f, Vector::Zero(f.dimension()), l2), {}, x);
  if (!(norm <= wanted)) norm = proximal_newton(f, {}, x);
  if (!(norm <= wanted))
    throw RunError(
        fmt::format("the optimum was not found: |grad f| is still {:.3g} of {:.3g} at zero. Perhaps there is "
                    "none: give a "
                    "positive --l2",
                    norm, g.norm()));
  return norm;
}

}  // namespace

double farthest_minimiser(const Reference& reference, const Regulariser& regulariser, Index agents) {
  const Vector& x = reference.x;
  double farthest = std::numeric_limits<double>::infinity();
  // r(x*) is no more than f* of losses that are nowhere negative.
  if (regulariser.l1 > 0)
    farthest = x.norm() + reference.value / (static_cast<double>(agents) * regulariser.l1);
  const double across = (x.array() - regulariser.low).max(regulariser.high - x.array()).matrix().norm();
  return std::min(farthest, across);
}

Reference solve_reference(std::span<const std::shared_ptr<const Loss>> hosted, Transport& transport,
                          Threads& threads, Vector start, const Regulariser& regulariser) {
  const SumLoss f(hosted, transport, threads);
  const AllAgents agents = all_agents(hosted, transport);
  const Regulariser r = regulariser.times(agents.count);
  Reference reference;
  reference.x = start.size() == f.dimension() ? std::move(start) : Vector::Zero(f.dimension());
  if (agents.smooth) {
    reference.gradient_norm = r.none() ? minimise(f, reference.x) : proximal_newton(f, r, reference.x);
  } else {
    // Each is nearly solved by the one before. The last tells how far below f it is.
    for (double width = 1; width > least_rounding_width / 2; width /= 10) {
      const SmoothLosses smooth = rounded_off(hosted, width);
      if (smooth.empty())
        throw RunError(
            "the reference solution of a loss that is neither smooth nor knows a smooth one near it");
      const SumLoss below(smooth, transport, threads, width < 0.05);
      reference.gradient_norm = proximal_newton(below, r, reference.x);
      reference.rounded_off = f.value(reference.x) - below.value(reference.x);
    }
  }
  reference.value = f.value(reference.x) + (r.none() ? 0 : r.value(reference.x));
  if (!std::isfinite(reference.value) || !std::isfinite(reference.gradient_norm))
    throw RunError(
        "the reference solution is not finite: the data holds values too large for double precision; try "
        "--normalize");
  return reference;
}

Reference solve_reference(std::span<const std::shared_ptr<const Loss>> losses, Threads& threads, Vector start,
                          const Regulariser& regulariser) {
  const auto transport = in_process(std::ssize(losses));
  return solve_reference(losses, *transport, threads, std::move(start), regulariser);
}

ReferenceCache::ReferenceCache(const std::filesystem::path& folder, std::string_view key)
    : file_(folder / fmt::format("{}.npy", key)) {}

Vector ReferenceCache::find() const {
  try {
    if (!exists(file_)) return {};
    const Vector x = read_npy(file_).reshaped();
    if (x.allFinite()) return x;
  } catch (const std::exception&) {
    return {};  // damaged or unreadable: as if there were none
  }
  return {};
}

void ReferenceCache::store(const Vector& x) const {
  try {
    create_directories(file_.parent_path());
    write_npy(x.transpose(), file_);
  } catch (const std::exception&) {
    return;  // costs time at the next run, nothing else
  }
}

std::string loss_key(const Dataset& data, Index first, Index end, LossKind kind, double l2) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_128bits_reset(state);
  const auto add = [&](const auto* values, Index count) {
    XXH3_128bits_update(state, values, static_cast<std::size_t>(count) * sizeof *values);
  };
  const Index shape[] = {end - first, data.columns(), static_cast<Index>(kind), data.sparse() ? 1 : 0};
  add(shape, 4);
  add(&l2, 1);
  add(data.labels.data() + first, end - first);
  if (data.sparse()) {
    const auto& A = std::get<SparseRows>(data.features);
    for (Index row = first; row < end; ++row) {
      const Index begin = A.outerIndexPtr()[row], count = A.outerIndexPtr()[row + 1] - begin;
      add(&count, 1);
      add(A.innerIndexPtr() + begin, count);
      add(A.valuePtr() + begin, count);
    }
  } else {
    const auto& A = std::get<DenseRows>(data.features);
    add(A.data() + first * data.columns(), (end - first) * data.columns());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace ideal
