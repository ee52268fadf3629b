// SPDX-License-Identifier: Apache-2.0
#include <ideal/checkpoint.hpp>
#include <ideal/error.hpp>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ideal {
namespace {

namespace fs = std::filesystem;

SavedRun some_run(Index passes) {
  SavedRun run{.key = "of a problem", .checkpoint = {}, .trace = Trace(2)};
  run.checkpoint.passes = passes;
  run.checkpoint.meter = {.computations = 1.5, .communications = 7, .bytes = 1 << 20};
  run.checkpoint.state = {Block::Random(3, 4), Index{-2}, 0.1, Block(0, 4)};
  run.trace[1].worst_suboptimality = 1.0 / 3;
  return run;
}

class CheckpointFiles : public testing::Test {
 protected:
  CheckpointFiles() { fs::create_directories(folder); }
  ~CheckpointFiles() override { fs::remove_all(folder); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path().filename().string());
    std::ranges::sort(all);
    return all;
  }
  fs::path folder = fs::temp_directory_path() / ("ideal-checkpoints-" + std::to_string(::getpid()));
};

TEST(Checkpoint, ReturnsFromBytesToTheLastBit) {
  const SavedRun run = some_run(12);
  const SavedRun back = parse_checkpoint(to_bytes(run), "here");
  EXPECT_EQ(back.key, run.key);
  EXPECT_EQ(back.checkpoint.passes, 12);
  EXPECT_EQ(back.checkpoint.meter, run.checkpoint.meter);
  ASSERT_EQ(back.checkpoint.state.size(), 4u);
  EXPECT_EQ(std::get<Block>(back.checkpoint.state[0]), std::get<Block>(run.checkpoint.state[0]));
  EXPECT_EQ(std::get<Index>(back.checkpoint.state[1]), -2);
  EXPECT_EQ(std::get<double>(back.checkpoint.state[2]), 0.1);
  EXPECT_EQ(std::get<Block>(back.checkpoint.state[3]).cols(), 4);
  ASSERT_EQ(back.trace.size(), 2u);
  EXPECT_EQ(back.trace[1].worst_suboptimality, 1.0 / 3);
}

TEST(Checkpoint, IsRefusedWhereAnyByteIsWrongOrMissing) {
  const std::string bytes = to_bytes(some_run(1));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 4);
    EXPECT_THROW(parse_checkpoint(other, "x"), InputError) << at;
    EXPECT_THROW(parse_checkpoint(std::string_view(bytes).substr(0, at), "x"), InputError) << at;
  }
  EXPECT_THROW(parse_checkpoint(bytes + "x", "x"), InputError);
}

TEST_F(CheckpointFiles, KeepTheNewestTwo) {
  for (const Index passes : {90, 100, 2000}) write_checkpoint(some_run(passes), folder);
  EXPECT_EQ(names(), (std::vector<std::string>{"checkpoint-000000000100", "checkpoint-000000002000"}));
  EXPECT_EQ(newest_checkpoint(folder)->checkpoint.passes, 2000);
}

TEST_F(CheckpointFiles, ThatAreDamagedArePassedOver) {
  EXPECT_FALSE(newest_checkpoint(folder));
  EXPECT_FALSE(newest_checkpoint(folder / "nowhere"));
  write_checkpoint(some_run(5), folder);
  fs::resize_file(write_checkpoint(some_run(6), folder), 100);
  std::ofstream(folder / "checkpoint-nothing") << "else";
  EXPECT_EQ(newest_checkpoint(folder)->checkpoint.passes, 5);
}

}  // namespace
}  // namespace ideal
