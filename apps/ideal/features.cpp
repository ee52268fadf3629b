// SPDX-License-Identifier: Apache-2.0
#include "features.hpp"

#include "interrupt.hpp"
#include "number.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "text_file.hpp"

#include <ideal/ckn.hpp>
#include <ideal/error.hpp>

#include <cmath>
#include <memory>
#include <ranges>
#include <thread>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

constexpr Range size_range{1, 32768, false, false, "a whole number, 1 ... 32768"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (const auto word : std::views::split(text, separator)) words.emplace_back(word.begin(), word.end());
  return words;
}

ImageShape parse_image(std::string_view text) {
  std::vector<Index> sizes;
  for (const std::string_view word : split(text, 'x'))
    if (const auto size = parse_number(word, size_range, true)) sizes.push_back(static_cast<Index>(*size));
  if (sizes.size() == 2) sizes.push_back(1);
  if (sizes.size() != 3 || std::ranges::count(text, 'x') + 1 > 3)
    throw InputError("--image", fmt::format("'{}'", text), "HEIGHTxWIDTH, or HEIGHTxWIDTHxCHANNELS",
                     "Write for example 32x32x3.");
  return {sizes[0], sizes[1], sizes[2]};
}

/// Square images, grey or of three colours: no number is both n^2 and 3 n^2.
ImageShape guess_image(const Dataset& images) {
  for (const Index channels : {1, 3}) {
    const auto side =
        std::llround(std::sqrt(static_cast<double>(images.columns()) / static_cast<double>(channels)));
    if (side * side * channels == images.columns()) return {side, side, channels};
  }
  throw InputError(images.name, fmt::format("{} columns", images.columns()),
                   "neither a square grey image nor a square one of three colours",
                   "Give --image HEIGHTxWIDTHxCHANNELS.");
}

CknLayer parse_layer(std::string_view text) {
  const auto words = split(text, ':');
  const auto refuse = [&](std::string_view word) {
    throw InputError("--layers", fmt::format("'{}' in '{}'", word, text),
                     "FILTERS:PATCH:POOLING or FILTERS:PATCH:POOLING:SIGMA",
                     "Write for example 64:3:2,256:3:6:0.5.");
  };
  if (words.size() < 3 || words.size() > 4) refuse(text);
  CknLayer layer;
  Index* const sizes[] = {&layer.filters, &layer.patch, &layer.pooling};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto size = parse_number(words[i], size_range, true);
    if (!size) refuse(words[i]);
    *sizes[i] = static_cast<Index>(*size);
  }
  if (words.size() == 4) {
    const auto sigma = parse_number(words[3], range::positive, false);
    if (!sigma) refuse(words[3]);
    layer.sigma = *sigma;
  }
  return layer;
}

std::string shown(const std::vector<CknLayer>& layers) {
  std::string text;
  for (const CknLayer& l : layers)
    text += fmt::format("{}{}:{}:{}:{}", text.empty() ? "" : ",", l.filters, l.patch, l.pooling, l.sigma);
  return text;
}

Centring parse_centring(const std::string& word) {
  if (word == "none") return Centring::none;
  if (word == "patch") return Centring::patch;
  if (word == "channel") return Centring::channel;
  const std::vector<std::string> words = {"none", "patch", "channel"};
  throw InputError("--centring", fmt::format("'{}'", word), "what patches lose first",
                   did_you_mean(word, words));
}

class Features {
 public:
  explicit Features(CLI::App& page);
  int operator()();

 private:
  void describe_files(CLI::App& page);
  void resolve();
  void check_places() const;
  int compute(ProgressLine& line, std::stop_token stop);
  [[nodiscard]] Ckn network(const Dataset& images, Threads& threads, const CknWatch& watch);
  void transform(const Ckn& network, const Dataset& images, const std::string& out, Threads& threads,
                 CknWatch watch) const;

  Options options_;
  CknOptions network_;
  std::string in_, out_, cache_, model_, save_, image_, layers_, centring_ = "channel";
  std::vector<std::string> test_;
  Index seed_ = 0, threads_ = 0;
  bool raw_ = false, force_ = false, quiet_ = false;
};

Features::Features(CLI::App& page) : options_(page), layers_(shown(network_.layers)) {
  describe_files(page);
  options_.group("Network");
  options_.text("image", image_, "HxWxC", "Size of the images; square grey or colour ones are recognised");
  options_.text("layers", layers_, "LAYERS",
                "FILTERS:PATCH:POOLING[:SIGMA] for each layer, with commas between");
  options_.text("centring", centring_, "KIND",
                "What patches lose first: none, their mean (patch), or that of each channel (channel)");
  options_.number("contrast-floor", network_.contrast_floor, range::nonnegative,
                  "Even out contrasts above this share of a typical patch's; 0: keep contrasts");
  options_.number("whitening-ridge", network_.whitening_ridge, range::nonnegative,
                  "Share of the mean variance added when whitening patches; 0: no whitening");
  options_.flag("raw", raw_, "Leave features as they are: neither centred nor scaled to length one");
  options_.group("Learning");
  options_.whole("images", network_.images, range::count, "Images to learn from, at most");
  options_.whole("patches", network_.patches, range::count, "Patches to learn the filters of a layer from");
  options_.whole("iterations", network_.iterations, range::count, "Of k-means");
  options_.whole("seed", seed_, seed_range, "Of the sampled images and patches");
  options_.whole("threads", threads_, thread_range, "Never changes a result; 0: one a core");
  page.footer(
      "A linear model on pixels sees colours at places; on these features it sees shapes and textures\n"
      "wherever they are. No labels are used: small patches of the images are grouped by k-means, each\n"
      "patch is described by its likeness exp((cos - 1)/SIGMA^2) to the groups' centres, descriptions\n"
      "are averaged over neighbourhoods POOLING apart, and the next layer does the same with patches of\n"
      "descriptions (Mairal, convolutional kernel networks, NIPS 2016).\n"
      "\n"
      "The default turns 32x32x3 pixels into 3 x 3 places of 256 numbers. More filters cost time and\n"
      "give accuracy; a smaller SIGMA tells patches apart more sharply.\n"
      "\n"
      "Examples:\n"
      "  ideal data features train.npz train-ckn.npz --test test.npz test-ckn.npz\n"
      "  ideal solve --data train-ckn.npz --test test-ckn.npz --loss softmax\n"
      "  ideal data features mnist.npz mnist-ckn.npz --layers 100:5:2,200:2:4 --save net.npz\n"
      "  ideal data features more.npz more-ckn.npz --model net.npz\n"
      "\n"
      "Named images have named features, computed when they are first asked for and then kept:\n"
      "  ideal solve --data cifar10-ckn --test cifar10-ckn:test --loss softmax");
}

