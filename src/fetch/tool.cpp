// SPDX-License-Identifier: Apache-2.0
#include "fetch/tool.hpp"

#include "fetch/interrupted.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ideal::fetch {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(std::string_view what, int error) {
  throw RunError(fmt::format("cannot {}: {}", what, std::generic_category().message(error)));
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail("open a pipe", errno);
  }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void close_writing() { close(ends_[1]); }

  /// Appends what is there; false at the end.
  bool drain(std::string& out) const {
    std::array<char, 1 << 14> chunk;
    const ssize_t count = ::read(reading(), chunk.data(), chunk.size());
    if (count > 0) out.append(chunk.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }
  std::array<int, 2> ends_{-1, -1};
};

/// A child in a process group of its own: a Ctrl-C at the terminal is ours alone to hear, and ending the
/// group also ends what the child started.
class Child {
 public:
  Child(const std::vector<std::string>& command, const Pipe& out, const Pipe& err) {
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out.writing(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err.writing(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);  // ours has the signals blocked that must end it
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    const int error = ::posix_spawnp(&id_, words[0], &files, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error == ENOENT) throw RunError(fmt::format("{} is not installed", command[0]));
    if (error != 0) fail(fmt::format("run {}", command[0]), error);
  }
  ~Child() {
    if (id_ <= 0) return;
    ::kill(-id_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) continue;
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t id_ = 0;
};

}  // namespace

Answer ask(const std::vector<std::string>& command, const std::stop_token& stop, std::chrono::seconds limit) {
  const auto deadline = Clock::now() + limit;
  Pipe out, err;
  Child child(command, out, err);
  out.close_writing();
  err.close_writing();

  Answer answer;
  std::array<pollfd, 2> ends{pollfd{out.reading(), POLLIN, 0}, pollfd{err.reading(), POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    stop_if_asked(stop);
    if (Clock::now() > deadline)
      throw RunError(fmt::format("{} did not answer within {} s", command[0], limit.count()));
    constexpr int look_up_every = 100;  // milliseconds
    if (::poll(ends.data(), ends.size(), look_up_every) <= 0) continue;
    if (ends[0].revents != 0 && !out.drain(answer.out)) ends[0].fd = -1;
    if (ends[1].revents != 0 && !err.drain(answer.err)) ends[1].fd = -1;
  }
  answer.exit_code = child.wait();
  return answer;
}

}  // namespace ideal::fetch
