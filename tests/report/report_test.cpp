// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <ideal/error.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ideal::report {
namespace {

/// Gaps that fall by a tenth each `per_decade` rows.
Trace geometric(std::size_t rows, double per_decade) {
  Trace trace;
  for (std::size_t k = 0; k < rows; ++k) {
    const double gap = std::pow(10.0, -static_cast<double>(k) / per_decade);
    trace.push_back({.iteration = static_cast<Index>(k),
                     .meter = {static_cast<double>(k), static_cast<Index>(2 * k), static_cast<Index>(8 * k)},
                     .seconds = 0.1 * static_cast<double>(k),
                     .suboptimality = gap / 3,
                     .worst_suboptimality = gap,
                     .consensus = gap,
                     .distance = gap});
  }
  return trace;
}

/// Computations until an error is at most `eps`.
double cost(const Trace& trace, double TraceRow::*error, double eps) {
  for (const TraceRow& row : trace)
    if (row.*error <= eps) return row.meter.computations;
  return std::numeric_limits<double>::infinity();
}

TEST(Thinning, KeepsShortTracesWhole) { EXPECT_EQ(thinned(geometric(100, 10), 100).size(), 100u); }

TEST(Thinning, KeepsEndsAndTimesToAccuracy) {
  const Trace whole = geometric(20'000, 1777.7);
  const Trace some = thinned(whole, 500);
  EXPECT_LE(some.size(), 500u + 2 * 13u);
  EXPECT_EQ(some.front().iteration, 0);
  EXPECT_EQ(some.back().iteration, 19'999);
  for (int k = 1; k <= 11; ++k)
    for (const auto error : {&TraceRow::worst_suboptimality, &TraceRow::suboptimality})
      EXPECT_EQ(cost(some, error, std::pow(10.0, -k)), cost(whole, error, std::pow(10.0, -k))) << k;
}

TEST(Thinning, SurvivesWhatIsNoNumber) {
  Trace trace = geometric(5000, 500);
  for (std::size_t k = 3000; k < trace.size(); ++k)
    trace[k].worst_suboptimality = trace[k].suboptimality = std::nan("");
  EXPECT_EQ(thinned(trace, 100).back().iteration, 4999);
}

struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("ideal-report-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TEST(TraceFile, ReadsWhatWasWrittenToTheLastBit) {
  const Folder folder;
  Trace trace = geometric(50, 3.1);
  trace[7].worst_suboptimality = std::nan("");
  trace[8].consensus = std::numeric_limits<double>::infinity();
  const auto file = folder.path / "trace.csv";
  std::ofstream out(file);
  write_csv(trace, out);
  out.close();
  const Trace again = read_trace(file);
  ASSERT_EQ(again.size(), trace.size());
  for (std::size_t k = 0; k < trace.size(); ++k) {
    EXPECT_EQ(again[k].meter, trace[k].meter);
    EXPECT_EQ(again[k].suboptimality, trace[k].suboptimality);
    EXPECT_EQ(again[k].seconds, trace[k].seconds);
    EXPECT_EQ(std::isnan(again[k].worst_suboptimality), k == 7);
    EXPECT_EQ(std::isinf(again[k].consensus), k == 8);
  }
}

TEST(TraceFile, NamesTheLineThatIsWrong) {
  const Folder folder;
  const auto file = folder.path / "trace.csv";
  std::ostringstream text;
  write_csv(geometric(3, 1), text);
  std::ofstream(file) << text.str() << "1,2\n";
  try {
    read_trace(file);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("trace.csv:5: '1,2'"), std::string::npos) << error.what();
  }
}

Run run(std::string method, std::string name, Index seed) {
  Json summary{{"method", method},
               {"parameters", {{"T", 3}}},
               {"set", {"T=3"}},
               {"status", "converged"},
               {"message", "fine"},
               {"errors", {{"agents", {1e-9, 2e-9, std::nan("")}}}},
               {"seconds", 1.5},
               {"seed", seed},
               {"data", {{"name", name}, {"rows", 10}}},
               {"environment", {{"version", "1.2.3"}, {"date", "today"}}}};
  for (const char* key : {"loss", "partition"}) summary[key] = "x";
  summary["graph"] = "cycle:3";
  summary["mixing"] = "laplacian";
  summary["agents"] = summary["edges"] = 3;
  for (const char* key :
       {"l2", "L", "mu", "kappa_f", "lambda_max", "lambda_min", "kappa_W", "f_star", "gradient_norm"})
    summary[key] = 2.0;
  summary["certified_gap"] = nullptr;
  Run run{.directory = "", .config = "", .summary = summary, .trace = geometric(10, 2)};
  ideal::report::name(run);
  return run;
}

TEST(ReportData, GroupsRunsByProblemAndCurve) {
  const Subject subject{
      .title = "t",
      .command = "c",
      .config = "",
      .taus = {1},
      .runs = {run("ideal", "a", 0), run("ideal", "a", 1), run("extra", "a", 0), run("ideal", "b", 0)}};
  const Json data = data_of(subject);
  ASSERT_EQ(data["problems"].size(), 2u);
  const Json& first = data["problems"][0];
  ASSERT_EQ(first["curves"].size(), 2u);
  EXPECT_EQ(first["curves"][0]["runs"].size(), 2u);
  EXPECT_EQ(first["curves"][0]["label"], "ideal T=3");
  EXPECT_EQ(data["methods"].size(), 2u);
  // The triangle's Laplacian has eigenvalues 0, 3, 3.
  ASSERT_EQ(first["spectrum"].size(), 3u);
  EXPECT_NEAR(first["spectrum"][0].get<double>(), 0, 1e-12);
  EXPECT_NEAR(first["spectrum"][2].get<double>(), 3, 1e-12);
  EXPECT_EQ(first["drawing"]["edges"].size(), 3u);
  EXPECT_DOUBLE_EQ(first["floor"].get<double>(), 2e-16);
}

TEST(ReportPage, MarkupInNamesStaysText) {
  const Subject subject{.title = "</title><script>alert(1)</script>",
                        .command = "c",
                        .config = "",
                        .taus = {1},
                        .runs = {run("ideal", "</script><script>alert(2)</script>", 0)}};
  const std::string page = html(data_of(subject));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("@DATA@"), std::string::npos);
  EXPECT_EQ(page.find("@TITLE@"), std::string::npos);
}

TEST(Figures, AreDrawnByTheEngineOfTheProgram) {
  const Subject subject{.title = "t",
                        .command = "c",
                        .config = "",
                        .taus = {1},
                        .runs = {run("ideal", "a", 0), run("extra", "a", 0)}};
  const auto files = figures(data_of(subject), {"svg", "csv"}, 2.0);
  ASSERT_FALSE(files.empty());
  for (const auto& [name, content] : files) {
    EXPECT_TRUE(name.ends_with(".svg") || name.ends_with(".csv")) << name;
    EXPECT_FALSE(content.empty()) << name;
  }
}

}  // namespace
}  // namespace ideal::report
