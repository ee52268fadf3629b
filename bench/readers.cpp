// SPDX-License-Identifier: Apache-2.0
// How long a data file takes to read, beside what the machine needs at least: the same bytes by read(2), and
// for text a search for line ends besides. Files are made in a temporary folder; limits and readers
// alternate, and medians are compared.
//
//   bench_readers [MEGABYTES] [REPORT.json]
#include <ideal/ideal.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace {

using namespace ideal;
namespace fs = std::filesystem;

constexpr int repetitions = 7;
constexpr Index columns = 100;

/// On a machine shared with others the clock tells little, and the time on the CPU what a core can do.
struct Time {
  double clock, cpu;
};

Time time_of(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  action();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

double median(std::vector<Time> times, double Time::*which) {
  std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2, {}, which);
  return times[times.size() / 2].*which;
}

// ---- the files -----------------------------------------------------------------------------------------

/// Written out until the file has its size: long enough for no branch to be learnt by heart.
using Block = std::function<std::string(std::mt19937_64&)>;

void write_file(const fs::path& file, std::string_view head, const Block& block, double bytes) {
  std::mt19937_64 random(1);
  const std::string repeated = block(random);
  std::ofstream out(file, std::ios::binary);
  out << head;
  for (double written = 0; written < bytes; written += static_cast<double>(repeated.size())) out << repeated;
}

std::string number(std::mt19937_64& random, bool short_numbers) {
  const double value = std::normal_distribution<double>()(random);
  return short_numbers ? fmt::format("{:.4f}", value) : fmt::format("{}", value);
}

Block libsvm_rows(bool short_numbers) {
  return [=](std::mt19937_64& random) {
    std::string text;
    for (int row = 0; row < 2000; ++row) {
      text += row % 2 == 0 ? "1" : "-1";
      for (Index index = 1; index < 1000; index += 1 + static_cast<Index>(random() % 20))
        text += fmt::format(" {}:{}", index, number(random, short_numbers));
      text += '\n';
    }
    return text;
  };
}

Block csv_rows(bool short_numbers) {
  return [=](std::mt19937_64& random) {
    std::string text;
    for (int row = 0; row < 2000; ++row) {
      for (Index column = 0; column < columns; ++column) text += number(random, short_numbers) + ",";
      text += row % 2 == 0 ? "1\n" : "0\n";
    }
    return text;
  };
}

void write_array(const fs::path& file, double bytes) {
  const auto rows = static_cast<Index>(bytes / (8 * (columns + 1)));
  write_npy(DenseRows::Random(rows, columns + 1), file);
}

