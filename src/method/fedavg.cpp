// SPDX-License-Identifier: Apache-2.0
#include "method/registry.hpp"

namespace ideal {

namespace {

/// The server is the most central agent; on a star, the hub.
struct Fedavg {
  Index T = 5;
  std::optional<double> step;  ///< 1 / L
  double step_scale = 1;
  std::optional<Index> batch;

  static About about() {
    return {
        .name = "fedavg",
        .family = "federated",
        .summary = "federated averaging: local steps from the server's model, then the mean of the results",
        .rule = "T times x_i <- x_i - alpha grad f_i(x_i);  then all x_i <- their mean",
        .cost = "(T, 2 radius) a round, (T, 2) on a star",
        .rate = "linear to a neighbourhood that grows with T and with how much the losses differ",
        .assumptions = "f_i strongly convex and smooth; a server, made on any graph by sums over a tree",
        .citation =
            "McMahan, Moore, Ramage, Hampson, Aguera y Arcas. Communication-efficient learning of deep "
            "networks from decentralized data. AISTATS 2017",
        .linear = false};
  }

  void parameters(Fields& fields) {
    fields.number("T", T, range::count, "local steps a round; 1 is centralized gradient descent");
    fields.number("step", step, range::positive, "step alpha; auto: 1/L");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
    fields.number("batch", batch, range::count, "rows of a local step; auto: all");
  }

  [[nodiscard]] bool stochastic() const { return batch.has_value(); }

  Block operator()(Objective& F, Mixing& W, Run& run, Block model) const {
    const double alpha = run.uses("step", step.value_or(step_scale / F.L()));
    run.uses("T", T);

    Block X = model;
    Index k = 0, t = 0, draws = 0;

    run.keep(model, X, k, t, draws);
    while (run.more(model, k)) {
      const Block& G = batch ? F.gradient(X, *batch, draws) : F.gradient(X);
      ++draws;
      W.locally(X, [&](auto own) { own(X) -= alpha * own(G); });
      if (++t < T) continue;

      const Block& mean = W.average_over_tree(X);
      W.locally(X, [&](auto own) { own(model) = own(X) = own(mean); });
      ++k;
      t = 0;
    }
    return model;
  }
};

}  // namespace

Method make::fedavg() { return Method::of(Fedavg{}); }

}  // namespace ideal
