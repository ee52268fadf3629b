// SPDX-License-Identifier: Apache-2.0
// How many computations and rounds each method takes, with its defaults and tuned by hand, on many problems.
//
//   bench_rounds OUT.jsonl [small] [PART/PARTS] [methods:NAME,...] [TEXT]
//
// writes a line of JSON for each case whose name contains TEXT and that has no line there yet;
// bench/rounds/table.py reads them.
#include "cases.hpp"
#include "probe.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bench {
namespace {

using namespace ideal;
using Json = nlohmann::ordered_json;
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Contender {
  std::string method;
  Settings settings;
  std::string tau = "";  ///< it was told this regime
  bool tuned = false;    ///< of interest only where it is the fastest
};

std::string label_of(const Contender& c) {
  std::string text = c.method;
  for (const auto& [key, value] : c.settings) text += fmt::format(" {}={}", key, value);
  return text;
}

/// Regimes of communication: tau sqrt(kappa_W) is 0.1, kappa_f^(1/4), 10 sqrt(kappa_f).
std::array<double, 3> taus(double kappa_f, double kappa_W) {
  const double root = std::sqrt(kappa_W);
  return {0.1 / root, std::pow(kappa_f, 0.25) / root, 10 * std::sqrt(kappa_f) / root};
}

/// The least times yet of methods that are compared with each other: to each target in each regime.
class Record {
 public:
  explicit Record(const std::array<double, 3>& taus) : taus_(taus) {
    for (auto& times : best_) times.fill(std::numeric_limits<double>::infinity());
  }

  void enter(const Costs& reached) {
    for (std::size_t t = 0; t < targets.size(); ++t)
      for (std::size_t r = 0; r < taus_.size(); ++r)
        if (reached[t]) best_[t][r] = std::min(best_[t][r], time(*reached[t], r));
  }

  /// Who has come so far is no longer the fastest to any target that is still to be reached.
  [[nodiscard]] bool beats(const Meter& meter, const Costs& reached) const {
    for (std::size_t t = 0; t < targets.size(); ++t)
      for (std::size_t r = 0; r < taus_.size(); ++r)
        if (!reached[t] && time(meter, r) < best_[t][r]) return false;
    return true;
  }

 private:
  [[nodiscard]] double time(const Meter& meter, std::size_t regime) const {
    return meter.computations + taus_[regime] * static_cast<double>(meter.communications);
  }

