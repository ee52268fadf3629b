// SPDX-License-Identifier: Apache-2.0
// Writes a few valid files a format for the fuzzers to start from: seeds FOLDER.
#include "support/data_bytes.hpp"

#include <ideal/checkpoint.hpp>
#include <ideal/data.hpp>
#include <ideal/outline.hpp>
#include <ideal/trace.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;
using ideal::test::npy_of;
using ideal::test::values;

void seed(const fs::path& folder, std::string_view name, std::string_view bytes) {
  fs::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

void seed_arrays(const fs::path& corpus) {
  seed(corpus / "npy", "float", npy_of("<f8", "(2, 2)", values<double>({1, 2, 3, 4})));
  seed(corpus / "npy", "big_endian",
       npy_of(">i2", "(1, 3)", values<std::int16_t>({1, 2, 3}, std::endian::big)));
  seed(corpus / "npy", "bool", npy_of("|b1", "(1, 2)", values<std::uint8_t>({0, 1})));
  seed(corpus / "idx", "images", ideal::test::idx(8, {2, 2, 2}, "abcdefgh"));
  seed(corpus / "idx", "doubles", ideal::test::idx(0x0E, {1, 2}, values<double>({1, 2}, std::endian::big)));
  seed(corpus / "gzip", "one", ideal::test::gzipped("1 1:2\n"));
  seed(corpus / "gzip", "two", ideal::test::gzipped("1 1:2\n") + ideal::test::gzipped("2 1:3\n"));
}

void seed_text(const fs::path& corpus) {
  seed(corpus / "libsvm", "odd", "# title\n\n+1 qid:3 1:.5 7:-2e-3 # note\r\n-1\n");
  seed(corpus / "csv", "odd", "\"a \"\"b\"\"\";c\r\n\"1\"; +2\n\n3;4e5\n");
  std::ostringstream trace;
  ideal::Trace rows(2);
  rows[1].iteration = 1;
  rows[1].consensus = 1.0 / 3;
  ideal::write_csv(rows, trace);
  seed(corpus / "trace", "two", trace.str());
  seed(corpus / "csv", "tabs", "1\t2\t3\n4\t5\t6\n");
  const std::string saved = ideal::to_bytes(
      {.key = "k",
       .checkpoint = {.passes = 3, .meter = {}, .state = {ideal::Block::Ones(2, 2), ideal::Index{5}, 0.5}},
       .trace = rows});
  seed(corpus / "checkpoint", "small", saved.substr(0, saved.size() - sizeof(std::uint32_t)));
}

void seed_networks(const fs::path& corpus) {
  seed(corpus / "edge_list", "weights", "# a triangle\n0 1 0.5\n1 2\n\n2 0 1e-3\n");
  seed(corpus / "rounds", "undirected", "agents 4\nround\n0 1\n2 3 0.5\nround\nround # none before\n1 2\n");
  seed(corpus / "rounds", "directed", "directed\nround\n0 1\nround\n1 0\n");
  seed(corpus / "graph_spec", "grid", "grid:3x4");
  seed(corpus / "graph_spec", "smallworld", "smallworld:20,4,0.1");
  seed(corpus / "matrix_file", "coordinate",
       "%%MatrixMarket matrix coordinate real symmetric\n% path\n2 2 3\n1 1 1\n2 1 -1\n2 2 1\n");
  seed(corpus / "matrix_file", "array", "%%MatrixMarket matrix array real general\n2 2\n1\n-1\n-1\n1\n");
  seed(corpus / "matrix_file", "dense", "1,-1\n-1,1\n");
}

void seed_archives(const fs::path& corpus) {
  const auto X = npy_of("<f8", "(1, 2)", values<double>({1, 2}));
  const auto y = npy_of("|i1", "(1,)", "1");
  for (const bool deflate : {false, true})
    for (const bool zip64 : {false, true})
      seed(corpus / "npz", fmt::format("dense-{}-{}", deflate, zip64),
           ideal::test::zip({{"X.npy", X}, {"y.npy", y}}, {.deflate = deflate, .zip64 = zip64}));
}

void seed_written(const fs::path& corpus) {
  const ideal::Dataset dense = ideal::synthesize({.rows = 3, .columns = 2});
  const ideal::Dataset sparse = ideal::synthesize({.rows = 3, .columns = 4, .density = 0.5});
  ideal::write_dataset(dense, corpus / "csv" / "written.csv");
  ideal::write_dataset(dense, corpus / "npy" / "written.npy");
  ideal::write_dataset(dense, corpus / "npz" / "written.npz");
  ideal::write_dataset(sparse, corpus / "npz" / "written-sparse.npz");
  ideal::write_dataset(sparse, corpus / "libsvm" / "written.svm");
  ideal::write_dataset(sparse, corpus / "gzip" / "written.svm.gz");
  seed(corpus / "outline", "sparse", ideal::to_bytes(ideal::outline(corpus / "libsvm" / "written.svm")));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  const fs::path corpus = argv[1];
  seed_arrays(corpus);
  seed_text(corpus);
  seed_networks(corpus);
  seed_archives(corpus);
  seed_written(corpus);
}