void Features::describe_files(CLI::App& page) {
  page.add_option(
          "in", in_,
          "Images to learn from and to transform, a row of pixels each: a file, or a name such as cifar10")
      ->required()
      ->type_name("IN");
  page.add_option("out", out_, "Their features; .npz is best: single precision")
      ->required()
      ->type_name("OUT");
  page.add_option("--test", test_, "More images for the same network, and the file for their features")
      ->expected(2)
      ->type_name("IN OUT")
      ->group("Files");
  page.add_option("--model", model_, "Use a saved network instead of learning one")
      ->type_name("FILE")
      ->group("Files");
  page.add_option("--save", save_, "Save the network (.npz)")->type_name("FILE")->group("Files");
  page.add_option("--cache", cache_, "Where named data sets are; default $XDG_CACHE_HOME/ideal")
      ->type_name("DIR")
      ->group("Files");
  page.add_flag("--force", force_, "Replace files that are there")->group("Files");
  page.add_flag("--quiet", quiet_, "Print errors only")->group("Files");
}

void Features::resolve() {
  network_.layers.clear();
  for (const std::string_view layer : split(layers_, ',')) network_.layers.push_back(parse_layer(layer));
  network_.centring = parse_centring(centring_);
  network_.unit_rows = !raw_;
  network_.seed = static_cast<std::uint64_t>(seed_);
  if (!image_.empty()) network_.image = parse_image(image_);
  if (threads_ == 0) threads_ = std::max(1u, std::thread::hardware_concurrency());
  check_places();
}

/// Minutes of work deserve a place to go to.
void Features::check_places() const {
  const auto check = [&](std::string_view option, const fs::path& file) {
    if (file.empty()) return;
    if (std::error_code ignored; fs::exists(file, ignored) && !force_)
      throw InputError(file.string(), "already there", "a file is never overwritten without being told to",
                       "Name another file, or add --force.");
    if (file.extension() != ".npz" && file.extension() != ".npy")
      throw InputError(file.string(), fmt::format("extension '{}'", file.extension().string()),
                       "features and networks are written as .npz, features also as .npy", "Write .npz.");
    require_place_for(option, file);
  };
  check("OUT", out_);
  if (!test_.empty()) check("--test", test_[1]);
  check("--save", save_);
}

Ckn Features::network(const Dataset& images, Threads& threads, const CknWatch& watch) {
  if (!model_.empty()) return Ckn::load(model_);
  if (image_.empty()) network_.image = guess_image(images);
  return Ckn::learn(images, network_, threads, watch);
}

void Features::transform(const Ckn& network, const Dataset& images, const std::string& out, Threads& threads,
                         CknWatch watch) const {
  if (watch.progress)
    watch.progress = [inner = watch.progress, name = fmt::format("features of {}", images.name)](
                         std::string_view, Index done, Index total) { inner(name, done, total); };
  write_dataset(network.features(images, threads, watch), images.labels, out);
  if (!quiet_) fmt::print("{}: {} rows, {} features\n", out, images.rows(), network.columns());
}

int Features::compute(ProgressLine& line, std::stop_token stop) {
  Threads threads(static_cast<int>(threads_));
  const CknWatch watch{CknProgress(line), std::move(stop)};
  line.show("reading the images");
  std::optional<Dataset> images = read_data(in_, {}, cache_);
  const Ckn ckn = network(*images, threads, watch);
  if (!save_.empty()) ckn.save(save_);
  transform(ckn, *images, out_, threads, watch);
  images.reset();  // two splits need not be in memory at once
  if (!test_.empty()) transform(ckn, read_data(test_[0], {}, cache_), test_[1], threads, watch);
  return reached;
}

int Features::operator()() {
  Interrupt interrupt;
  resolve();
  ProgressLine line(!quiet_);
  try {
    return compute(line, interrupt.token());
  } catch (const CknStopped&) {
    line.clear();
    fmt::print(stderr, "ideal: interrupted; files not finished were not written\n");
    return interrupted;
  }
}

}  // namespace

Command add_features(CLI::App& data) {
  CLI::App* page = data.add_subcommand("features", "Turn images into features a linear model can use");
  return {page, [features = std::make_shared<Features>(*page)] { return (*features)(); }};
}

}  // namespace ideal::cli
