// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include "number.hpp"
#include "options.hpp"
#include "problem.hpp"

#include <ideal/cpu.hpp>
#include <ideal/error.hpp>
#include <ideal/loss.hpp>
#include <ideal/observer.hpp>
#include <ideal/topology.hpp>

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

constexpr Range checkpoint_range{0, 1e9, false, false, "a whole number >= 0"};
constexpr Range kappa_range{1, 1e300, true, false, "a number > 1"};

std::string absolute_if_file(const std::string& spec) {
  constexpr std::string_view file = "file:";
  if (!spec.starts_with(file)) return spec;
  return std::string(file) + fs::absolute(spec.substr(file.size())).lexically_normal().string();
}

}  // namespace

void declare(Settings& s, Options& options) {
  options.group("Problem");
  options.text(
      "data", s.data, "FILE",
      "LIBSVM, CSV, NPY, NPZ or IDX, plain or gzipped; one file an agent, as part-%04d.svm; a name of "
      "'ideal data list'; or "
      "synthetic:rows=1000,columns=20,classes=2,decay=10,noise=0.1,density=1");
  options.text("test", s.test, "FILE", "Held-out data, a file or a name: how good the mean model is");
  options.text("label", s.label, "NAME", "CSV: the label column; the last one if not given");
  options.text("labels", s.labels, "FILE", "IDX, NPY, NPZ: a file with the labels");
  options.text("classes", s.classes, "A,B", "Keep the rows of two classes, as -1 and +1");
  options.flag("normalize", s.normalize, "Scale every row to length one");
  options.text("loss", s.loss, "KIND", "logistic, ridge, softmax, hinge, huber or quantile");
  CLI::Option* l2 = options.number("l2", s.l2, range::nonnegative, "Weight of |x|^2/2 in every agent's loss")
                        ->default_str(fmt::format("{}", Settings::default_l2));
  options.number("kappa", s.kappa, kappa_range, "Choose l2 such that L/mu is this")->excludes(l2);
  options.number("l1", s.l1, range::nonnegative, "Weight of |x|_1 in every agent's problem: exact zeros");
  options.text("box", s.box, "LOW:HIGH", "Keep every entry of x within these, as --box 0: or --box=-1:1");
  options.number("smoothing", s.smoothing, range::nonnegative,
                 "hinge, quantile: width of the rounded kink; 0: the loss itself, which is not smooth");
  options.number("delta", s.delta, range::positive, "huber: residuals beyond it count linearly")
      ->default_str("1.35");
  options.number("quantile", s.quantile, {0, 1, true, true, "a number in (0, 1)"},
                 "quantile: which one; 0.5 is the median");
  options.number("L", s.L, range::positive, "Smoothness; computed from the data if not given");
  options.number("mu", s.mu, range::positive, "Strong convexity; computed if not given");

  options.group("Network");
  options.text("graph", s.graph, "SPEC", "Who talks to whom; families below");
  options.text("mixing", s.mixing, "KIND", fmt::format("{}, or file:PATH", fmt::join(mixing_kinds(), ", ")));
  options.text("partition", s.partition, "KIND", "contiguous, shuffled, by-label or dirichlet:ALPHA");

  options.group("Method");
  options.text("method", s.method, "NAME", "See 'ideal methods'");
  options.list("set", s.set, "KEY=VALUE", "A parameter of the method; may be repeated");
  options.whole("rounds", s.rounds, range::count, "Budget of computations (gradients of all agents)");
  options.number("tol", s.tol, range::nonnegative, "Stop at this suboptimality of the worst agent; 0: never");
  options.text(
      "stop", s.stop, "RULE",
      "certificate: when the agents themselves know that tol is reached; truth: when an observer who knows "
      "the optimum sees it; auto: by certificate where the method has one");
  options
      .number("tau", s.tau, range::nonnegative,
              "Time of a communication; a computation takes 1. --method auto measures it on a real network")
      ->default_str("1");

  options.group("Execution");
  options.whole("seed", s.seed, seed_range, "Of random graphs, partitions, synthetic data and mini-batches");
  options.whole("batch-seed", s.batch_seed, seed_range, "Of mini-batches alone")->default_str("seed");
  options.whole("threads", s.threads, thread_range, "Never changes a result; 0: one a core");
  options.text(
      "storage", s.storage, "TYPE",
      "Of dense features: f32 halves what is read, f64 keeps every digit; auto: f32 where that is exact");
  options.text("cpu", s.cpu, "NAME",
               "Instruction set, for the bits of another machine, as AVX2 or SSE4; auto: the best one here");
  options.whole("hosts", s.hosts, thread_range,
                "Deal the agents to this many message-passing hosts; 0: simulate");
  options
      .whole("every", s.every, range::count,
             fmt::format("Record every K-th computation; beyond {} agents by default every {}th",
                         Observer::looks_at_all, default_every(Observer::looks_at_all + 1)))
      ->default_str("1");
  options.whole("checkpoint", s.checkpoint, checkpoint_range,
                "Save the run every K-th computation, to go on with --resume; 0: never");
}

