// SPDX-License-Identifier: Apache-2.0
#include "numpy.hpp"

#include "race.hpp"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe to NumPy");
    out = ends[0];
    in = ends[1];
  }
  int out = 0, in = 0;
};

pid_t start(const std::array<std::string, 8>& command, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::array<char*, 9> arguments{};
  for (std::size_t k = 0; k < command.size(); ++k) arguments[k] = const_cast<char*>(command[k].c_str());
  pid_t process = 0;
  const int failed = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) throw std::runtime_error(fmt::format("{} did not start", command[0]));
  return process;
}

}  // namespace

Numpy::Numpy(const Work& work, int blas_threads) : to_(nullptr, std::fclose), from_(nullptr, std::fclose) {
  // Debian's NumPy takes whatever libblas.so.3 it finds: OpenBLAS, if its folder comes first.
  setenv("LD_LIBRARY_PATH", OPENBLAS_FOLDER, 1);
  setenv("OPENBLAS_NUM_THREADS", std::to_string(blas_threads).c_str(), 1);
  const Pipe questions, answers;
  process_ =
      start({"/usr/bin/python3", BENCH_FOLDER "/numpy_rounds.py", work.method, std::to_string(work.rows),
             std::to_string(work.columns), std::to_string(work.agents), work.type, work.gradients},
            questions.out, answers.in);
  close(questions.out);
  close(answers.in);
  to_.reset(fdopen(questions.in, "w"));
  from_.reset(fdopen(answers.out, "r"));
  version_ = answer();
  if (version_.find("openblas") == std::string::npos)
    throw std::runtime_error("not the peer to compare with: " + version_);
}

Numpy::~Numpy() {
  to_.reset();  // at the end of its input it ends
  waitpid(process_, nullptr, 0);
}

double Numpy::seconds_a_round(int rounds, int slice) {
  std::vector<double> slices;
  for (int done = 0; done < rounds; done += slice) {
    fmt::print(to_.get(), "{}\n", slice);
    std::fflush(to_.get());
    slices.push_back(std::stod(answer()));
  }
  return lower_quartile(std::move(slices));
}

std::string Numpy::answer() {
  std::array<char, 512> line{};
  if (!std::fgets(line.data(), line.size(), from_.get())) throw std::runtime_error("NumPy ended early");
  std::string text = line.data();
  text.pop_back();
  return text;
}

}  // namespace bench
