// SPDX-License-Identifier: Apache-2.0
// Networks that change from step to step or go one way, against dense recursions, invariants and what is
// known of a network that stays as it is.
#include "network/parse.hpp"
#include "support/dense.hpp"
#include "support/message.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

Graph part_of_cycle(Index n, Index first) {
  std::vector<Graph::Edge> edges;
  for (Index i = first; i < n; i += 2) edges.push_back({i, (i + 1) % n});
  return {n, edges};
}

/// Neither of the two is connected.
GraphSequence matchings(Index n) {
  return GraphSequence::in_turn({part_of_cycle(n, 0), part_of_cycle(n, 1)});
}

std::vector<Topology> five_sequences() {
  const auto made = [](GraphSequence graphs, const char* mixing = "laplacian") {
    return Topology::parse(std::move(graphs), mixing);
  };
  return {made(matchings(6), "metropolis"), Topology::parse("periodic:cycle:6+star:6", "laplacian"),
          Topology::parse("awake:0.3:cycle:6", "laplacian", 7),
          Topology::parse("directed-cycle:6", "laplacian"),
          Topology::parse("awake:0.6:periodic:directed-cycle:6+star:6", "laplacian", 3)};
}

bool suits(const Method& m, const Topology& topology) {
  return m.about().meets.has(Demand::directed) || !topology.directed();
}

/// C of a step as a dense matrix: agent i gets sum_j C_ij x_j, so blocks are multiplied by C' from the right.
Block averaging_matrix(const Topology& topology, Index step) {
  Links room;
  const Block M = topology.sequence()->at(step, room).M;
  return Block::Identity(M.rows(), M.cols()) - topology.spectrum().averaging_scale() * M;
}

// ---- links -----------------------------------------------------------------------------------------------

TEST(Links, ColumnsOfEveryStepSumToOneAndEntriesAreShares) {
  for (const Topology& topology : five_sequences())
    for (Index step = 0; step < 50; ++step) {
      const Block C = averaging_matrix(topology, step);
      EXPECT_LT((C.colwise().sum().array() - 1).abs().maxCoeff(), 1e-14);
      EXPECT_GE(C.minCoeff(), -1e-15);
      EXPECT_GT(C.diagonal().minCoeff(), 0);
      EXPECT_TRUE(topology.directed() || C == C.transpose());
    }
}

