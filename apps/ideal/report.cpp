// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"
#include "comparison.hpp"
#include "options.hpp"
#include "text_file.hpp"

#include <ideal/error.hpp>

#include <memory>
#include <optional>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

struct Report {
  std::string directory, out;
  std::vector<std::string> formats;
  std::optional<double> tau;
  bool quiet = false;

  int operator()() const {
    const report::Json data = report::data_of(read_subject(directory));
    const fs::path page = fs::path(directory) / "report.html";
    write_text(page, report::html(data));
    if (!quiet) fmt::print("{}\n", page.string());
    if (!formats.empty()) write_figures(data);
    return reached;
  }

  void write_figures(const report::Json& data) const {
    const fs::path folder = out.empty() ? fs::path(directory) / "figures" : fs::path(out);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw InputError(fmt::format("--out {}", folder.string()), error.message(),
                       "figures go into a directory", "Name a directory you can write to.");
    for (const auto& [name, content] : report::figures(data, formats, tau)) {
      write_text(folder / name, content);
      if (!quiet) fmt::print("{}\n", (folder / name).string());
    }
  }
};

}  // namespace

Command add_report(CLI::App& program) {
  CLI::App* page =
      program.add_subcommand("report", "Render a run or a comparison again, and draw its figures");
  const auto report = std::make_shared<Report>();
  page->add_option("directory", report->directory, "What 'ideal compare' or 'ideal solve' wrote")
      ->required()
      ->type_name("DIR");
  page->add_option("--figures", report->formats,
                   "Also write every figure: svg, pdf, tex (pgfplots), csv; apart by commas")
      ->delimiter(',')
      ->type_name("FORMATS")
      ->check(CLI::IsMember({"svg", "pdf", "tex", "csv"}));
  Options(*page).number("tau", report->tau, range::nonnegative,
                        "Time of a communication in figures; default the report's own");
  page->add_option("--out", report->out, "Where figures go; default DIR/figures")->type_name("DIR");
  page->add_flag("--quiet", report->quiet, "Print errors only");
  page->footer("Example:\n  ideal report runs/mnist --figures svg,pdf,tex --tau 10");
  return {page, [report] { return (*report)(); }};
}

}  // namespace ideal::cli