std::string toml_of(Settings settings) {
  CLI::App page;
  Options options(page);
  declare(settings, options);
  return options.toml();
}

void require_same_settings(Cluster& cluster, Settings settings) {
  settings.threads = 0;
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  };
  const auto texts = cluster.share(toml_of(std::move(settings)));
  const auto first = lines_of(texts.front());
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    const auto other = lines_of(texts[rank]);
    const auto [mine, theirs] = std::ranges::mismatch(first, other);
    if (mine == first.end() && theirs == other.end()) continue;
    const auto shown = [](auto at, const auto& lines) { return at == lines.end() ? "nothing more" : *at; };
    throw InputError(fmt::format("rank {}", rank), shown(theirs, other),
                     fmt::format("rank 0 has {}", shown(mine, first)),
                     "Start every rank with the same options.");
  }
}

void resolve(Settings& settings) {
  if (!settings.kappa && !settings.l2) settings.l2 = Settings::default_l2;
  if (settings.stop != "auto" && settings.stop != "truth" && settings.stop != "certificate")
    throw InputError("--stop", fmt::format("'{}'", settings.stop), "auto, truth or certificate",
                     did_you_mean(settings.stop, std::vector<std::string>{"auto", "truth", "certificate"}));
  parse_storage(settings.storage);
  use_cpu_target(settings.cpu);
  resolve_data(settings);
  settings.graph = GraphSequence::with_absolute_paths(settings.graph);
  settings.mixing = absolute_if_file(settings.mixing);
}

Index default_every(Index agents) { return agents <= Observer::looks_at_all ? 1 : 50; }

Method chosen_method(const Settings& settings, bool simulated) {
  Method chosen = method(settings.method);
  const std::vector<Parameter> parameters = chosen.parameters();
  const auto tell = [&](const char* key, const std::optional<double>& value) {
    if (value && std::ranges::find(parameters, key, &Parameter::key) != parameters.end())
      chosen.set(key, fmt::format("{}", *value));
  };
  tell("L", settings.L);
  tell("mu", settings.mu);
  tell("tau", simulated ? tau_of(settings) : settings.tau);
  if (settings.method == "auto" && !simulated && !settings.tau) chosen.set("tau", "auto");
  for (const std::string& pair : settings.set) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("--set", fmt::format("'{}'", pair), "takes key=value",
                       "Write for example --set T=100.");
    chosen.set(pair.substr(0, equals), pair.substr(equals + 1));
  }
  chosen.check();
  return chosen;
}

bool stops_by_certificate(const Settings& settings, const Method& method) {
  if (settings.stop != "certificate") return settings.stop == "auto" && method.about().certifies;
  if (method.about().certifies) return true;
  std::string able;
  for (const Method& m : methods())
    if (m.about().certifies) able += (able.empty() ? "" : ", ") + m.about().name;
  throw InputError("--stop", "certificate", fmt::format("method '{}' has none", method.about().name),
                   fmt::format("Use --stop truth, or one of the methods {}.", able));
}

}  // namespace ideal::cli
