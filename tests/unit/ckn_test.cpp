// SPDX-License-Identifier: Apache-2.0
#include "data/ckn_layer.hpp"
#include "support/data_bytes.hpp"
#include "support/message.hpp"

#include <ideal/ckn.hpp>
#include <ideal/random.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using ckn::FeatureMap;
using ckn::KernelMap;
using ckn::Packed;
using test::message;

FloatRows random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  return FloatRows::NullaryExpr(rows, columns, [&] { return static_cast<float>(random.normal()); });
}

FloatRows unit(FloatRows rows) {
  rows.rowwise().normalize();
  return rows;
}

FloatRows psi(const KernelMap& map, const FloatRows& rows) { return map.project(map.compare(rows)); }

/// Images with structure: waves of random direction, length and colour.
Dataset waves(Index count, const ImageShape& shape, std::uint64_t seed = 1) {
  DenseRows pixels(count, shape.values());
  for (Index i = 0; i < count; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    const double fx = random.normal(), fy = random.normal(), phase = 6 * random.uniform();
    Index at = 0;
    for (Index y = 0; y < shape.height; ++y)
      for (Index x = 0; x < shape.width; ++x)
        for (Index c = 0; c < shape.channels; ++c)
          pixels(i, at++) = 128 +
                            60 * std::sin(fx * static_cast<double>(x) + fy * static_cast<double>(y) + phase +
                                          static_cast<double>(c)) +
                            30 * random.uniform();
  }
  return {"waves", pixels, Vector::LinSpaced(count, 0, 1)};
}

constexpr ImageShape small{12, 10, 2};

CknOptions small_options() {
  return {.image = small,
          .layers = {{.filters = 9, .patch = 3, .pooling = 2, .sigma = 0.6},
                     {.filters = 20, .patch = 2, .pooling = 3, .sigma = 0.7}},
          .images = 30,
          .patches = 600,
          .iterations = 4};
}

FloatRows small_features(const CknOptions& options, int team = 1) {
  Threads threads(team);
  const Dataset images = waves(40, small);
  return Ckn::learn(images, options, threads).features(images, threads);
}

// ---- arithmetic ----------------------------------------------------------------------------------------

TEST(CknArithmetic, products_agree_with_double_precision_at_every_size) {
  for (const Index rows : {1, 3, 4, 9})
    for (const Index depth : {1, 27, 64})
      for (const Index columns : {1, 15, 16, 33}) {
        const FloatRows a = random_matrix(rows, depth, 1), b = random_matrix(depth, columns, 2);
        const Eigen::MatrixXd exact = a.cast<double>() * b.cast<double>();
        EXPECT_LT((multiply(a, Packed(b)).cast<double>() - exact).cwiseAbs().maxCoeff(), 2e-5);
      }
}

TEST(CknArithmetic, a_row_of_a_product_depends_on_no_other_row) {
  const FloatRows a = random_matrix(9, 40, 3), b = random_matrix(40, 20, 4);
  const FloatRows whole = multiply(a, Packed(b));
  for (Index i = 0; i < 9; ++i) EXPECT_EQ(multiply(a.row(i), Packed(b)), whole.row(i));
}

TEST(CknArithmetic, exponentials_are_those_of_the_standard_library) {
  for (double x = -86.9; x <= 0.01; x += 0.0137) {
    auto value = static_cast<float>(x);
    ckn::exponentials(&value, 1, 1.F, 1.F, 2.F);
    const double exact = 2 * std::exp(static_cast<double>(static_cast<float>(x) - 1.F));
    if (x > -85) {
      EXPECT_NEAR(value / exact, 1, 4e-7) << x;
    }
    EXPECT_GT(value, 0) << x;
  }
}

// ---- kernel map ----------------------------------------------------------------------------------------

TEST(CknKernel, is_exact_at_the_filters) {
  for (const double sigma : {0.3, 0.6, 1.0}) {
    const FloatRows Z = unit(random_matrix(24, 27, 5));
    const FloatRows features = psi(KernelMap(Z, sigma), Z);
    for (Index i = 0; i < 24; ++i)
      for (Index j = 0; j < 24; ++j) {
        const double cosine = Z.row(i).cast<double>().dot(Z.row(j).cast<double>());
        EXPECT_NEAR(features.row(i).dot(features.row(j)), std::exp((cosine - 1) / (sigma * sigma)), 3e-4);
      }
  }
}

