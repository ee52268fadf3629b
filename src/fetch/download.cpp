// SPDX-License-Identifier: Apache-2.0
#include "fetch/download.hpp"

#include "fetch/interrupted.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ideal::fetch {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// ---- the file that grows ---------------------------------------------------------------------------------

/// Stays between runs as long as it holds a byte.
class PartFile {
 public:
  explicit PartFile(const fs::path& target) : target_(target), path_(fs::path(target) += ".part") {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail(errno);
    size_ = status.st_size;
  }
  ~PartFile() {
    if (size_ == 0) ::unlink(path_.c_str());
    ::close(descriptor_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] bool matches(const Digest& digest) const {
    return size_ > 0 && digest_of_file(path_, digest.algorithm) == digest;
  }

  /// Called out of C code, which no exception may cross: false on failure, with the reason in errno.
  bool append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) return false;
      if (written <= 0) continue;
      size_ += written;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  bool clear() {
    size_ = 0;
    return ::ftruncate(descriptor_, 0) == 0;
  }

  void become_whole() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(errno);
  }

  [[noreturn]] void fail(int error) const {
    throw RunError(
        fmt::format("cannot write {}: {}", path_.string(), std::generic_category().message(error)));
  }

 private:
  fs::path target_, path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

// ---- one attempt -----------------------------------------------------------------------------------------

struct Failure {
  std::string reason;
  bool worth_retrying;
};

class Attempt {
 public:
  Attempt(const std::string& url, PartFile& part, const DownloadOptions& options)
      : part_(part), options_(options), offset_(part.size()) {
    if (!curl_) throw RunError("libcurl could not start");
    if (url.starts_with("file:") && !part.clear()) part.fail(errno);  // faster read again than resumed
    offset_ = part.size();
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https,file");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 10L);
    set(CURLOPT_USERAGENT, "ideal");
    set(CURLOPT_ERRORBUFFER, complaint_.data());
    set(CURLOPT_WRITEFUNCTION, &Attempt::on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Attempt::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    if (offset_ > 0) set(CURLOPT_RANGE, fmt::format("{}-", offset_).c_str());
  }

  /// Empty if every byte the server announced has arrived.
  std::optional<Failure> run() {
    last_byte_ = Clock::now();
    const CURLcode result = curl_easy_perform(curl_.get());
    stop_if_asked(options_.stop);
    if (write_error_ != 0) part_.fail(write_error_);
    if (result == CURLE_ABORTED_BY_CALLBACK)
      return Failure{fmt::format("no byte for {} s", options_.stall.count()), true};
    if (result != CURLE_OK) return Failure{complaint(result), worth_retrying(result)};
    return failure_of(status());
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(curl_.get(), option, value);
  }

  [[nodiscard]] long status() const {
    long code = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  [[nodiscard]] static bool has_content(long status) {
    return status == 200 || status == 206 || status == 0;  // 0: not HTTP
  }

  std::optional<Failure> failure_of(long status) {
    if (has_content(status) && !wrong_range_) return {};
    if (wrong_range_ || status == 416) {  // what is here is not the beginning of what is there
      part_.clear();
      return Failure{"the server sent another part of the file than was asked for", true};
    }
    const bool may_pass = status >= 500 || status == 408 || status == 429;
    return Failure{fmt::format("the server answered {}", status), may_pass};
  }

  [[nodiscard]] std::string complaint(CURLcode result) const {
    return complaint_[0] != '\0' ? complaint_.data() : curl_easy_strerror(result);
  }

  static bool worth_retrying(CURLcode result) {
    constexpr std::array hopeless{CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT,
                                  CURLE_FILE_COULDNT_READ_FILE, CURLE_PEER_FAILED_VERIFICATION,
                                  CURLE_TOO_MANY_REDIRECTS};
    return std::ranges::find(hopeless, result) == hopeless.end();
  }

  /// The first byte the server sends, where it tells.
  [[nodiscard]] std::int64_t first_byte_sent() const {
    curl_header* header = nullptr;
    if (curl_easy_header(curl_.get(), "Content-Range", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return -1;
    const std::string_view value = header->value;
    constexpr std::string_view unit = "bytes ";
    std::int64_t first = -1;
    if (value.starts_with(unit))
      std::from_chars(value.data() + unit.size(), value.data() + value.size(), first);
    return first;
  }

  /// Before the first byte is kept: a server without ranges sends the file from its start.
  bool judge() {
    judged_ = true;
    if (status() == 206) {
      wrong_range_ = first_byte_sent() != offset_;
      return true;
    }
    if (offset_ == 0 || !has_content(status())) return true;
    offset_ = 0;
    return part_.clear();
  }

  bool keep(std::string_view bytes) {
    if ((judged_ || judge()) && (wrong_range_ || !has_content(status()) || part_.append(bytes))) return true;
    write_error_ = errno;
    return false;
  }

  static std::size_t on_bytes(char* data, std::size_t, std::size_t count, void* self) {
    return static_cast<Attempt*>(self)->keep({data, count}) ? count : 0;
  }

  /// Called about every second even if nothing arrives; other than 0 ends the transfer.
  int look(curl_off_t total, curl_off_t now) {
    if (now != received_) last_byte_ = Clock::now();
    received_ = now;
    if (options_.progress) options_.progress(offset_ + now, total > 0 ? offset_ + total : 0);
    return options_.stop.stop_requested() || Clock::now() - last_byte_ > options_.stall ? 1 : 0;
  }

  static int on_progress(void* self, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
    return static_cast<Attempt*>(self)->look(total, now);
  }

  struct Cleanup {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };

  std::array<char, CURL_ERROR_SIZE> complaint_{};
  std::unique_ptr<CURL, Cleanup> curl_{curl_easy_init()};
  PartFile& part_;
  const DownloadOptions& options_;
  std::int64_t offset_;
  bool judged_ = false, wrong_range_ = false;
  int write_error_ = 0;
  curl_off_t received_ = 0;
  Clock::time_point last_byte_;
};

// ---- all attempts ----------------------------------------------------------------------------------------

constexpr int longest_wait = 4;  // steps of growth: 0.2 s, 0.8 s, 3.2 s, 13 s, then 51 s each time

void wait(Seconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, time, [] { return false; });
  stop_if_asked(stop);
}

}  // namespace

void download(const std::string& url, const Digest& digest, const fs::path& file,
              const DownloadOptions& options) {
  PartFile part(file);
  bool was_wrong = false;
  for (int attempt = 0; !part.matches(digest); ++attempt) {
    std::optional<Failure> failure = Attempt(url, part, options).run();
    if (!failure) {
      if (part.matches(digest)) break;
      // A second chance, as bytes of an earlier run may be to blame; a third would only repeat the second.
      failure = Failure{fmt::format("its {} checksum is wrong", digest.algorithm), !was_wrong};
      was_wrong = true;
      part.clear();
    }
    if (!failure->worth_retrying || attempt >= options.retries)
      throw RunError(fmt::format("{}: {}", url, failure->reason));
    wait(options.first_wait * std::pow(4.0, std::min(attempt, longest_wait)), options.stop);
  }
  part.become_whole();
}

}  // namespace ideal::fetch
