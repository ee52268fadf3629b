// SPDX-License-Identifier: Apache-2.0
// A network on disk: an NPZ archive, so that numpy reads it too.
#include "data/atomic_file.hpp"
#include "data/ckn_layer.hpp"
#include "data/npy_header.hpp"
#include "data/readers.hpp"
#include "data/source.hpp"
#include "data/zip.hpp"

#include <ideal/ckn.hpp>
#include <ideal/error.hpp>

#include <cmath>

#include <fmt/format.h>

namespace ideal {
namespace {

using data::bytes_of;
using data::npy_header;

constexpr std::string_view version_name = "ckn_version";
constexpr std::int64_t version = 1;

// ---- writing -------------------------------------------------------------------------------------------

class ModelWriter {
 public:
  explicit ModelWriter(const std::filesystem::path& file) : out_(file), zip_(out_) {}

  void add(std::string_view name, const FloatRows& matrix) {
    zip_.add(member(name), {npy_header("f4", fmt::format("({}, {})", matrix.rows(), matrix.cols())),
                            bytes_of(matrix.data(), static_cast<std::size_t>(matrix.size()))});
  }
  void add(std::string_view name, const std::vector<std::int64_t>& numbers) {
    zip_.add(member(name), {npy_header("i8", fmt::format("({},)", numbers.size())),
                            bytes_of(numbers.data(), numbers.size())});
  }
  void add(std::string_view name, double number) {
    zip_.add(member(name), {npy_header("f8", "(1,)"), bytes_of(&number, 1)});
  }

  void commit() {
    zip_.finish();
    out_.commit();
  }

 private:
  static std::string member(std::string_view name) { return fmt::format("{}.npy", name); }

  data::AtomicFile out_;
  data::ZipWriter zip_;
};

std::string name_of(std::size_t layer, std::string_view what) {
  return fmt::format("layer{}_{}", layer + 1, what);
}

// ---- reading -------------------------------------------------------------------------------------------

/// Arrays by name; what is missing, misshapen or not finite is refused.
class ModelReader {
 public:
  explicit ModelReader(const std::filesystem::path& file)
      : place_(file.string()), source_(data::load(file)), zip_(source_.bytes, place_) {}

  [[nodiscard]] bool contains(std::string_view name) const { return zip_.contains(member(name)); }

  std::vector<std::int64_t> integers(std::string_view name, std::size_t size) {
    const data::ArrayView view = array(name);
    if (!view.integral() || view.shape.size() != 1 || view.size() != size)
      refuse(name, fmt::format("an array of shape {}", data::to_string(view.shape)),
             fmt::format("{} integers", size));
    std::vector<std::int64_t> numbers(size);
    view.copy(0, size, numbers.data());
    return numbers;
  }

  /// An integer of a range in which products of a few do not overflow.
  Index count(std::string_view name, std::int64_t value) const {
    if (value < 1 || value > 1 << 15) refuse(name, fmt::format("{}", value), "sizes are 1 to 32768");
    return static_cast<Index>(value);
  }

  double number(std::string_view name) {
    const data::ArrayView view = array(name);
    if (view.size() != 1) refuse(name, fmt::format("{} numbers", view.size()), "one number");
    double value = 0;
    view.copy(0, 1, &value);
    if (!std::isfinite(value)) refuse(name, fmt::format("{}", value), "numbers are finite");
    return value;
  }

  /// Unknown extents are negative.
  FloatRows matrix(std::string_view name, Index rows, Index columns) {
    const data::ArrayView view = array(name);
    const auto differs = [](Index wanted, std::uint64_t found) {
      return wanted >= 0 && static_cast<std::uint64_t>(wanted) != found;
    };
    if (view.shape.size() != 2 || differs(rows, view.shape[0]) || differs(columns, view.shape[1]))
      refuse(name, fmt::format("an array of shape {}", data::to_string(view.shape)),
             "the sizes of image and layers decide its shape");
    FloatRows values(static_cast<Index>(view.shape[0]), static_cast<Index>(view.shape[1]));
    view.copy(0, view.size(), values.data());
    if (!values.allFinite()) refuse(name, "a number that is not finite", "numbers are finite");
    return values;
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view found, std::string_view rule) const {
    throw InputError(fmt::format("{}[{}]", place_, name), found, rule, "Save the network again.");
  }

 private:
  static std::string member(std::string_view name) { return fmt::format("{}.npy", name); }

