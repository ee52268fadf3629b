// SPDX-License-Identifier: Apache-2.0
// Each run here breaks one rule, and its diagnosis must name that one; runs that break none are not blamed.
#include "support/quadratics.hpp"

#include <ideal/diagnosis.hpp>

#include <algorithm>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

std::vector<Finding> findings(const Problem& problem, const Topology& topology, const Method& m,
                              const SolveOptions& options) {
  const Result result = simulate(problem, topology, m, options);
  EXPECT_NE(result.status, Status::converged);
  return diagnose(problem, topology, m, result, options.watch.tol);
}

std::vector<Finding> findings(const Problem& problem, const Topology& topology, const Method& m,
                              double computations = 400) {
  SolveOptions options;
  options.watch = {.tol = 1e-10, .computations = computations};
  return findings(problem, topology, m, options);
}

const Finding* about(const std::vector<Finding>& all, std::string_view quantity) {
  const auto found = std::ranges::find(all, quantity, &Finding::quantity);
  return found == all.end() ? nullptr : &*found;
}

#define EXPECT_BLAMES(quantity, all)                                                                 \
  do {                                                                                               \
    const auto& blamed = (all);                                                                      \
    EXPECT_TRUE(about(blamed, quantity))                                                             \
        << (quantity) << " is not blamed but " << (blamed.empty() ? "" : to_string(blamed.front())); \
  } while (false)

class Diagnosis : public testing::Test {
 protected:
  Topology topology = Topology::parse("cycle:8", "laplacian");
  Quadratics quadratics{8, 5, 100, 3};
  Problem problem = quadratics.problem();
};

TEST_F(Diagnosis, NamesAStepBeyondWhatTheCurvatureBears) {
  for (const char* name : {"gd", "nids", "extra", "dgd", "agd", "mudag"}) {
    const auto all = findings(problem, topology, unguarded(name).set("step", "0.2"));
    EXPECT_BLAMES("step", all);
    EXPECT_EQ(all.front().value, 0.2);
    EXPECT_EQ(all.front().remedy, "--set step=auto") << name;
  }
  EXPECT_BLAMES("step",
                findings(problem, topology, unguarded("ideal").set("T", "30").set("step-scale", "3")));
  EXPECT_BLAMES("step", findings(problem, topology, unguarded("diging").set("step", "0.5")));
}

/// The limits of methods whose error is a matrix power are sharp: just below, they converge.
TEST_F(Diagnosis, BlamesNoStepBelowItsLimit) {
  for (const char* name : {"gd", "nids"}) {
    const double limit = 2 / problem.constants.L;
    const auto at = [&](double share) {
      const Method m = unguarded(name).set("step", std::to_string(share * limit));
      SolveOptions options;
      options.watch = {.tol = 1e-6, .computations = 30000, .every = 100};
      const Result result = simulate(problem, topology, m, options);
      return std::pair(result.status, diagnose(problem, topology, m, result, 1e-6));
    };
    const auto [below, blamed_below] = at(0.97);
    EXPECT_EQ(below, Status::converged) << name;
    EXPECT_FALSE(about(blamed_below, "step")) << name;
    EXPECT_TRUE(about(at(1.05).second, "step")) << name;
  }
}

TEST_F(Diagnosis, NamesAnLThatIsTooSmallAndNotTheStepThatFollowed) {
  problem.constants.L /= 5;
  for (const char* name : {"nids", "opapc", "mudag", "extra", "gd"}) {
    const auto all = findings(problem, topology, unguarded(name));
    EXPECT_BLAMES("L", all);
    EXPECT_FALSE(about(all, "step")) << name;
  }
}

