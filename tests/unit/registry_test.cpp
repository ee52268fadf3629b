// SPDX-License-Identifier: Apache-2.0
#include "support/message.hpp"

#include <ideal/error.hpp>
#include <ideal/method.hpp>

#include <array>
#include <set>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using test::message;

TEST(Registry, EveryMethodIsDocumented) {
  std::set<std::string> names;
  for (const Method& m : methods()) {
    const About& about = m.about();
    EXPECT_TRUE(names.insert(about.name).second) << about.name;
    for (const std::string* text : {&about.family, &about.summary, &about.rule, &about.cost, &about.rate,
                                    &about.assumptions, &about.citation})
      EXPECT_FALSE(text->empty()) << about.name;
    for (const Parameter& p : m.parameters())
      EXPECT_FALSE(p.help.empty() || p.rule.empty() || p.value.empty()) << about.name << ' ' << p.key;
  }
}

TEST(Registry, UnknownNamesSuggestTheClosest) {
  EXPECT_EQ(message([] { method("extrra"); }),
            "--method: 'extrra' (a registered method). Did you mean 'extra'?");
  EXPECT_EQ(message([] { method("ideal").set("roh", "1"); }),
            "--set roh=1: 'roh' (no parameter of method 'ideal'). Did you mean 'rho'?");
  EXPECT_EQ(
      message([] { method("ideal").set("speed", "1"); }),
      "--set speed=1: 'speed' (no parameter of method 'ideal'). One of: solver, option, T, accuracy, growth, "
      "beta-in, step, step-scale, "
      "carry, batch, epoch, rho-in, exact, local-steps, rho, rho-scale, eta, beta, vanish, sigma, guard.");
  EXPECT_EQ(message([] { method("mideal").set("rho-scal", "1"); }),
            "--set rho-scal=1: 'rho-scal' (no parameter of method 'mideal'). Did you mean 'rho-scale'?");
}

TEST(Registry, ValuesOutsideTheirRuleAreRefused) {
  Method ideal = method("ideal");
  for (const auto& [key, value] :
       {std::pair{"T", "0"}, {"T", "2.5"},    {"T", "ten"},       {"T", "-3"},        {"rho", "-1"},
        {"rho", "nan"},      {"rho", "inf"},  {"beta", "1"},      {"beta", "-0.1"},   {"beta-in", "1.5"},
        {"eta", "0"},        {"eta", "fast"}, {"solver", "agdd"}, {"option", "4"},    {"carry", "yes"},
        {"step", "0"},       {"batch", "0"},  {"growth", "0.5"},  {"rho-scale", "0"}, {"T", ""},
        {"T", "100x"}})
    EXPECT_NE(message([&] { ideal.set(key, value); }), "no error") << key << '=' << value;
  EXPECT_EQ(message([&] { ideal.set("T", "0"); }),
            "--set T: '0' (a whole number >= 1). See 'ideal methods NAME' for what T means.");
  EXPECT_EQ(
      message([&] { ideal.set("solver", "agdd"); }),
      "--set solver: 'agdd' (agd | gd | sgd | exact | svrg | katyusha | jacobi | gauss-seidel | admm). Did "
      "you mean 'agd'?");
}

TEST(Registry, ContradictingSettingsAreRefusedBeforeARun) {
  const auto complaint = [](std::string_view name,
                            std::initializer_list<std::pair<const char*, const char*>> settings) {
    Method m = method(name);
    for (const auto& [key, value] : settings) m.set(key, value);
    return message([&] { m.check(); });
  };
  EXPECT_EQ(complaint("ideal", {{"solver", "sgd"}, {"option", "1"}}),
            "--set option: 1 with solver=sgd (the gradient of a mini-batch does not tell the accuracy). Use "
            "option=2.");
  EXPECT_EQ(complaint("ideal", {{"solver", "svrg"}, {"option", "3"}}),
            "--set option: 3 with solver=svrg (the gradient of a mini-batch does not tell the accuracy). Use "
            "option=2.");
  EXPECT_EQ(
      complaint("ideal", {{"solver", "katyusha"}, {"beta-in", "0.5"}}),
      "--set beta-in: given with solver=katyusha (svrg has no momentum, and katyusha's follows from step and "
      "epoch). Leave it out.");
  EXPECT_EQ(complaint("mideal", {{"solver", "exact"}, {"T", "5"}}),
            "--set T: 5 with solver=exact (exact means as many steps as rounding needs). Use solver=agd for "
            "a fixed number of "
            "steps.");
  EXPECT_EQ(complaint("al", {{"rho", "0"}}),
            "--set eta: rho with rho=0 (a dual step of 0 never moves). Use eta=auto.");
  for (const Method& m : methods()) EXPECT_NO_THROW(m.check());
}

TEST(Registry, KnowsWhichMethodsDependOnTheSeed) {
  for (const char* name : {"dasg", "dmasg", "penalty-stm", "dvr"})
    EXPECT_TRUE(method(name).stochastic()) << name;
  for (const char* name : {"ideal", "fedavg", "extra", "spdstm"})
    EXPECT_FALSE(method(name).stochastic()) << name;
  for (const char* solver : {"sgd", "svrg", "katyusha"})
    EXPECT_TRUE(method("mideal").set("solver", solver).stochastic()) << solver;
  EXPECT_TRUE(method("fedavg").set("batch", "4").stochastic());
}

TEST(Registry, ParametersReadBackAsSet) {
  Method ideal = method("ideal");
  ideal.set("T", "100").set("eta", "rho").set("solver", "gd").set("carry", "true").set("rho-scale", "0.5");
  std::map<std::string, std::string> values;
  for (const Parameter& p : ideal.parameters()) values[p.key] = p.value;
  EXPECT_EQ(values["T"], "100");
  EXPECT_EQ(values["eta"], "rho");
  EXPECT_EQ(values["solver"], "gd");
  EXPECT_EQ(values["carry"], "true");
  EXPECT_EQ(values["rho-scale"], "0.5");
  EXPECT_EQ(values["beta"], "auto");
  ideal.set("T", "auto");
  EXPECT_EQ(method("ideal").parameters()[2].value, "auto") << "the registered method is untouched";
}

TEST(DidYouMean, OffersTheListWhenNothingIsClose) {
  const std::array<std::string, 2> words{"logistic", "ridge"};
  EXPECT_EQ(did_you_mean("logistik", words), "Did you mean 'logistic'?");
  EXPECT_EQ(did_you_mean("rigde", words), "Did you mean 'ridge'?");
  EXPECT_EQ(did_you_mean("hinge-loss", words), "One of: logistic, ridge.");
}

}  // namespace
}  // namespace ideal
