// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/data.hpp>

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// Smoothness and strong convexity of one agent's loss.
struct Curvature {
  double L = 0;
  double mu = 0;
};

/// One agent's f_i. A loss of your own needs the first four functions; the others have defaults that are
/// right but slower.
class Loss {
 public:
  virtual ~Loss() = default;

  [[nodiscard]] virtual Index dimension() const = 0;
  [[nodiscard]] virtual double value(VectorRef x) const = 0;
  virtual void gradient(VectorRef x, VectorOut g) const = 0;
  [[nodiscard]] virtual Curvature curvature() const = 0;

  /// A strong convexity known without a look at the data, as from a regulariser.
  [[nodiscard]] virtual double known_convexity() const { return curvature().mu; }

  /// Whether the curvature at one point says nothing of that nearby, as of a kink that was rounded off.
  [[nodiscard]] virtual bool curvature_jumps() const { return false; }

  /// Whether it is the same at every point, as of squares.
  [[nodiscard]] virtual bool curvature_constant() const { return false; }

  /// Whether it has gradients everywhere; else gradient() is any subgradient.
  [[nodiscard]] virtual bool smooth() const { return true; }

  /// Of a loss that is not: a smooth one that is nowhere above it, and below by less than a multiple of
  /// `width`. None: it is smooth itself, or nobody knows such a one.
  [[nodiscard]] virtual std::shared_ptr<const Loss> smoothed(double /*width*/) const { return nullptr; }

  /// How far gradients may be from those of its l2 term; infinite where no bound is known.
  [[nodiscard]] virtual double lipschitz() const { return std::numeric_limits<double>::infinity(); }

  /// No value is smaller, its l2 term left out; minus infinity where nobody knows.
  [[nodiscard]] virtual double lower_bound() const { return -std::numeric_limits<double>::infinity(); }

  /// Value and gradient at once, in one pass over the data where the loss can.
  virtual double value_and_gradient(VectorRef x, VectorOut g) const;

  /// Where one agent's gradient is work for several threads, it is the sum of that many pieces, added in
  /// order.
  [[nodiscard]] virtual Index pieces() const { return 1; }
  virtual void piece_gradient(Index piece, VectorRef x, VectorOut g) const;

  /// Data rows behind the loss: what a mini-batch is drawn from.
  [[nodiscard]] virtual Index rows() const { return 1; }

  /// What a gradient reads of memory, about.
  [[nodiscard]] virtual Index bytes() const {
    return rows() * dimension() * static_cast<Index>(sizeof(double));
  }

  /// The largest smoothness of a single row's loss (plus regulariser): 0: not known.
  [[nodiscard]] virtual double row_smoothness() const { return 0; }

  /// Values at every column of X, in one pass over the data where the loss can.
  [[nodiscard]] virtual Vector values(const Block& X) const;

  /// Gradient of the mean over the chosen rows (plus regulariser); unbiased when rows are drawn uniformly.
  /// A loss that has rows() overrides this too; the default, of a loss without rows, is the whole gradient.
  virtual void batch_gradient(VectorRef x, std::span<const Index> rows, VectorOut g) const;

  /// H(x) v. Default: central differences of the gradient.
  virtual void hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const;

  /// Adds H(x) to the lower triangle of H. Default: one Hessian-vector product a column.
  virtual void add_hessian(VectorRef x, Block& H) const;

  /// argmin_x f(x) + <a, x> + (c/2)|x|^2, starting from x: the dual oracle (c = 0) and the prox. Default:
  /// Newton to rounding.
  virtual void tilted_minimiser(VectorRef a, double c, VectorOut x) const;

  /// Whether that is exact. The default is for smooth losses, and for others where there are smooth ones
  /// near; a loss that has a minimiser of its own says so here.
  [[nodiscard]] virtual bool has_dual_oracle() const { return smooth() || smoothed(1); }
};

enum class LossKind { logistic, ridge, softmax, hinge, huber, quantile };
LossKind parse_loss(std::string_view name);
std::string_view to_string(LossKind kind);

/// Whether its labels are numbers to come near to, not classes.
bool is_regression(LossKind kind);
/// Whether it takes exactly two classes, as -1 and +1.
bool is_binary(LossKind kind);

/// Checks the labels against the loss and rewrites them as the loss wants them: -1/+1 for logistic and hinge
/// (the smaller label is -1), 0 ... classes-1 for softmax, untouched for regression. Returns the number of
/// classes (1 for regression, 2 for logistic and hinge). The labels of `held_out` become the same codes; it
/// has no class of its own.
int prepare_labels(Dataset& data, LossKind kind, Dataset* held_out = nullptr);

/// The same for labels alone, of data that messages call `name`.
int prepare_labels(Vector& labels, std::string_view name, LossKind kind, Dataset* held_out = nullptr);

/// The type that holds dense features; all arithmetic is in double precision. Automatic: single precision for
/// rows that lose nothing by it, which changes no bit of a result.
enum class Storage { automatic, f64, f32 };
Storage parse_storage(std::string_view name);
std::string_view to_string(Storage storage);

/// One agent's rows as the kernels want them: narrow where that is exact or asked for, and without the
/// columns that are zero throughout where these are many.
class Rows;

/// The rows of each agent: agent i owns rows offsets[i] ... offsets[i+1]-1. The data are used up, so that
/// there is never much more than one copy.
std::vector<std::shared_ptr<const Rows>> store_rows(Dataset&& data, std::span<const Index> offsets,
                                                    Storage storage = Storage::automatic);

/// The same for data that others use, too: what is not copied is shared.
std::vector<std::shared_ptr<const Rows>> store_rows(const std::shared_ptr<const Dataset>& data,
                                                    std::span<const Index> offsets,
                                                    Storage storage = Storage::automatic);

struct LossOptions {
  LossKind kind = LossKind::logistic;
  double l2 = 0;
  int classes = 2;
  double smoothing = 0;   ///< hinge, quantile: width of the rounded kink; 0: not smooth
  double delta = 1.35;    ///< huber: where squares end
  double quantile = 0.5;  ///< quantile: the level, in (0, 1)
  /// How many gradients will be asked for: a hint whether preparing for them pays. It may change last bits.
  double planned_gradients = 0;
};

/// logistic (1/m)sum log(1+exp(-b a'x)), ridge (1/2m)|Ax-b|^2, softmax (1/m)sum(logsumexp(z)-z_b) with x = C
/// row-major (features x classes), hinge (1/m)sum max(0, 1-b a'x), huber as ridge but linear beyond delta,
/// quantile (1/m)sum max(q r, (q-1) r) with r = b - a'x, each plus (l2/2)|x|^2. Throws InputError where an
/// option is out of its range.
std::shared_ptr<const Loss> make_loss(std::shared_ptr<const Rows> rows, const LossOptions& options);

/// Agent losses over a partitioned data set: store_rows and make_loss.
std::vector<std::shared_ptr<const Loss>> make_losses(const std::shared_ptr<const Dataset>& data,
                                                     std::span<const Index> offsets, LossKind kind, double l2,
                                                     int classes = 2, Storage storage = Storage::automatic);

/// Minimises f by Newton's method from x to rounding: Cholesky for small dimensions, conjugate gradients on
/// Hessian-vector products for large ones. Returns the norm of the gradient reached, which certifies f(x) -
/// min f <= norm^2 / (2 mu).
double newton(const Loss& f, Vector& x);

}  // namespace ideal
