// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <cstdio>
#include <memory>
#include <string>

#include <sys/types.h>

namespace bench {

/// numpy_rounds.py in a process of its own, which does rounds when asked and waits in between.
class Numpy {
 public:
  struct Work {
    std::string method;
    ideal::Index rows, columns, agents;
    std::string type = "float64";
    std::string gradients = "loop";
  };

  /// NumPy uses OpenBLAS, with this many threads.
  Numpy(const Work& work, int blas_threads);
  ~Numpy();
  Numpy(const Numpy&) = delete;
  Numpy& operator=(const Numpy&) = delete;

  /// Of one round: the lower quartile of several runs that have `rounds` rounds together and `slice` each.
  double seconds_a_round(int rounds, int slice);

  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  std::string answer();

  File to_, from_;
  pid_t process_ = 0;
  std::string version_;
};

}  // namespace bench
