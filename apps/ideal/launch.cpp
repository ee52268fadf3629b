// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include "command.hpp"
#include "lifeline.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>
#ifdef IDEAL_WITH_MPI
#include <ideal/mpi.hpp>
#endif

namespace ideal::cli {
namespace {

using namespace std::chrono_literals;

std::optional<Index> number_in_environment(const char* name) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  if (!text) return {};
  Index number = 0;
  const std::string_view word(text);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return {};
  return number;
}

std::optional<Index> first_number(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto number = number_in_environment(name)) return number;
  return {};
}

/// As mpirun of Open MPI, MPICH and their kin, and srun, tell a process before it calls MPI.
std::optional<Index> told_rank() {
  return first_number(
      {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"});
}
std::optional<Index> told_size() {
  return first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"});
}

void say(const std::string& message) { fmt::print(stderr, "ideal: {}\n", message); }

/// What another thread must know to speak of a lost rank.
struct Memory {
  std::mutex mutex;
  std::vector<Index> host_of;
  std::string advice;
};
Memory memory;

#ifdef IDEAL_WITH_MPI

std::string listed(const std::vector<Index>& host_of, Index rank) {
  std::vector<Index> agents;
  for (std::size_t i = 0; i < host_of.size(); ++i)
    if (host_of[i] == rank) agents.push_back(static_cast<Index>(i));
  constexpr std::size_t most = 20;
  const std::string more = agents.size() > most ? fmt::format(" and {} more", agents.size() - most) : "";
  agents.resize(std::min(agents.size(), most));
  if (agents.empty()) return "";
  return fmt::format(" (agent{} {}{})", agents.size() > 1 ? "s" : "", fmt::join(agents, ", "), more);
}

/// MPI from here to leave(), and a watch over the other ranks.
class Ranks {
 public:
  /// Joins the others; with an error, to tell them and end.
  explicit Ranks(std::string_view error = {}, int code = 0) {
    // Vectors of a few thousand numbers should not wait for the receiver's consent.
    ::setenv("OMPI_MCA_btl_vader_eager_limit", "32768",
             0);  // NOLINT(concurrency-mt-unsafe): before any thread
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED)
      throw RunError("MPI does not start, or not beside threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    cluster_ = mpi_cluster(MPI_COMM_WORLD);
    require_one_mpi();
    end_if_one_failed(error, code);
    count_neighbours();
    lifeline_.emplace(*cluster_);
    lifeline_->watch([this](Index lost) { end_after_loss(lost); }, [](int theirs) { end_at_once(theirs); });
  }

  Cluster& cluster() { return *cluster_; }
  void tell_failure(int code) {
    if (lifeline_) lifeline_->failure(code);
  }
  [[nodiscard]] Index here() const { return here_; }

  void leave() {
    cluster_.reset();
    MPI_Finalize();
    lifeline_->farewell();
    lifeline_.reset();
  }

 private:
  /// Ranks that fail before they meet, as by a mistyped option, meet to say so: one speaks, and all end.
  void end_if_one_failed(std::string_view error, int code) {
    const auto errors = cluster_->share(error.empty() ? "" : fmt::format("{} {}", code, error));
    const auto first = std::ranges::find_if(errors, [](const std::string& e) { return !e.empty(); });
    if (first == errors.end()) return;
    const auto rank = first - errors.begin();
    const auto space = first->find(' ');
    if (cluster_->rank() == 0)
      say((rank > 0 ? fmt::format("rank {}: ", rank) : "") + first->substr(space + 1));
    cluster_.reset();
    MPI_Finalize();
    ::_exit(std::stoi(first->substr(0, space)));
  }

  void require_one_mpi() const {
    const auto told = told_size();
    if (!told || *told == cluster_->size()) return;
    std::string version(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    MPI_Get_library_version(version.data(), &length);
    version.resize(std::min(version.find_first_of(std::string_view("\n,\0", 3)), version.size()));
    std::ranges::replace(version, '\t', ' ');
    throw InputError("mpirun", fmt::format("{} ranks started, {} found", *told, cluster_->size()),
                     fmt::format("this program was built with {}", version),
                     "Start it with the mpirun of that MPI.");
  }

  void count_neighbours() {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int size = 1;
    MPI_Comm_size(machine, &size);
    MPI_Comm_free(&machine);
    here_ = size;
    const Index cores = std::max<Index>(1, std::thread::hardware_concurrency());
    if (here_ > cores && cluster_->rank() == 0)
      say(fmt::format("{} ranks share {} cores here, so that times mean little", here_, cores));
  }

  void end_after_loss(Index lost) {
    const std::lock_guard lock(memory.mutex);
    // Of the ranks that miss rank 0 the quickest speaks: mpirun may end them all in a moment. It keeps its
    // place until the others have seen that it is taken.
    if (rank_ == 0 || lifeline_->first_of_this_machine())
      say(fmt::format("rank {}{} was lost.{}", lost, listed(memory.host_of, lost), memory.advice));
    if (rank_ == 0) lifeline_->failure(peer_lost);
    if (rank_ > 0) std::this_thread::sleep_for(1s);
    ::_exit(peer_lost);
  }

  std::unique_ptr<Cluster> cluster_;
  std::optional<Lifeline> lifeline_;
  Index rank_ = told_rank().value_or(0);
  Index here_ = 1;
};

std::unique_ptr<Ranks> ranks;

#endif

std::unique_ptr<Cluster> single;

}  // namespace

bool speaks() {
#ifdef IDEAL_WITH_MPI
  if (ranks) return ranks->cluster().rank() == 0;
#endif
  return told_rank().value_or(0) == 0;
}

Cluster& job() {
#ifdef IDEAL_WITH_MPI
  if (told_rank() && !ranks) ranks = std::make_unique<Ranks>();
  if (ranks) return ranks->cluster();
#else
  if (told_size().value_or(1) > 1)
    throw InputError("mpirun", fmt::format("{} ranks", *told_size()), "this program was built without MPI",
                     "Install an MPI library with its headers and build again.");
#endif
  if (!single) single = alone();
  return *single;
}

Index cores() {
  const Index all = std::max<Index>(1, std::thread::hardware_concurrency());
  cpu_set_t set;
  CPU_ZERO(&set);
  const Index allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : all;
  Index here = 1;
#ifdef IDEAL_WITH_MPI
  if (ranks) here = ranks->here();
#endif
  return allowed < all ? allowed : std::max<Index>(1, all / here);
}

void remember(std::vector<Index> host_of, std::string advice) {
  const std::lock_guard lock(memory.mutex);
  memory.host_of = std::move(host_of);
  memory.advice = std::move(advice);
}

void leave() {
#ifdef IDEAL_WITH_MPI
  if (ranks) ranks->leave();
  ranks.reset();
#endif
}

void end_at_once(int code) {
#ifdef IDEAL_WITH_MPI
  if (ranks) ranks->tell_failure(code);
#endif
  ::_exit(code);
}

int complain(int code, const std::string& message) {
#ifdef IDEAL_WITH_MPI
  int joined = 0;
  MPI_Initialized(&joined);
  if (told_rank() && !joined) const Ranks meeting(message, code);    // and the end
  if (joined && code == peer_lost) std::this_thread::sleep_for(5s);  // the lifeline can name the rank
#endif
  const Index rank = told_rank().value_or(0);
  if (rank > 0) {
    std::this_thread::sleep_for(3s);  // rank 0 ends the job if it fails as well, and says why
    say(fmt::format("rank {}: {}", rank, message));
  } else {
    say(message);
  }
#ifdef IDEAL_WITH_MPI
  if (joined) {
    std::fflush(stdout);
    end_at_once(code);  // MPI cannot be left in order when others wait for this rank; mpirun ends them
  }
#endif
  return code;
}

}  // namespace ideal::cli
