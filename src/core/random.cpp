// SPDX-License-Identifier: Apache-2.0
#include <ideal/random.hpp>

#include <cmath>
#include <numbers>

namespace ideal {
namespace {

// The last bit of std::log differs between C libraries; +, -, *, / and sqrt do not.
// log(m 2^e) = e log 2 + 2 artanh((m - 1) / (m + 1)), with m in [sqrt(1/2), sqrt(2)).
double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < std::numbers::sqrt2 / 2) {
    mantissa *= 2;
    --exponent;
  }
  const double z = (mantissa - 1) / (mantissa + 1);
  double artanh_over_z = 0;
  for (int odd = 23; odd >= 1; odd -= 2) artanh_over_z = artanh_over_z * (z * z) + 1.0 / odd;
  return exponent * std::numbers::ln2 + 2 * z * artanh_over_z;
}

}  // namespace

// Marsaglia's polar method. The second normal it could yield is dropped: a Random is then nothing but its
// state.
double Random::normal() {
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

// Marsaglia & Tsang (2000); a shape below 1 is raised by one and brought back with U^(1/shape).
double Random::log_gamma_draw(double shape) {
  if (shape < 1) {
    const double u = 1 - uniform();
    return log_gamma_draw(shape + 1) + portable_log(u) / shape;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1 - uniform();
    if (portable_log(u) < x * x / 2 + d - d * v + d * portable_log(v)) return portable_log(d * v);
  }
}

}  // namespace ideal