TEST_F(Diagnosis, FindsTheSteepestAgent) {
  std::vector<std::shared_ptr<const Loss>> losses(
      8, std::make_shared<Quadratic>(Block::Identity(5, 5), Vector::Ones(5)));
  losses[5] = std::make_shared<Quadratic>(70 * Block::Identity(5, 5), Vector::Ones(5));
  problem = {.losses = losses, .constants = {.L = 20, .mu = 1}};
  problem.reference = Reference{.x = Vector::Constant(5, 8.0 / 77), .value = -160.0 / 77, .gradient_norm = 0};
  const auto all = findings(problem, topology, unguarded("nids"));
  ASSERT_TRUE(about(all, "L"));
  EXPECT_NE(about(all, "L")->rule.find("70 at agent 5"), std::string::npos) << about(all, "L")->rule;
}

TEST_F(Diagnosis, NamesAStrongConvexityThatIsNotThere) {
  problem.constants.mu *= 10;
  EXPECT_BLAMES("mu", findings(problem, topology, unguarded("ssda").set("exact", "true"), 200));
}

TEST_F(Diagnosis, NamesADualStepThatIsTooLarge) {
  for (const char* name : {"ssda", "msda"})
    EXPECT_BLAMES("eta", findings(problem, topology, unguarded(name).set("eta", "5")));
  EXPECT_BLAMES("eta", findings(problem, topology, unguarded("al").set("eta", "500").set("T", "400"), 4000));
}

TEST_F(Diagnosis, NamesInnerLoopsThatAreTooShort) {
  const Problem hard = Quadratics(8, 5, 1e4, 3).problem();
  EXPECT_BLAMES("T", findings(hard, topology, unguarded("ideal").set("T", "3")));
  EXPECT_BLAMES("T", findings(hard, topology, unguarded("mideal").set("T", "5")));
  const Topology line = Topology::parse("line:24", "laplacian");
  EXPECT_BLAMES("K",
                findings(Quadratics(24, 5, 100, 3).problem(), line, unguarded("mudag").set("K", "1"), 50));
}

TEST_F(Diagnosis, NamesWhatIsBelievedOfTheNetwork) {
  EXPECT_BLAMES("lambda-max", findings(problem, topology, with("auto", {{"lambda-max", "1"}}), 20));
  EXPECT_BLAMES("lambda-min", findings(problem, topology, with("auto", {{"lambda-min", "3"}}), 20));
}

TEST_F(Diagnosis, NamesHeterogeneityWhereAConstantStepStops) {
  const auto all = findings(problem, topology, method("dgd"), 4000);
  EXPECT_BLAMES("heterogeneity |grad f_i(x*)|", all);
  EXPECT_BLAMES("heterogeneity |grad f_i(x*)|", findings(problem, topology, method("fedavg"), 4000));
  // Agents with the same loss agree on the optimum, and both arrive.
  std::vector<std::shared_ptr<const Loss>> same(8, problem.losses.front());
  problem.losses = same;
  problem.reference.reset();
  EXPECT_FALSE(about(findings(problem, topology, method("dgd"), 20), "heterogeneity |grad f_i(x*)|"));
}

TEST_F(Diagnosis, NamesHessiansThatDifferMoreThanWasTrusted) {
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < 8; ++i) {
    Block H = Block::Identity(8, 8);
    H(i, i) = 1000;
    losses.push_back(std::make_shared<Quadratic>(H, Vector::Ones(8)));
  }
  const Problem unlike{.losses = losses,
                       .constants = {.L = 1000, .mu = 1},
                       .reference = Reference{
                           .x = Vector::Constant(8, 8.0 / 1007), .value = -256.0 / 1007, .gradient_norm = 0}};
  const Method m = with("ideal1", {{"sigma", "0.01"}, {"guard", "false"}});
  const auto all = findings(unlike, topology, m, 30);
  ASSERT_TRUE(about(all, "sigma"));
  EXPECT_EQ(about(all, "sigma")->remedy, "--set sigma=0.87");  // (1 - 1/8) 999 / 1000
}