void append_big_endian(std::string& bytes, std::size_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

/// Images of 28 x 28, and their labels where the reader looks for them.
void write_images(const fs::path& folder, double bytes) {
  constexpr std::size_t pixels = 784, batch = 1000;
  const std::size_t count = static_cast<std::size_t>(bytes / (pixels * batch)) * batch;
  const auto noise = [](std::size_t size) {
    return [=](std::mt19937_64& random) {
      std::string result;
      while (result.size() < size) result += static_cast<char>(random());
      return result;
    };
  };
  std::string head("\0\0\x08\x03", 4);
  append_big_endian(head, count);
  append_big_endian(head, 28);
  append_big_endian(head, 28);
  write_file(folder / "train-images-idx3-ubyte", head, noise(pixels * batch),
             static_cast<double>(count * pixels));
  head = std::string("\0\0\x08\x01", 4);
  append_big_endian(head, count);
  write_file(folder / "train-labels-idx1-ubyte", head, noise(batch), static_cast<double>(count));
}

// ---- the limits ----------------------------------------------------------------------------------------

/// Calls use(bytes) with what read(2) gives, in pieces that stay in the cache.
void read_through(const fs::path& file, const std::function<void(std::string_view)>& use) {
  std::vector<char> window(1 << 18);
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  for (ssize_t got = 0; (got = ::read(descriptor, window.data(), window.size())) > 0;)
    use({window.data(), static_cast<std::size_t>(got)});
  ::close(descriptor);
}

/// Whatever is computed has to be used, or it is not computed.
volatile std::size_t seen = 0;

void scan_lines(const fs::path& file) {
  std::size_t lines = 0;
  read_through(file, [&](std::string_view bytes) {
    for (std::size_t at = 0; (at = bytes.find('\n', at)) != std::string_view::npos; ++at) ++lines;
  });
  seen = lines;
}

/// Reads into new memory of as many bytes as the data set takes: each byte of the file becomes `widen`.
void read_into_memory(const fs::path& file, std::size_t widen) {
  const std::unique_ptr<char[]> memory(new char[fs::file_size(file) * widen]);
  char* out = memory.get();
  read_through(file, [&](std::string_view bytes) {
    for (std::size_t copy = 0; copy < widen; ++copy, out += bytes.size())
      std::memcpy(out, bytes.data(), bytes.size());
  });
  seen = static_cast<std::size_t>(memory[0]);
}

// ---- the table -----------------------------------------------------------------------------------------

struct Way {
  std::string name;
  std::function<void()> read;
  double goal = 0;  ///< MB/s; 0: none
  std::vector<Time> times = {};
};

class Bench {
 public:
  Bench(fs::path folder, double bytes) : folder_(std::move(folder)), bytes_(bytes) {}

  void text(const std::string& name, const Block& block) {
    const fs::path file = folder_ / name;
    write_file(file, "", block, bytes_);
    const ParsedCache cache{.folder = folder_ / "parsed", .least_file = 0};
    const auto again = [=](int threads) {
      return [=] { use(read_cached(file, {.threads = threads}, cache)); };
    };
    const double first = time_of(again(1)).clock;
    measure(name, file,
            {{"read(2)", [=] { read_through(file, [](std::string_view bytes) { seen = bytes.size(); }); }},
             {"read(2), line ends", [=] { scan_lines(file); }},
             {"1 thread", reading(file, 1), 300},
             {"2 threads", reading(file, 2), 300},
             {"from the cache, 1 thread", again(1)},
             {"from the cache, 2 threads", again(2)}});
    fmt::print("  {:<28}{:>8.0f}\n", "into the cache, once",
               static_cast<double>(fs::file_size(file)) / 1e6 / first);
    fs::remove(file);
    fs::remove_all(cache.folder);
  }

  void array() {
    const fs::path file = folder_ / "a.npy";
    write_array(file, bytes_);
    binary("npy", file, 1);
  }

  void images() {
    write_images(folder_, bytes_ / 8);
    binary("idx", folder_ / "train-images-idx3-ubyte", 8);
  }

  [[nodiscard]] nlohmann::json report() const { return {{"items", items_}}; }

 private:
  void binary(const std::string& name, const fs::path& file, std::size_t widen) {
    measure(name, file,
            {{"read(2)", [=] { read_through(file, [](std::string_view bytes) { seen = bytes.size(); }); }},
             {"read(2), new memory", [=] { read_into_memory(file, widen); }},
             {"1 thread", reading(file, 1)},
             {"2 threads", reading(file, 2)}});
    fs::remove(file);
  }

  static void use(const Dataset& data) { seen = static_cast<std::size_t>(data.rows()); }

  static std::function<void()> reading(const fs::path& file, int threads) {
    return [=] { use(read_dataset(file, {.threads = threads})); };
  }

  void measure(const std::string& name, const fs::path& file, std::vector<Way> ways) {
    const double megabytes = static_cast<double>(fs::file_size(file)) / 1e6;
    for (int k = 0; k < repetitions; ++k)
      for (Way& way : ways) way.times.push_back(time_of(way.read));
    fmt::print("{} ({:.0f} MB){:>{}}\n", name, megabytes, "MB/s   of limit   MB per CPU second",
               70 - name.size());
    const double limit = median(ways[1].times, &Time::clock);
    for (const Way& way : ways) {
      const double clock = median(way.times, &Time::clock), cpu = median(way.times, &Time::cpu);
      fmt::print("  {:<28}{:>8.0f}{:>11.2f}{:>20.0f}\n", way.name, megabytes / clock, limit / clock,
                 megabytes / cpu);
      const auto add = [&](std::string_view unit, double value) {
        items_.push_back({{"name", fmt::format("{}: {}", name, way.name)},
                          {"value", value},
                          {"unit", unit},
                          {"goal", way.goal > 0 ? nlohmann::json(way.goal) : nlohmann::json()}});
      };
      add("MB/s", megabytes / clock);
      add("MB per CPU second", megabytes / cpu);
    }
  }

  fs::path folder_;
  double bytes_;
  nlohmann::json items_ = nlohmann::json::array();
};

}  // namespace

int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 200;
  const fs::path folder = fs::temp_directory_path() / fmt::format("ideal-bench-{}", ::getpid());
  fs::create_directories(folder);
  Bench bench(folder, 1e6 * megabytes);
  bench.text("libsvm, 4 decimals", libsvm_rows(true));
  bench.text("libsvm, 17 digits", libsvm_rows(false));
  bench.text("csv, 4 decimals", csv_rows(true));
  bench.text("csv, 17 digits", csv_rows(false));
  bench.array();
  bench.images();
  fs::remove_all(folder);
  if (argc > 2) std::ofstream(argv[2]) << bench.report().dump(2) << '\n';
}