TEST(CknKernel, scales_with_its_input) {
  const FloatRows Z = unit(random_matrix(16, 9, 6)), x = random_matrix(50, 9, 7);
  const KernelMap map(Z, 0.5);
  EXPECT_LT((psi(map, 4.F * x) - 4.F * psi(map, x)).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_EQ(psi(map, FloatRows::Zero(3, 9)), FloatRows::Zero(3, 16));
}

TEST(CknKernel, keeps_norms_near_filters_and_lengthens_nothing) {
  const FloatRows Z = unit(random_matrix(40, 4, 8)), x = random_matrix(200, 4, 9);
  const KernelMap map(Z, 1.0);
  const Eigen::VectorXf norms = psi(map, x).rowwise().norm(), exact = x.rowwise().norm();
  EXPECT_LE((norms.array() / exact.array()).maxCoeff(), 1.001);
  EXPECT_GT((norms.array() / exact.array()).minCoeff(), 0.9);  // 40 filters cover a sphere of 4 dimensions
  EXPECT_NEAR(psi(map, 3.F * Z.topRows(1)).norm(), 3, 1e-3);
}

TEST(CknKernel, survives_filters_that_coincide) {
  FloatRows Z = unit(random_matrix(8, 9, 10));
  Z.row(7) = Z.row(0);
  EXPECT_NEAR(psi(KernelMap(Z, 0.5), Z.topRows(1)).norm(), 1, 1e-3);
}

// ---- patches -------------------------------------------------------------------------------------------

TEST(CknPatches, are_read_in_order_and_repeat_the_edge) {
  const FeatureMap map{2, 3, (FloatRows(6, 1) << 1, 2, 3, 4, 5, 6).finished()};
  const FloatRows patches = ckn::patches_of(map, 3);
  EXPECT_EQ(patches.rows(), 6);
  EXPECT_EQ(patches.row(0), (FloatRows(1, 9) << 1, 1, 2, 1, 1, 2, 4, 4, 5).finished());
  EXPECT_EQ(patches.row(4), (FloatRows(1, 9) << 1, 2, 3, 4, 5, 6, 4, 5, 6).finished());
  EXPECT_EQ(ckn::patches_of(map, 1), map.values);
}

TEST(CknPatches, centring_removes_what_it_says) {
  const FloatRows pixels = random_matrix(20, 18, 11).array() + 100.F;  // 9 pixels of 2 channels
  FloatRows by_patch = pixels, by_channel = pixels, flat = FloatRows::Constant(1, 18, 7);
  ckn::Contrast{Centring::patch, 2, 0.5F}(by_patch);
  ckn::Contrast{Centring::channel, 2, 0.F}(by_channel);
  ckn::Contrast{Centring::patch, 2, 0.5F}(flat);
  EXPECT_LT(by_patch.rowwise().sum().cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT(by_patch.rowwise().norm().maxCoeff(), 1);
  EXPECT_EQ(flat, FloatRows::Zero(1, 18));
  for (Index i = 0; i < 20; ++i)
    for (const Index channel : {0, 1}) {
      float sum = 0;
      for (Index pixel = 0; pixel < 9; ++pixel) sum += by_channel(i, 2 * pixel + channel);
      EXPECT_NEAR(sum, 0, 1e-3);
    }
}

TEST(CknPatches, whitened_ones_have_unit_covariance) {
  const FloatRows sample = random_matrix(500, 12, 12) * random_matrix(12, 12, 13);
  const auto whitening = ckn::Whitening::learn(sample, 0);
  const Eigen::MatrixXd white = whitening(sample).cast<double>();
  const Eigen::RowVectorXd mean = white.colwise().mean();
  const Eigen::MatrixXd centred = white.rowwise() - mean;
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT((centred.transpose() * centred / 500 - Eigen::MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff(),
            1e-3);
  EXPECT_LT((whitening.matrix() - whitening.matrix().transpose()).cwiseAbs().maxCoeff(), 1e-4);  // ZCA
}

TEST(CknPatches, whitening_leaves_empty_directions_empty) {
  FloatRows sample = random_matrix(500, 6, 14);
  ckn::Contrast{Centring::patch, 1, 0.F}(sample);
  const FloatRows white = ckn::Whitening::learn(sample, 0)(sample);
  EXPECT_LT(white.rowwise().sum().cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_NEAR(white.squaredNorm() / 500, 5, 0.01);  // five directions of variance one
}

// ---- filters -------------------------------------------------------------------------------------------

TEST(CknFilters, k_means_finds_directions_that_are_there) {
  const FloatRows truth = FloatRows::Identity(5, 5);
  FloatRows rows(500, 5);
  const FloatRows noise = random_matrix(500, 5, 15);
  for (Index i = 0; i < 500; ++i) rows.row(i) = truth.row(i % 5) + 0.05F * noise.row(i);
  Threads threads(2);
  const FloatRows found = ckn::cluster(unit(rows), 5, 20, 3, threads, {});
  EXPECT_LT((found.rowwise().norm().array() - 1.F).abs().maxCoeff(), 1e-6);
  const FloatRows likeness = truth * found.transpose();
  for (Index i = 0; i < 5; ++i) EXPECT_GT(likeness.row(i).maxCoeff(), 0.99) << "none near direction " << i;
}

TEST(CknFilters, a_centre_nobody_is_near_starts_again) {
  FloatRows rows =
      FloatRows::Zero(40, 3);  // 39 equal rows: centres coincide, all but one are nearest to nothing
  rows.col(0).setOnes();
  rows.row(17) << 0, 1, 0;
  Threads threads(1);
  const FloatRows found = ckn::cluster(rows, 3, 2, 0, threads, {});
  EXPECT_TRUE(found.allFinite());
  EXPECT_EQ(found.col(1).maxCoeff(), 1) << "the lonely row has a centre";
}

// ---- pooling -------------------------------------------------------------------------------------------

TEST(CknPooling, weights_sum_to_one_and_are_symmetric) {
  for (const Index length : {1, 7, 16, 32})
    for (const Index distance : {1, 2, 5, 6}) {
      const FloatRows weights = ckn::pooling_weights(length, distance);
      EXPECT_EQ(weights.rows(), (length + distance - 1) / distance);
      EXPECT_LT((weights.rowwise().sum().array() - 1.F).abs().maxCoeff(), 1e-6);
      EXPECT_LT((weights - weights.reverse()).cwiseAbs().maxCoeff(), 1e-7);
      EXPECT_GE(weights.minCoeff(), 0);
    }
}

TEST(CknPooling, leaves_constants_alone) {
  const FeatureMap map{9, 11, FloatRows::Constant(99, 4, 2.5F)};
  const FeatureMap pooled = ckn::pool(map, 3);
  EXPECT_EQ(pooled.height, 3);
  EXPECT_EQ(pooled.width, 4);
  EXPECT_LT((pooled.values.array() - 2.5F).abs().maxCoeff(), 1e-5);
}

TEST(CknPooling, distance_one_keeps_the_map) {
  const FeatureMap map{4, 5, random_matrix(20, 3, 16)};
  EXPECT_EQ(ckn::pool(map, 1).values, map.values);
}

// ---- networks ------------------------------------------------------------------------------------------

/// One layer in double precision, straight from the definition: kernel values, then K^(-1/2), then averages.
Eigen::MatrixXd layer_by_definition(const FeatureMap& input, const ckn::Layer& layer) {
  const Eigen::MatrixXd Z = layer.map.filters().cast<double>(),
                        X = ckn::patches_of(input, layer.patch).cast<double>();
  const double beta = 1 / (layer.map.sigma() * layer.map.sigma());
  Eigen::MatrixXd mapped(X.rows(), Z.rows());
  for (Index i = 0; i < X.rows(); ++i)
    for (Index k = 0; k < Z.rows(); ++k)
      mapped(i, k) = X.row(i).norm() * std::exp(beta * (Z.row(k).dot(X.row(i)) / X.row(i).norm() - 1));
  mapped = mapped * layer.map.projection().cast<double>();
  const Eigen::MatrixXd down = ckn::pooling_weights(input.height, layer.pooling).cast<double>(),
                        across = ckn::pooling_weights(input.width, layer.pooling).cast<double>();
  Eigen::MatrixXd pooled = Eigen::MatrixXd::Zero(down.rows() * across.rows(), Z.rows());
  for (Index i = 0; i < down.rows(); ++i)
    for (Index j = 0; j < across.rows(); ++j)
      for (Index y = 0; y < input.height; ++y)
        for (Index x = 0; x < input.width; ++x)
          pooled.row(i * across.rows() + j) += down(i, y) * across(j, x) * mapped.row(y * input.width + x);
  return pooled;
}

TEST(Ckn, a_layer_is_its_definition) {
  CknModel model;
  model.image = small;
  model.contrast = {Centring::none, 2, 0.F};
  model.layers.push_back({3, 2, KernelMap(unit(random_matrix(13, 18, 17)), 0.8)});
  const FeatureMap image = ckn::image_at(waves(1, small), 0, small);
  const FeatureMap output = model.map(image, 1);
  EXPECT_EQ(output.height, 6);
  EXPECT_EQ(output.width, 5);
  const Eigen::MatrixXd expected = layer_by_definition(image, model.layers[0]);
  EXPECT_LT((output.values.cast<double>() - expected).norm() / expected.norm(), 1e-5);
}

TEST(Ckn, has_the_promised_shape) {
  Threads threads(1);
  const Ckn network = Ckn::learn(waves(40, small), small_options(), threads);
  EXPECT_EQ(network.image(), small);
  EXPECT_EQ(network.columns(), 2 * 2 * 20);  // 12x10, pooled by 2: 6x5, by 3: 2x2
  const FloatRows rows = network.features(waves(7, small, 2), threads);
  EXPECT_EQ(rows.rows(), 7);
  EXPECT_EQ(rows.cols(), 80);
  EXPECT_LT((rows.rowwise().norm().array() - 1.F).abs().maxCoeff(), 1e-5);
}

TEST(Ckn, the_number_of_threads_changes_no_bit) {
  const FloatRows one = small_features(small_options(), 1);
  for (const int team : {2, 3, 7}) EXPECT_EQ(small_features(small_options(), team), one) << team;
}

TEST(Ckn, seeds_repeat_and_differ) {
  CknOptions options = small_options();
  const FloatRows first = small_features(options);
  EXPECT_EQ(small_features(options), first);
  options.seed = 1;
  EXPECT_NE(small_features(options), first);
}

TEST(Ckn, the_scale_of_pixels_does_not_matter) {
  Threads threads(1);
  Dataset images = waves(40, small);
  const FloatRows bytes = Ckn::learn(images, small_options(), threads).features(images, threads);
  std::get<DenseRows>(images.features) /= 256;
  const FloatRows shares = Ckn::learn(images, small_options(), threads).features(images, threads);
  EXPECT_LT((bytes - shares).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Ckn, sparse_images_are_images) {
  Threads threads(1);
  Dataset images = waves(40, small);
  const Ckn network = Ckn::learn(images, small_options(), threads);
  const FloatRows dense = network.features(images, threads);
  images.features = SparseRows(std::get<DenseRows>(images.features).sparseView());
  EXPECT_EQ(network.features(images, threads), dense);
}

TEST(Ckn, a_shifted_image_has_a_shifted_map) {
  constexpr ImageShape shape{8, 16, 1};
  constexpr Index filters = 6, shift = 2, width = 8;
  Threads threads(1);
  Dataset images = waves(20, shape);
  const CknOptions options{.image = shape,
                           .layers = {{.filters = filters, .patch = 3, .pooling = shift, .sigma = 0.6}},
                           .unit_rows = false,
                           .patches = 400};
  const Ckn network = Ckn::learn(images, options, threads);
  const FloatRows before = network.features(images, threads);
  DenseRows& pixels = std::get<DenseRows>(images.features);
  for (Index y = 0; y < shape.height; ++y) {
    const DenseRows line = pixels.middleCols(y * shape.width, shape.width);
    pixels.middleCols(y * shape.width + shift, shape.width - shift) = line.leftCols(shape.width - shift);
  }
  const FloatRows after = network.features(images, threads);
  for (Index y = 0; y < shape.height / shift; ++y)
    for (Index x = 2; x + 3 < width; ++x)  // away from both edges
      EXPECT_LT((after.middleCols((y * width + x + 1) * filters, filters) -
                 before.middleCols((y * width + x) * filters, filters))
                    .cwiseAbs()
                    .maxCoeff(),
                1e-5);
}

// ---- files ---------------------------------------------------------------------------------------------

TEST(CknFile, a_saved_network_gives_the_same_bits) {
  const test::Folder folder;
  Threads threads(1);
  const Dataset images = waves(40, small);
  CknOptions plain = small_options();
  plain.centring = Centring::channel;
  plain.contrast_floor = plain.whitening_ridge = 0;
  plain.unit_rows = false;
  for (const CknOptions& options : {small_options(), plain}) {
    const Ckn network = Ckn::learn(images, options, threads);
    network.save(folder.path("n.npz"));
    const Ckn again = Ckn::load(folder.path("n.npz"));
    EXPECT_EQ(again.features(images, threads), network.features(images, threads));
  }
  EXPECT_EQ(folder.files(), 1u);
}

TEST(CknFile, a_damaged_one_is_refused) {
  const test::Folder folder;
  Threads threads(1);
  Ckn::learn(waves(40, small), small_options(), threads).save(folder.path("n.npz"));
  std::string bytes = folder.read("n.npz");
  const auto refused = [&](std::string_view content) {
    const auto file = folder.write("bad.npz", content);
    return message([&] { Ckn::load(file); });
  };
  EXPECT_EQ(refused(bytes), "no error");
  EXPECT_NE(refused(bytes.substr(0, bytes.size() / 2)), "no error");
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_NE(refused(bytes), "no error");
}

/// A network of one filter on images of one pixel, array by array.
std::vector<std::pair<std::string, std::string>> tiny_network() {
  using test::npy_of;
  using test::values;
  const auto integers = [](std::vector<std::int64_t> numbers) {
    std::string bytes;
    for (const std::int64_t number : numbers) bytes += values<std::int64_t>({number});
    return npy_of("<i8", fmt::format("({},)", numbers.size()), bytes);
  };
  return {{"ckn_version.npy", integers({1})},
          {"image.npy", integers({1, 1, 1})},
          {"centring.npy", integers({0})},
          {"contrast_floor.npy", npy_of("<f8", "(1,)", values<double>({0}))},
          {"layers.npy", integers({1})},
          {"layer1_sizes.npy", integers({1, 1, 1})},
          {"layer1_sigma.npy", npy_of("<f8", "(1,)", values<double>({0.5}))},
          {"layer1_filters.npy", npy_of("<f4", "(1, 1)", values<float>({1}))},
          {"layer1_projection.npy", npy_of("<f4", "(1, 1)", values<float>({1}))}};
}

TEST(CknFile, content_is_checked) {
  using test::npy_of;
  using test::values;
  const test::Folder folder;
  const auto loaded = [&](std::string_view array, const std::string& content) {
    auto members = tiny_network();
    for (auto& [name, bytes] : members)
      if (name == array) bytes = content;
    std::erase_if(members, [](const auto& member) { return member.second.empty(); });
    return message([&] { Ckn::load(folder.write("n.npz", test::zip(members))); });
  };
  const auto mentions = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos ? "" : text;
  };
  EXPECT_EQ(loaded("", ""), "no error");
  EXPECT_EQ(mentions(loaded("ckn_version.npy", ""), "[ckn_version]: no such array"), "");
  EXPECT_EQ(
      mentions(loaded("ckn_version.npy", npy_of("<i8", "(1,)", values<std::int64_t>({9}))), "version 1"), "");
  EXPECT_EQ(
      mentions(loaded("image.npy", npy_of("<i8", "(3,)", values<std::int64_t>({1, 0, 1}))), "1 to 32768"),
      "");
  EXPECT_EQ(mentions(loaded("centring.npy", npy_of("<i8", "(1,)", values<std::int64_t>({3}))), "0, 1 or 2"),
            "");
  EXPECT_EQ(mentions(loaded("layer1_sigma.npy", npy_of("<f8", "(1,)", values<double>({0}))), "positive"), "");
  EXPECT_EQ(mentions(loaded("layer1_filters.npy", npy_of("<f4", "(1, 1)", values<float>({2}))), "unit norm"),
            "");
  EXPECT_EQ(
      mentions(loaded("layer1_filters.npy", npy_of("<f4", "(1, 2)", values<float>({1, 0}))), "shape 1 x 2"),
      "");
  EXPECT_EQ(
      mentions(loaded("layer1_projection.npy", npy_of("<f4", "(1, 1)", values<float>({NAN}))), "finite"), "");
  EXPECT_EQ(mentions(loaded("layer1_projection.npy", ""), "[layer1_projection]"), "");
}

TEST(CknCache, computes_once_and_forgets_nothing_that_matters) {
  const test::Folder folder;
  Threads threads(1);
  const auto train = folder.path("train.npz"), other = folder.path("test.npz"), cache = folder.path("cache");
  write_dataset(waves(40, small), train);
  write_dataset(waves(6, small, 2), other);
  int learnt = 0, computed = 0;
  const CknWatch watch{[&](std::string_view doing, Index done, Index total) {
                         learnt += doing == "mean" && done == total;
                         computed += doing == "features" && done == total;
                       },
                       {}};
  const auto features = [&](const auto& file, const CknOptions& options) {
    return std::get<DenseRows>(cached_features(train, file, options, cache, threads, watch).features);
  };
  const auto counts = [&] { return std::pair(std::exchange(learnt, 0), std::exchange(computed, 0)); };
  CknOptions options = small_options();
  const DenseRows first = features(train, options);
  EXPECT_EQ(counts(), std::pair(1, 1));
  EXPECT_EQ(first, small_features(options).cast<double>());
  EXPECT_EQ(features(train, options), first);
  EXPECT_EQ(counts(), std::pair(0, 0));
  EXPECT_EQ(std::get<DenseRows>(read_dataset(cached_features_file(train, train, options, cache)).features),
            first);
  EXPECT_EQ(features(other, options).rows(), 6);
  EXPECT_EQ(counts(), std::pair(0, 1)) << "the network is kept too";
  options.seed = 5;
  EXPECT_NE(features(train, options), first);
  EXPECT_EQ(counts(), std::pair(1, 1));
  write_dataset(waves(40, small, 3), train);
  options.seed = 0;
  EXPECT_NE(features(train, options), first);
  EXPECT_EQ(counts(), std::pair(1, 1));

  const DenseRows latest = features(train, options);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache))
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 100);
  EXPECT_EQ(features(train, options), latest) << "damaged entries are made anew";
  EXPECT_EQ(counts(), std::pair(1, 1));
}

// ---- failures ------------------------------------------------------------------------------------------

TEST(CknInput, messages_say_what_is_wrong) {
  Threads threads(1);
  const auto refused = [&](const std::function<void(CknOptions&)>& change, Index images = 40) {
    CknOptions options = small_options();
    change(options);
    return message([&] { Ckn::learn(waves(images, small), options, threads); });
  };
  EXPECT_EQ(refused([](auto& o) {
              o.image = {12, 10, 3};
            }),
            "waves: 240 columns (images of 12x10x3 have 360). Give HEIGHTxWIDTHxCHANNELS of these images.");
  EXPECT_EQ(refused([](auto& o) { o.layers[0].sigma = 0; }),
            "network: sigma 0 (positive and finite). Correct the layers or options.");
  EXPECT_EQ(refused([](auto& o) { o.layers[1].patch = 6; }),
            "network: patch size 6 (at least 1 and inside the layer's input of 6x5). Correct the layers or "
            "options.");
  EXPECT_EQ(
      refused([](auto& o) { o.layers[0].filters = 601; }),
      "waves: 600 patches with content (layer 1 learns 601 filters from them). Use more images, or fewer "
      "filters.");
  EXPECT_NE(refused([](auto& o) { o.layers.clear(); }), "no error");
  EXPECT_NE(refused([](auto& o) { o.layers[0].filters = 0; }), "no error");
  EXPECT_NE(refused([](auto& o) { o.layers[0].pooling = 0; }), "no error");
  EXPECT_NE(refused([](auto& o) { o.patches = 0; }), "no error");
  EXPECT_NE(refused([](auto& o) { o.whitening_ridge = -1; }), "no error");
}

TEST(CknInput, images_without_content_are_refused) {
  Threads threads(1);
  const Dataset flat{"flat", DenseRows::Constant(5, small.values(), 3), Vector::Zero(5)};
  EXPECT_EQ(message([&] { Ckn::learn(flat, small_options(), threads); }).substr(0, 30),
            "flat: 0 patches with content (");
}

TEST(CknInput, other_images_do_not_fit_a_network) {
  Threads threads(1);
  const Ckn network = Ckn::learn(waves(40, small), small_options(), threads);
  EXPECT_NE(message([&] { (void)network.features(waves(2, {12, 10, 1}), threads); }), "no error");
}

TEST(CknWatch, hears_of_progress_and_can_stop) {
  Threads threads(2);
  const Dataset images = waves(40, small);
  std::vector<std::string> heard;
  std::stop_source source;
  CknWatch watch{[&](std::string_view doing, Index done, Index total) {
                   EXPECT_LE(done, total);
                   if (heard.empty() || heard.back() != doing) heard.emplace_back(doing);
                 },
                 source.get_token()};
  (void)Ckn::learn(images, small_options(), threads, watch).features(images, threads, watch);
  EXPECT_EQ(heard,
            (std::vector<std::string>{"patches for layer 1", "filters of layer 1", "patches for layer 2",
                                      "filters of layer 2", "mean", "features"}));
  source.request_stop();
  EXPECT_THROW(Ckn::learn(images, small_options(), threads, watch), CknStopped);
}

}  // namespace
}  // namespace ideal