TEST(Links, ADirectedAgentSharesEvenlyAmongItselfAndItsListeners) {
  const Topology topology = Topology::parse(
      GraphSequence::directed(4, {{{0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {3, 0}}}), "laplacian");
  Block C(4, 4);
  C << 1 / 4., 1 / 2., 1 / 2., 1 / 2.,  //
      1 / 4., 1 / 2., 0, 0,             //
      1 / 4., 0, 1 / 2., 0,             //
      1 / 4., 0, 0, 1 / 2.;
  EXPECT_EQ(averaging_matrix(topology, 0), C);
}

TEST(Links, EdgesAreAwakeAsOftenAsTheyShouldBeAndListenersAreCounted) {
  const Topology topology = Topology::parse("awake:0.3:complete:10", "metropolis", 5);
  Index awake = 0, repeated = 0;
  const Index steps = 2000, edges = 45;
  Links room, later;
  for (Index step = 0; step < steps; ++step) {
    const Links& links = topology.sequence()->at(step, room);
    Index listeners = 0;
    for (const Index count : links.listeners) listeners += count;
    EXPECT_EQ(listeners, links.M.nonZeros() - 10) << "one entry for each that is heard, and the diagonal";
    awake += listeners / 2;
    const Links& next = topology.sequence()->at(step + 1, later);
    for (Index i = 0; i < 10; ++i)
      for (Index j = 0; j < i; ++j)
        if (links.M.coeff(i, j) != 0 && next.M.coeff(i, j) != 0) ++repeated;
  }
  const double share = static_cast<double>(awake) / static_cast<double>(steps * edges);
  const double deviation = std::sqrt(0.3 * 0.7 / static_cast<double>(steps * edges));
  EXPECT_NEAR(share, 0.3, 4 * deviation);
  EXPECT_NEAR(static_cast<double>(repeated) / static_cast<double>(steps * edges), 0.09, 0.005)
      << "whatever was before";
}

TEST(Links, ADrawDependsOnSeedAndStepOnly) {
  const Topology topology = Topology::parse("awake:0.5:grid:3x4", "laplacian", 9),
                 again = Topology::parse("awake:0.5:grid:3x4", "laplacian", 9),
                 other = Topology::parse("awake:0.5:grid:3x4", "laplacian", 10);
  Links a, b, c;
  (void)again.sequence()->at(17, b);
  Index differing = 0;
  for (Index step = 0; step < 20; ++step) {
    const Block drawn = topology.sequence()->at(step, a).M;
    EXPECT_EQ(drawn, Block(again.sequence()->at(step, b).M));
    if (drawn != Block(other.sequence()->at(step, c).M)) ++differing;
  }
  EXPECT_GE(differing, 19);
}

/// On a directed cycle I - M = (I + P)/2 has the eigenvalues (1 + e^it)/2. Matchings of a cycle in turn: the
/// product's second eigenvalue is cos^2(2 pi / n), as each of them projects on pairs.
TEST(Links, TheMeasuredFactorIsTheKnownOne) {
  for (const Index n : {4, 8, 12}) {
    const double angle = std::numbers::pi / static_cast<double>(n);
    const Topology directed = Topology::parse(fmt::format("directed-cycle:{}", n), "laplacian");
    EXPECT_NEAR(directed.averaging()->factor, std::cos(angle), 2e-3) << n;
    EXPECT_NEAR(directed.averaging()->least_weight, 1, 1e-12);
  }
  for (const Index n : {8, 12}) {
    const double angle = 2 * std::numbers::pi / static_cast<double>(n);
    EXPECT_NEAR(Topology::parse(matchings(n), "laplacian").averaging()->factor, std::cos(angle), 2e-3) << n;
  }
}

/// The stationary weights of a star are proportional to 1 + degree.
TEST(Links, TheLeastPushSumWeightIsTheKnownOne) {
  const Topology star = Topology::parse("periodic:directed-cycle:3+directed-cycle:3", "laplacian");
  EXPECT_NEAR(star.averaging()->least_weight, 1, 1e-12);
  std::vector<Arc> arcs;
  for (Index leaf = 1; leaf < 7; ++leaf) {
    arcs.push_back({0, leaf});
    arcs.push_back({leaf, 0});
  }
  const Topology hub = Topology::parse(GraphSequence::directed(7, {arcs}), "laplacian");
  EXPECT_NEAR(hub.averaging()->least_weight, 7 * 2 / (7.0 + 6 * 2), 1e-3);
}

TEST(Links, EveryComponentMixesByItself) {
  const Topology topology = Topology::parse(
      GraphSequence::in_turn({Graph(5, {{0, 1}, {2, 4}}), Graph::parse("cycle:5")}), "max-degree");
  Links room;
  Block W = Block::Zero(5, 5);
  for (const auto& [a, b] : {std::pair<Index, Index>{0, 1}, {2, 4}}) {
    W(a, a) = W(b, b) = 0.5;
    W(a, b) = W(b, a) = -0.5;
  }
  EXPECT_EQ(Block(topology.sequence()->at(0, room).M), W);
  EXPECT_EQ(Block(topology.sequence()->at(1, room).M),
            Block(Topology::parse("cycle:5", "max-degree").weights()));
  EXPECT_EQ(topology.graph().edges().size(), 6u) << "who ever talks to whom";
}

// ---- methods ---------------------------------------------------------------------------------------------

TEST(Diging, OnASequenceOfOneGraphIsItselfBitForBit) {
  for (const char* mixing : {"laplacian", "metropolis"}) {
    const Topology fixed = Topology::parse("barbell:8", mixing),
                   sequence = Topology::parse("periodic:barbell:8+barbell:8+barbell:8", mixing);
    ASSERT_TRUE(sequence.changes());
    const Problem problem = make_problem({}, 8);
    for (const char* name : {"diging", "push-diging"}) {
      const Method m = with(name, {{"step", fmt::format("{}", 0.1 / problem.constants.L)}});
      const auto a = record(problem, fixed, m, 200), b = record(problem, sequence, m, 200);
      EXPECT_EQ(a.X, b.X) << name;
      EXPECT_EQ(a.meter.back(), b.meter.back()) << name;
    }
  }
  EXPECT_FALSE(Topology::parse("awake:1:cycle:6", "laplacian").changes());
}

/// x(k+1) = W(k) x(k) - a y(k),  y(k+1) = W(k) y(k) + g(k+1) - g(k).
TEST(Diging, FollowsItsListWithTheMatrixOfEachStep) {
  for (const Topology& topology : five_sequences()) {
    if (topology.directed()) continue;
    const Problem problem = make_problem({}, topology.agents());
    const double alpha = 0.05 / problem.constants.L;
    const auto recording =
        record(problem, topology, with("diging", {{"step", fmt::format("{}", alpha)}}), 60);
    Block X = recording.X[0], g = gradient(problem, X), Y = g;
    std::vector<Block> expected{X};
    for (Index k = 0; k < 59; ++k) {
      const Block W = averaging_matrix(topology, k);
      X = Block(product(X, W) - alpha * Y);
      const Block g_next = gradient(problem, X);
      Y = Block(product(Y, W) + g_next - g);
      g = g_next;
      expected.push_back(X);
    }
    EXPECT_LT(difference(recording.X, expected, 60), 1e-12);
  }
}

/// Theorem 10 of Nedic, Olshevsky and Shi: where any B steps shrink disagreement to delta, and with J = 3
/// kappa B^2 (1 + 4 sqrt(n kappa)), the step 1.5 (sqrt(J^2 + (1 - delta^2) J) - delta J)^2/(mu J (J + 1)^2)
/// makes the distance fall as (1 - step mu/1.5)^(k/(2 B)).
TEST(Diging, KeepsItsPublishedRateAlsoWhereTheNetworkChanges) {
  struct Case {
    Topology topology;
    int B;
  };
  for (const auto& [topology, B] :
       {Case{Topology::parse("periodic:complete:6+complete:6", "lazy-metropolis"), 1},
        Case{Topology::parse(matchings(6), "metropolis"), 2}}) {
    Block both = averaging_matrix(topology, 0);
    if (B == 2) both = product(averaging_matrix(topology, 1), both);
    const Block off = both - Block::Constant(6, 6, 1.0 / 6);
    const double delta = std::sqrt(symmetric_eigenvalues(product(off.transpose(), off))[5]);
    ASSERT_LT(delta, 0.9);
    const Quadratics f(6, 3, 2, 5);
    const Problem problem = f.problem();
    const double kappa = problem.constants.kappa(), mu = problem.constants.mu;
    const double J = 3 * kappa * B * B * (1 + 4 * std::sqrt(6 * kappa));
    const double root = std::sqrt(J * J + (1 - delta * delta) * J) - delta * J;
    const double step = 1.5 * root * root / (mu * J * (J + 1) * (J + 1));
    const double rate = std::pow(1 - step * mu / 1.5, 1 / (2.0 * B));
    const auto X = record(problem, topology, with("diging", {{"step", fmt::format("{}", step)}}), 12000).X;
    const auto distance = [&](std::size_t k) { return (X[k].colwise() - f.minimiser()).norm(); };
    ASSERT_LT(std::pow(rate, 11000), 0.5) << "so that it says something";
    for (const std::size_t k : {2000u, 6000u, 12000u})
      EXPECT_LT(distance(k), distance(1000) * std::pow(rate, static_cast<double>(k) - 1000)) << B << ' ' << k;
  }
}

/// u(k+1) = C(k) (u(k) - a y(k)),  v(k+1) = C(k) v(k),  x = u / v,  y(k+1) = C(k) y(k) + g(k+1) - g(k).
TEST(PushDiging, FollowsItsListWithTheMatrixOfEachStep) {
  for (const Topology& topology : five_sequences()) {
    const Problem problem = make_problem({}, topology.agents());
    const double alpha = 0.05 / problem.constants.L;
    const auto recording =
        record(problem, topology, with("push-diging", {{"step", fmt::format("{}", alpha)}}), 60);
    Block X = recording.X[0], U = X, g = gradient(problem, X), Y = g;
    Block v = Block::Ones(1, topology.agents());
    std::vector<Block> expected{X};
    for (Index k = 0; k < 59; ++k) {
      const Block Ct = averaging_matrix(topology, k).transpose();
      U = Block(product(U - alpha * Y, Ct));
      v = Block(product(v, Ct));
      X = Block(U.array().rowwise() / v.row(0).array());
      const Block g_next = gradient(problem, X);
      Y = Block(product(Y, Ct) + g_next - g);
      g = g_next;
      expected.push_back(X);
    }
    EXPECT_LT(difference(recording.X, expected, 60), 1e-12);
  }
}

/// With doubly stochastic weights v stays 1. Without y what remains of it is
/// X_2 = 2 W X_1 - W^2 X_0 - alpha W (g_1 - g_0): DIGing has I in place of the last W, atc-diging W^2.
TEST(PushDiging, OnAnUndirectedNetworkIsGradientTrackingBetweenItsTwoRelatives) {
  for (const char* graph : {"cycle:7", "complete:5"}) {
    const Topology topology = Topology::parse(graph, "metropolis");
    const Index n = topology.agents();
    const Problem problem = make_problem({}, n);
    const double alpha = 0.05 / problem.constants.L;
    const auto recording =
        record(problem, topology, with("push-diging", {{"step", fmt::format("{}", alpha)}}), 80);
    const Block W = Block::Identity(n, n) - Block(topology.weights()), WW = product(W, W);
    std::vector<Block> X{recording.X[0]};
    Block g_prev = gradient(problem, X[0]);
    X.emplace_back(product(X[0] - alpha * g_prev, W));
    for (std::size_t k = 1; k < 79; ++k) {
      const Block g = gradient(problem, X[k]);
      X.push_back(2 * product(X[k], W) - product(X[k - 1], WW) - alpha * product(g - g_prev, W));
      g_prev = g;
    }
    EXPECT_LT(difference(recording.X, X, 80), 1e-12) << graph;
    for (const Checkpoint& state : recording.states)
      EXPECT_LT(
          (std::get<Block>(state.state[1]).row(problem.losses[0]->dimension()).array() - 1).abs().maxCoeff(),
          1e-12);
  }
}

/// Sharing evenly is doubly stochastic where all have as many neighbours, and the same as Metropolis there.
TEST(PushDiging, OnADirectedNetworkThatGoesBothWaysIsThatOfTheUndirectedOne) {
  std::vector<Arc> arcs;
  for (Index i = 0; i < 8; ++i)
    for (const Index j : {(i + 1) % 8, (i + 7) % 8}) arcs.push_back({i, j});
  const Topology directed = Topology::parse(GraphSequence::directed(8, {arcs}), "laplacian"),
                 undirected = Topology::parse("cycle:8", "metropolis");
  const Problem problem = make_problem({}, 8);
  const Method m = with("push-diging", {{"step", fmt::format("{}", 0.1 / problem.constants.L)}});
  EXPECT_LT(difference(record(problem, directed, m, 200).X, record(problem, undirected, m, 200).X, 200),
            1e-12);
}

TEST(Invariants, PushSumWeightsSumToTheAgentsAndTrackedGradientsToTheGradients) {
  for (const Topology& topology : five_sequences())
    for (const char* name : {"diging", "push-diging"}) {
      const bool pushes = name == std::string("push-diging");
      if (!suits(method(name), topology)) continue;
      const Problem problem = make_problem({}, topology.agents());
      const auto recording = record(problem, topology, method(name), 400);
      for (const Checkpoint& state : recording.states) {
        const Block &Y = std::get<Block>(state.state[pushes ? 2 : 1]),
                    &G = std::get<Block>(state.state[pushes ? 3 : 2]);
        EXPECT_LT((Y.rowwise().sum() - G.rowwise().sum()).norm(), 1e-12 * (1 + G.norm())) << name;
        if (!pushes) continue;
        const auto& UV = std::get<Block>(state.state[1]);
        EXPECT_NEAR(UV.row(UV.rows() - 1).sum(), static_cast<double>(topology.agents()), 1e-12);
        EXPECT_GT(UV.row(UV.rows() - 1).minCoeff(), 0);
      }
    }
}

TEST(DynamicNetworks, DefaultsReachTheOptimum) {
  for (const char* name : {"diging", "push-diging"})
    for (const Topology& topology : five_sequences()) {
      if (!suits(method(name), topology)) continue;
      for (const LossKind loss : {LossKind::logistic, LossKind::ridge}) {
        const Problem problem = make_problem({.loss = loss}, topology.agents());
        SolveOptions options;
        options.watch = {.tol = 1e-10, .computations = 40000, .every = 5};
        const Result result = simulate(problem, topology, method(name), options);
        EXPECT_EQ(result.status, Status::converged) << name << ' ' << result.trace.back().worst_suboptimality;
        EXPECT_LT((result.X.colwise() - problem.reference->x).norm(), 1e-3);
      }
    }
}

/// The minimiser by a direct solve, and curvatures that differ from agent to agent.
TEST(DynamicNetworks, DefaultsAreStableOnPoorNetworks) {
  std::vector<Graph> edges;
  for (Index i = 0; i + 1 < 8; ++i) edges.emplace_back(8, std::vector<Graph::Edge>{{i, i + 1}});
  std::vector<Arc> back;  // word goes down the line and home from everywhere: little weight at the far end
  for (Index i = 0; i < 7; ++i) back.push_back({i, i + 1});
  for (Index i = 1; i < 8; ++i) back.push_back({i, 0});
  const Topology topologies[] = {Topology::parse(GraphSequence::in_turn(edges), "metropolis"),
                                 Topology::parse("awake:0.1:cycle:8", "laplacian", 4),
                                 Topology::parse(GraphSequence::directed(8, {back}), "laplacian"),
                                 Topology::parse("directed-cycle:8", "laplacian")};
  const Quadratics quadratics(8, 3, 10, 2);
  const Problem problem = quadratics.problem();
  for (const Topology& topology : topologies)
    for (const char* name : {"diging", "push-diging"}) {
      if (!suits(method(name), topology)) continue;
      const Result result = run_for(problem, topology, method(name), 30000, 100);
      EXPECT_LT((result.X.colwise() - quadratics.minimiser()).norm(), 1e-6) << name;
    }
}

// ---- runtimes --------------------------------------------------------------------------------------------

TEST(DynamicNetworks, HostsGiveTheBitsOfTheSimulatorAndCountAwakeEdgesOnly) {
  for (const Topology& topology : five_sequences())
    for (const char* name : {"diging", "push-diging"}) {
      if (!suits(method(name), topology)) continue;
      const Problem problem = make_problem({}, 6);
      SolveOptions options;
      options.watch = {.computations = 60};
      const Result simulated = simulate(problem, topology, method(name), options);
      for (const std::vector<Index>& host_of : {std::vector<Index>{0, 1, 2, 3, 4, 5}, {1, 0, 1, 0, 0, 1}}) {
        const Result hosted = simulate_hosts(problem, topology, method(name), host_of, options);
        EXPECT_EQ(simulated.X, hosted.X) << name;
        ASSERT_EQ(simulated.trace.size(), hosted.trace.size());
        for (std::size_t row = 0; row < hosted.trace.size(); ++row)
          EXPECT_EQ(simulated.trace[row].meter, hosted.trace[row].meter) << name;
      }

      // Two rounds a step but for the start, which all agents share.
      const Index d = problem.losses[0]->dimension(), steps = 60;
      const bool pushes = name == std::string("push-diging");
      Index bytes = 0;
      Links room;
      for (Index step = 0; step < steps; ++step) {
        Index listeners = 0;
        for (const Index count : topology.sequence()->at(step, room).listeners) listeners += count;
        if (step > 0 || pushes) bytes += listeners * (pushes ? d + 1 : d) * 8;
        if (step + 1 < steps) bytes += listeners * d * 8;  // the last tracked gradients stay at home
      }
      EXPECT_EQ(simulated.trace.back().meter.bytes, bytes) << name;
      EXPECT_EQ(simulated.trace.back().meter.communications, 2 * steps - (pushes ? 1 : 2)) << name;
    }
}

TEST(DynamicNetworks, AResumedRunIsAtTheStepItWasAt) {
  for (const Topology& topology : five_sequences()) {
    const Problem problem = make_problem({}, 6);
    const Method m = method("push-diging");
    SolveOptions options;
    options.watch = {.computations = 90, .every = 0};
    const Result whole = simulate(problem, topology, m, options);
    Checkpoint saved;
    SolveOptions saving = options;
    saving.run = {.resume = nullptr, .checkpoint_every = 37, .on_checkpoint = [&](const Checkpoint& c) {
                    if (saved.passes == 0) saved = c;
                  }};
    simulate(problem, topology, m, saving);
    SolveOptions resuming = options;
    resuming.run.resume = &saved;
    const Result resumed =
        simulate_hosts(problem, topology, m, std::vector<Index>{0, 1, 0, 2, 1, 0}, resuming);
    EXPECT_EQ(whole.X, resumed.X);
    EXPECT_EQ(whole.trace.back().meter, resumed.trace.back().meter);
  }
}

// ---- refusals --------------------------------------------------------------------------------------------

TEST(DynamicNetworks, OtherMethodsAreRefusedWithTheReason) {
  const Topology changing = Topology::parse("periodic:cycle:6+star:6", "laplacian"),
                 directed = Topology::parse("directed-cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  for (const Method& m : methods())
    for (const Topology* topology : {&changing, &directed}) {
      const Demand asked = topology->directed() ? Demand::directed : Demand::time_varying;
      const std::string said = message([&] { run_for(problem, *topology, m, 2); });
      const bool refused = said.find(describe(asked)) != std::string::npos;
      EXPECT_EQ(refused, !m.about().meets.has(asked)) << said;
    }
  EXPECT_TRUE(method("diging").about().meets.has(Demand::time_varying));
  EXPECT_FALSE(method("diging").about().meets.has(Demand::directed));
}

TEST(GraphSequences, BadSpecsAreRefused) {
  const auto said = [](std::string_view spec) { return message([&] { GraphSequence::parse(spec); }); };
  EXPECT_EQ(said("directed-cycle:1"),
            "--graph: n = '1' in 'directed-cycle:1' (n is a whole number, 2 ... 10000000). Write for example "
            "directed-cycle:8.");
  EXPECT_EQ(said("awake:1.5:cycle:8"),
            "--graph: awake with probability '1.5' (a probability lies in (0, 1]). Write for example "
            "awake:0.3:cycle:8.");
  EXPECT_EQ(said("awake:0.5"),
            "--graph: 'awake:0.5' (the form is awake:P:SPEC). Write for example awake:0.3:cycle:8.");
  EXPECT_EQ(
      said("periodic:cycle:6+star:8"),
      "--graph: graphs of 6 and of 8 agents (the agents stay the same). Give all graphs the same number "
      "of agents.");
  EXPECT_EQ(said("periodic:cycle:6+awake:0.5:star:6"),
            "--graph: 'awake:0.5:star:6' within periodic: (its parts are single graphs). Write for example "
            "awake:0.3:periodic:cycle:8+star:8.");
  EXPECT_EQ(
      said("periodic:cycle:6+strar:6"),
      "--graph: unknown family 'strar' in 'strar:6' (a graph is FAMILY:ARGUMENTS). Did you mean 'star'?");
  for (const char* spec : {"awake:0:cycle:8", "awake:nan:cycle:8", "awake:0.5:awake:0.5:cycle:8", "periodic:",
                           "directed-cycle:", "directed:/nowhere", "rounds:/nowhere", "awake::cycle:8"})
    EXPECT_NE(said(spec), "no error") << spec;
}

/// Word goes round a directed cycle the long way, and down a line and home from anywhere.
TEST(GraphSequences, WordTakesTheArcsAsTheyGo) {
  EXPECT_EQ(GraphSequence::parse("directed-cycle:8").diameter().hops, 7);
  EXPECT_EQ(GraphSequence::parse("cycle:8").diameter().hops, 4);
  EXPECT_EQ(GraphSequence::parse("periodic:line:5+star:5").diameter().hops, 2) << "all that ever are";
  const GraphSequence down_and_home =
      parse_rounds("directed\nround\n0 1\n1 2\nround\n2 3\n1 0\n2 0\n3 0\n0 1\n", "f");
  EXPECT_EQ(down_and_home.diameter().hops, 3);
  EXPECT_TRUE(down_and_home.diameter().exact);
  EXPECT_FALSE(down_and_home.diameter(2).exact);
  EXPECT_LE(down_and_home.diameter(2).hops, 3);
  EXPECT_EQ(down_and_home.links(), (std::vector<Arc>{{0, 1}, {1, 0}, {1, 2}, {2, 0}, {2, 3}, {3, 0}}));
  EXPECT_EQ(GraphSequence::parse("line:3").links(), (std::vector<Arc>{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
}

TEST(GraphSequences, FilesOfRoundsAreRead) {
  const GraphSequence undirected = parse_rounds(
      "# who meets whom\nagents 5\nround\n0 1\n3 2 # b first\n\nround\n"
      "round\n1 2 2.5\n3 4\n",
      "meetings");
  EXPECT_EQ(undirected.agents(), 5);
  ASSERT_EQ(undirected.graphs().size(), 3u);
  EXPECT_EQ(undirected.graphs()[1].edges().size(), 0u) << "nobody";
  EXPECT_EQ(undirected.graphs()[2].edges()[0].weight, 2.5);
  EXPECT_EQ(undirected.joined().edges().size(), 4u);
  const GraphSequence directed = parse_rounds("directed\nround\n0 1\n1 2\nround\r\n2 0\r\n", "orders");
  ASSERT_TRUE(directed.is_directed());
  EXPECT_EQ(directed.arcs()[1], (std::vector<Arc>{{2, 0}}));
}

TEST(GraphSequences, BadFilesAreRefusedByLine) {
  const auto said = [](std::string_view text) { return message([&] { parse_rounds(text, "f"); }); };
  EXPECT_EQ(
      said("0 1\n"),
      "f:1: '0 1' (before the first 'round' stand only 'directed' and 'agents n'). Begin the graph with "
      "'round'.");
  EXPECT_EQ(said("round\n0 1\n1 0\n"),
            "f:3: edge 0 1, already on line 2 (an undirected edge is given once a round). Delete one of the "
            "two lines.");
  EXPECT_EQ(said("directed\nround\n0 1 2\n"),
            "f:3: weight '2' (arcs have no weights: a sender divides evenly). Write 'a b' only.");
  EXPECT_EQ(said("agents 3\nround\n0 3\n"),
            "f:3: agent 3 (agents are 0 ... 2). Correct the line, or the number of agents.");
  EXPECT_EQ(said("round\n0 1\nround\n2 3\n"),
            "f: 2 components: {0, 1}, {2, 3} (every agent must reach every other). Add edges that join "
            "them in one graph or another.");
  EXPECT_EQ(said("directed\nround\n0 1\nround\n2 1\n2 0\n"),
            "f: agent 2 never hears of agent 0 (all graphs together must be strongly connected). Add "
            "arcs such that every agent reaches every other.");
  EXPECT_EQ(said("round 1\n"),
            "f:1: 'round 1' ('round' stands alone on its line). Put what follows on lines of its own.");
  for (const char* text : {"", "round\n", "agents 1\nround\n0 1\n", "agents x\n", "round\n0 0\n",
                           "round\n0\n", "round\n-1 2\n", "round\n0 1 -2\n", "directed now\n"})
    EXPECT_NE(said(text), "no error") << text;
  EXPECT_NE(message([] { parse_arc_list("0 1\n1 2\n", "f"); }), "no error") << "not strongly connected";
}

TEST(GraphSequences, PathsBecomeAbsolute) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(GraphSequence::with_absolute_paths("awake:0.5:periodic:file:a+b.txt+cycle:8+directed:c"),
            fmt::format("awake:0.5:periodic:file:{0}/a+b.txt+cycle:8+directed:{0}/c", here));
  EXPECT_EQ(GraphSequence::with_absolute_paths("rounds:x/../y"), fmt::format("rounds:{}/y", here));
  EXPECT_EQ(GraphSequence::with_absolute_paths("er:20,0.3"), "er:20,0.3");
}

TEST(GraphSequences, WeightsThatSuitNoSequenceAreRefused) {
  const auto said = [](std::string_view graph, std::string_view mixing) {
    return message([&] { Topology::parse(graph, mixing); });
  };
  EXPECT_EQ(
      said("directed-cycle:5", "metropolis"),
      "--mixing: 'metropolis' on a directed graph (an agent of a directed graph shares evenly among itself "
      "and its listeners). Leave --mixing out.");
  EXPECT_EQ(
      said("periodic:cycle:5+star:5", "file:w.csv"),
      "--mixing: 'file:w.csv' for several graphs (a file has one matrix). Name a kind of weights, which is "
      "applied to each graph.");
  EXPECT_EQ(said("awake:1e-9:cycle:5", "laplacian").substr(0, 21), "--graph: agents come ");
}

}  // namespace
}  // namespace ideal::test
