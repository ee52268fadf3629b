// SPDX-License-Identifier: Apache-2.0
#include "data/ckn_layer.hpp"

#include <ideal/ckn.hpp>
#include <ideal/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace ideal {

std::string to_string(const ImageShape& image) {
  return fmt::format("{}x{}x{}", image.height, image.width, image.channels);
}

FloatRows CknModel::patches(std::size_t layer, const ckn::FeatureMap& input) const {
  FloatRows patches = ckn::patches_of(input, layers[layer].patch);
  if (layer > 0) return patches;
  contrast(patches);
  return whitening ? (*whitening)(std::move(patches)) : patches;
}

ckn::FeatureMap CknModel::map(ckn::FeatureMap image, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    image.values = layers[i].map.compare(patches(i, image));
    image = ckn::pool(image, layers[i].pooling);
    image.values = layers[i].map.project(image.values);
  }
  return image;
}

Eigen::RowVectorXf CknModel::features(ckn::FeatureMap image) const {
  const FloatRows last = map(std::move(image), layers.size()).values;
  Eigen::RowVectorXf row = Eigen::Map<const Eigen::RowVectorXf>(last.data(), last.size());
  if (!unit_rows || mean.size() == 0) return row;
  row -= mean;
  const float norm = row.norm();
  return norm > 0 ? Eigen::RowVectorXf(row / norm) : row;
}

Index CknModel::columns() const {
  Index height = image.height, width = image.width;
  for (const ckn::Layer& layer : layers) {
    height = ckn::pooled(height, layer.pooling);
    width = ckn::pooled(width, layer.pooling);
  }
  return height * width * layers.back().map.filters().rows();
}

namespace ckn {

void report(const CknWatch& watch, std::string_view doing, Index done, Index total) {
  if (watch.stop.stop_requested()) throw CknStopped();
  if (watch.progress) watch.progress(doing, done, total);
}

void each_watched(Index items, std::string_view doing, Threads& threads, const CknWatch& watch,
                  const std::function<void(Index)>& task) {
  const Index at_once = Index{32} * threads.count();  // a fraction of a second
  for (Index first = 0; first < items; first += at_once) {
    report(watch, doing, first, items);
    threads.each(std::min(at_once, items - first), [&](Index i) { task(first + i); });
  }
  report(watch, doing, items, items);
}

void check_images(const Dataset& images, const ImageShape& shape) {
  if (images.columns() != shape.values())
    throw InputError(images.name, fmt::format("{} columns", images.columns()),
                     fmt::format("images of {} have {}", to_string(shape), shape.values()),
                     "Give HEIGHTxWIDTHxCHANNELS of these images.");
}

}  // namespace ckn

const ImageShape& Ckn::image() const { return model_->image; }

Index Ckn::columns() const { return model_->columns(); }

FloatRows Ckn::features(const Dataset& images, Threads& threads, const CknWatch& watch) const {
  ckn::check_images(images, model_->image);
  FloatRows rows(images.rows(), columns());
  ckn::each_watched(images.rows(), "features", threads, watch, [&](Index i) {
    rows.row(i) = model_->features(ckn::image_at(images, i, model_->image));
  });
  return rows;
}

}  // namespace ideal