/// A checkpoint whose dual variables do not sum to zero leads elsewhere, and the method cannot know.
TEST_F(Diagnosis, NamesDualVariablesThatDoNotBalance) {
  const auto dual_methods = {"ideal1", "ideal", "al",         "opapc",
                             "ssda",   "dadmm", "dal-jacobi", "heavy-ball-ode"};
  for (const char* name : dual_methods) {
    SolveOptions options;
    options.watch = {.tol = 0, .computations = 60};
    const Result begun = simulate(problem, topology, unguarded(name), options);
    ASSERT_TRUE(begun.dual) << name;
    EXPECT_FALSE(about(diagnose(problem, topology, unguarded(name), begun, 0), "|sum of dual variables|"))
        << name;
    Checkpoint tampered = begun.checkpoint;
    std::get<Block>(tampered.state[*begun.dual]).col(2).array() += 1;
    options.watch.computations = 5000;
    options.watch.every = 50;
    options.run.resume = &tampered;
    SCOPED_TRACE(name);
    EXPECT_BLAMES("|sum of dual variables|", findings(problem, topology, unguarded(name), options));
  }
}

TEST_F(Diagnosis, TellsHowManyComputationsAreMissing) {
  const auto all = findings(problem, topology, method("nids"), 100);
  ASSERT_EQ(all.size(), 1u) << to_string(all.front());
  EXPECT_EQ(all[0].quantity, "rounds");
  SolveOptions options;
  const double enough = std::stod(all[0].remedy.substr(std::string("--rounds ").size()));
  options.watch = {.tol = 1e-10, .computations = enough};
  const Result result = simulate(problem, topology, method("nids"), options);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_GT(result.trace.back().meter.computations, 0.7 * enough);
}

TEST_F(Diagnosis, NamesAToleranceBelowRounding) {
  const Problem logistic = make_problem({}, 8);
  const Result result = run_for(logistic, topology, method("nids"), 3000);
  EXPECT_BLAMES("tol", diagnose(logistic, topology, method("nids"), result, 1e-22));
  EXPECT_FALSE(about(diagnose(logistic, topology, method("nids"), result, 1e-12), "tol"));
}

TEST_F(Diagnosis, BlamesNobodyWithDefaults) {
  for (const std::string& name : method_names()) {
    const Result result = run_for(problem, topology, method(name), 40);
    for (const Finding& finding : diagnose(problem, topology, method(name), result, 1e-10))
      EXPECT_TRUE(finding.quantity == "rounds" || finding.quantity.starts_with("heterogeneity"))
          << name << ": " << to_string(finding);
  }
}

/// Agents with one and the same loss have multipliers of zero, but for rounding.
TEST_F(Diagnosis, DoesNotBlameTheRoundingOfDualVariables) {
  problem.losses.assign(8, problem.losses.front());
  Threads threads;
  problem.reference = solve_reference(problem.losses, threads);
  for (const char* name : {"al", "ideal", "opapc", "ideal1"}) {
    const Result result = run_for(problem, topology, method(name), 30);
    EXPECT_FALSE(about(diagnose(problem, topology, method(name), result, 1e-13), "|sum of dual variables|"))
        << name;
  }
}

TEST_F(Diagnosis, BlamesNoShortStepAndNoStageForAnInnerLoop) {
  const auto blamed = [&](const Method& m, std::string_view quantity) {
    return about(diagnose(problem, topology, m, run_for(problem, topology, m, 30), 1e-13), quantity) !=
           nullptr;
  };
  EXPECT_FALSE(blamed(with("dasg", {{"step-scale", "0.1"}}), "step"));
  EXPECT_FALSE(blamed(with("dmasg", {{"T", "5"}}), "T"));
}

TEST(Stalled, MeansNoBetterThanTheFirstHalf) {
  const auto trace_of = [](std::initializer_list<double> gaps) {
    Trace trace;
    for (const double gap : gaps) trace.emplace_back().worst_suboptimality = gap;
    return trace;
  };
  EXPECT_TRUE(stalled(trace_of({1, 0.1, 0.1, 0.1})));
  EXPECT_TRUE(stalled(trace_of({1, 0.1, 0.2, 0.15})));
  EXPECT_FALSE(stalled(trace_of({1, 0.5, 0.2, 0.1})));
  EXPECT_FALSE(stalled(trace_of({1, 1})));
}

}  // namespace
}  // namespace ideal::test