  data::ArrayView array(std::string_view name) {
    if (!contains(name)) refuse(name, "no such array", "a network has it");
    return data::parse_npy(zip_.read(member(name)), fmt::format("{}[{}]", place_, name));
  }

  std::string place_;
  data::Source source_;
  data::ZipReader zip_;
};

ckn::Layer read_layer(ModelReader& in, std::size_t layer, Index channels) {
  const std::string sizes_name = name_of(layer, "sizes"), filters_name = name_of(layer, "filters"),
                    sigma_name = name_of(layer, "sigma");
  const auto sizes = in.integers(sizes_name, 3);
  const Index filters = in.count(sizes_name, sizes[0]), patch = in.count(sizes_name, sizes[1]),
              pooling = in.count(sizes_name, sizes[2]);
  const double sigma = in.number(sigma_name);
  if (sigma <= 0) in.refuse(sigma_name, fmt::format("{}", sigma), "sigma is positive");
  FloatRows Z = in.matrix(filters_name, filters, patch * patch * channels);
  if (((Z.rowwise().norm().array() - 1.F).abs() > 1e-3F).any())
    in.refuse(filters_name, "a filter whose norm is not 1", "filters have unit norm");
  return {patch, pooling,
          ckn::KernelMap(std::move(Z), sigma, in.matrix(name_of(layer, "projection"), filters, filters))};
}

CknModel read_model(ModelReader& in) {
  if (!in.contains(version_name)) in.refuse(version_name, "no such array", "a saved network has it");
  if (const auto found = in.integers(version_name, 1)[0]; found != version)
    in.refuse(version_name, fmt::format("{}", found), fmt::format("this program reads version {}", version));
  CknModel model;
  const auto image = in.integers("image", 3);
  model.image = {in.count("image", image[0]), in.count("image", image[1]), in.count("image", image[2])};
  const auto centring = in.integers("centring", 1)[0];
  if (centring < 0 || centring > 2) in.refuse("centring", fmt::format("{}", centring), "0, 1 or 2");
  model.contrast = {static_cast<Centring>(centring), model.image.channels,
                    static_cast<float>(in.number("contrast_floor"))};
  if (model.contrast.floor < 0) in.refuse("contrast_floor", "a negative number", "not negative");

  Index channels = model.image.channels;
  const Index layers = in.count("layers", in.integers("layers", 1)[0]);
  for (Index i = 0; i < layers; ++i) {
    model.layers.push_back(read_layer(in, static_cast<std::size_t>(i), channels));
    channels = model.layers.back().map.filters().rows();
  }
  const Index values = model.layers.front().patch * model.layers.front().patch * model.image.channels;
  if (in.contains("whitening"))
    model.whitening.emplace(in.matrix("whitening_mean", 1, values), in.matrix("whitening", values, values));
  model.unit_rows = in.contains("mean");
  if (model.unit_rows) model.mean = in.matrix("mean", 1, model.columns());
  return model;
}

}  // namespace

void Ckn::save(const std::filesystem::path& file) const {
  const CknModel& model = *model_;
  ModelWriter out(file);
  out.add(version_name, std::vector<std::int64_t>{version});
  out.add("image", std::vector<std::int64_t>{model.image.height, model.image.width, model.image.channels});
  out.add("centring", std::vector<std::int64_t>{static_cast<int>(model.contrast.centring)});
  out.add("contrast_floor", model.contrast.floor);
  out.add("layers", std::vector<std::int64_t>{static_cast<std::int64_t>(model.layers.size())});
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const ckn::Layer& layer = model.layers[i];
    out.add(name_of(i, "sizes"),
            std::vector<std::int64_t>{layer.map.filters().rows(), layer.patch, layer.pooling});
    out.add(name_of(i, "sigma"), layer.map.sigma());
    out.add(name_of(i, "filters"), layer.map.filters());
    out.add(name_of(i, "projection"), layer.map.projection());
  }
  if (model.whitening) {
    out.add("whitening", model.whitening->matrix());
    out.add("whitening_mean", FloatRows(model.whitening->mean()));
  }
  if (model.unit_rows) out.add("mean", FloatRows(model.mean));
  out.commit();
}

Ckn Ckn::load(const std::filesystem::path& file) {
  ModelReader in(file);
  return Ckn(std::make_shared<CknModel>(read_model(in)));
}

}  // namespace ideal
