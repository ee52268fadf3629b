// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/tracking.hpp"

namespace ideal {

/// The step as published: Qu and Li (2018), mu/L^2 ((1 - sigma)/6)^2, on one undirected network; Nedic,
/// Olshevsky and Shi (2017), the step with the best rate of Theorem 10 on one that changes, of Theorem 18 for
/// push-sum. Their mu is the mean of all mu_i. Here it is the smallest, which every host knows: losses are
/// strongly convex with any smaller mu, too, so that the theorems hold, and the steps are shorter.
///
/// Throws InputError where the theorem does not apply, or its step is no number a computer has.
double published_step(const Objective& F, const Mixing& W, Tracking kind);

/// None where nothing is published, or takes long to evaluate, or is no number a computer has.
std::optional<double> published_step_worth_telling(const Objective& F, const Mixing& W, Tracking kind);

}  // namespace ideal
