// SPDX-License-Identifier: Apache-2.0
#include "fetch/tool.hpp"

#include "fetch/interrupted.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace ideal::fetch {
namespace {

using namespace std::chrono_literals;

TEST(Tool, answers_with_both_outputs_and_its_code) {
  const Answer answer = ask({"sh", "-c", "echo out; echo err >&2; exit 3"}, {}, 10s);
  EXPECT_EQ(answer.out, "out\n");
  EXPECT_EQ(answer.err, "err\n");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_EQ(ask({"sh", "-c", "kill -9 $$"}, {}, 10s).exit_code, 128 + 9);
}

TEST(Tool, may_talk_much_and_hears_nothing) {
  const Answer answer =
      ask({"sh", "-c", "cat; head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"}, {}, 10s);
  EXPECT_EQ(answer.out.size(), 1'000'000u);
  EXPECT_EQ(answer.err.size(), 1'000'000u);
}

TEST(Tool, missing) { EXPECT_THROW(ask({"ideal-has-no-such-tool"}, {}, 10s), RunError); }

TEST(Tool, is_ended_when_time_is_up_or_somebody_asks) {
  const auto started = std::chrono::steady_clock::now();
  EXPECT_THROW(ask({"sleep", "30"}, {}, 0s), RunError);
  std::stop_source stop;
  std::thread hand([&] {
    std::this_thread::sleep_for(50ms);
    stop.request_stop();
  });
  EXPECT_THROW(ask({"sh", "-c", "sleep 30; true"}, stop.get_token(), 60s), Interrupted);
  hand.join();
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
}

}  // namespace
}  // namespace ideal::fetch
