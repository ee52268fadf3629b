// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/loss.hpp>

namespace ideal {

/// f(x) + <a, x> + (c/2)|x|^2.
class Tilted final : public Loss {
 public:
  Tilted(const Loss& f, VectorRef a, double c) : f_(f), a_(a), c_(c) {}

  Index dimension() const override { return f_.dimension(); }
  double value(VectorRef x) const override { return f_.value(x) + a_.dot(x) + c_ / 2 * x.squaredNorm(); }
  void gradient(VectorRef x, VectorOut g) const override {
    f_.gradient(x, g);
    g += a_ + c_ * x;
  }
  Curvature curvature() const override {
    const auto [L, mu] = f_.curvature();
    return {L + c_, mu + c_};
  }
  void hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const override {
    f_.hessian_vector(x, v, Hv);
    Hv += c_ * v;
  }
  void add_hessian(VectorRef x, Block& H) const override {
    f_.add_hessian(x, H);
    H.diagonal().array() += c_;
  }

 private:
  const Loss& f_;
  Vector a_;
  double c_;
};

}  // namespace ideal