  std::array<double, 3> taus_;
  std::array<std::array<double, 3>, targets.size()> best_;
};

/// Degrees of Q worth trying by hand.
std::vector<Index> degrees(double kappa_W) {
  const double root = std::sqrt(kappa_W);
  std::vector<Index> all{1};
  for (const double share : {0.15, 0.3, 0.5, 0.75, 1.0, 1.3}) {
    const auto J = static_cast<Index>(std::lround(share * root));
    if (J > all.back()) all.push_back(J);
  }
  return all;
}

std::vector<Contender> contenders(double kappa_f, double kappa_W, const std::string& wanted) {
  std::vector<Contender> all;
  const auto enter = [&](Contender one) {
    if (wanted.empty() || ("," + wanted + ",").find("," + one.method + ",") != std::string::npos)
      all.push_back(std::move(one));
  };
  const auto add = [&](const std::string& name, Settings settings) { enter({name, std::move(settings)}); };
  const auto tune = [&](const std::string& name, Settings settings) {
    enter({.method = name, .settings = std::move(settings), .tuned = true});
  };
  const char* const regimes[] = {"low", "middle", "high"};
  const auto tau = taus(kappa_f, kappa_W);
  for (std::size_t r = 0; r < tau.size(); ++r)
    enter({"auto", {{"tau", fmt::format("{}", tau[r])}}, regimes[r]});
  // first of all but ideal1, as they are compared with by themselves
  for (const Index J : degrees(kappa_W)) tune("opapc", {{"J", fmt::format("{}", J)}, {"L-scale", "0.25"}});
  for (const Index J : degrees(kappa_W))
    for (const char* sigma : {"0.25", "1"})
      tune("ideal1", {{"J", fmt::format("{}", J)}, {"sigma", sigma}, {"follow", "false"}});
  add("opapc", {{"L-scale", "1"}});
  add("apapc", {{"L-scale", "1"}});
  add("nids", {});
  tune("nids", {{"step-scale", "1.5"}});
  add("extra", {});
  const double root = std::sqrt(kappa_W);
  for (const double share : {1.6, 2.5})
    tune("mudag", {{"K", fmt::format("{}", static_cast<Index>(std::ceil(share * root)))}});
  add("mudag", {});
  tune("apm-c", {{"step", "0.5"}});
  add("apm-c", {});
  add("acc-dngd", {});
  add("ideal", {});
  add("mideal", {});
  add("ideal", {{"T", "100"}});
  add("mideal", {{"T", "100"}});
  return all;
}

Json cost(const std::optional<Meter>& meter) {
  if (!meter) return nullptr;
  return {meter->computations, meter->communications};
}

Json costs(const Costs& all) {
  Json list = Json::array();
  for (const auto& one : all) list.push_back(cost(one));
  return list;
}

Method configured(const Contender& c) {
  Method m = method(c.method);
  for (const auto& [key, value] : c.settings) m.set(key, value);
  return m;
}

std::optional<Json> measure(const Case& c, const std::filesystem::path& cache, const std::string& wanted) {
  const Topology topology = Topology::parse(c.graph, "laplacian", 1);
  const auto problem = problem_of(c, topology.agents(), cache);
  if (!problem) return {};
  const double kappa_f = problem->constants.kappa(), kappa_W = topology.spectrum().kappa();
  const Outcome central = probe(*problem, topology, method("agd"), {.budget = 1e6});
  if (!central.reached.back()) throw std::runtime_error("centralized AGD did not arrive at " + c.name());
  // What takes so much longer is best nowhere.
  const double budget = (kappa_f < 1e5 ? 4 : 2) * central.reached.back()->computations + 300;
  Record all(taus(kappa_f, kappa_W)), rivals = all;  // the latter without ideal1
  Json runs = Json::array();
  for (const Contender& contender : contenders(kappa_f, kappa_W, wanted)) {
    const Method m = configured(contender);
    const bool own = contender.method == "ideal1";
    Limits limits{.budget = budget};
    if (contender.tuned) limits.beaten = std::bind_front(&Record::beats, own ? &all : &rivals);
    const Outcome out = probe(*problem, topology, m, limits);
    Json run{{"name", label_of(contender)}, {"reached", costs(out.reached)}, {"diverged", out.diverged}};
    if (contender.method == "auto") {
      Costs certified;
      bool wrong = false;
      for (std::size_t t = 0; t < targets.size(); ++t) {
        const Outcome end = probe(*problem, topology, m, {.budget = budget, .wanted = targets[t]});
        certified[t] = end.certified;
        wrong = wrong || end.wrong;
      }
      run["regime"] = contender.tau;
      run["certified"] = costs(certified);
      run["wrong"] = wrong;
    } else {
      all.enter(out.reached);
      if (!own) rivals.enter(out.reached);
    }
    runs.push_back(std::move(run));
  }
  return Json{{"case", c.name()},
              {"loss", to_string(c.loss)},
              {"data", c.data},
              {"graph", c.graph},
              {"partition", c.partition},
              {"kappa_f", kappa_f},
              {"kappa_W", kappa_W},
              {"taus", taus(kappa_f, kappa_W)},
              {"first_gap", central.first_gap},
              {"agd", costs(central.reached)},
              {"runs", std::move(runs)}};
}

/// The cases that a file has lines of.
std::set<std::string> done_in(const char* file) {
  std::set<std::string> names;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (const Json known = Json::parse(line, nullptr, false); known.is_object())
      names.insert(known.value("case", ""));
  return names;
}

int run(std::span<char*> words) {
  const std::set<std::string> done = done_in(words[0]);
  std::ofstream out(words[0], std::ios::app);
  if (!out) {
    fmt::print(stderr, "bench_rounds: {} cannot be written\n", words[0]);
    return 2;
  }
  Extent extent = Extent::whole;
  std::size_t part = 0, parts = 1;
  std::string text, wanted;
  for (const std::string word : words.subspan(1)) {
    if (word == "small")
      extent = Extent::small;
    else if (const auto slash = word.find('/'); slash != std::string::npos && std::isdigit(word[0]))
      part = std::stoul(word), parts = std::stoul(word.substr(slash + 1));
    else if (word.starts_with("methods:"))
      wanted = word.substr(word.find(':') + 1);
    else
      text = word;
  }
  const char* const home = std::getenv("HOME");
  const std::filesystem::path cache = std::filesystem::path(home ? home : ".") / ".cache/ideal";
  std::size_t number = 0;
  for (const Case& c : cases(extent)) {
    if (number++ % parts != part || c.name().find(text) == std::string::npos || done.contains(c.name()))
      continue;
    const auto begun = std::chrono::steady_clock::now();
    const auto line = measure(c, cache, wanted);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    fmt::print(stderr, "{:3}  {}  {}\n", number, c.name(),
               line ? fmt::format("{:.1f} s", seconds) : "not fetched");
    if (line) out << line->dump() << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  if (count < 2) {
    std::cerr << "bench_rounds OUT.jsonl [small] [PART/PARTS] [methods:NAME,...] [TEXT]\n";
    return 2;
  }
  return bench::run(std::span(words + 1, static_cast<std::size_t>(count - 1)));
}
