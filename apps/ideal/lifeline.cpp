// SPDX-License-Identifier: Apache-2.0
#include "lifeline.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <random>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace ideal::cli {
namespace {

constexpr int patience_ms = 30'000;  // for ranks that start late

[[noreturn]] void fail(std::string_view action) {
  throw RunError(
      fmt::format("ranks cannot watch each other: {}: {}", action, std::generic_category().message(errno)));
}

sockaddr_in address(in_addr_t ip, int port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = ip;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  return at;
}

const sockaddr* generic(const sockaddr_in& at) {
  return reinterpret_cast<const sockaddr*>(&at);  // NOLINT: the interface of sockets
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// The addresses of this machine, loopback last.
std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == 0) {
    for (const ifaddrs* i = list; i; i = i->ifa_next) {
      if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
      sockaddr_in at{};
      std::memcpy(&at, i->ifa_addr, sizeof at);
      std::array<char, INET_ADDRSTRLEN> text{};
      ::inet_ntop(AF_INET, &at.sin_addr, text.data(), text.size());
      if (!std::string_view(text.data()).starts_with("127.")) addresses.emplace_back(text.data());
    }
    ::freeifaddrs(list);
  }
  addresses.emplace_back("127.0.0.1");
  return addresses;
}

/// What keeps strangers who find the port from being taken for a rank.
std::uint64_t secret() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

struct Hello {
  std::uint64_t secret;
  std::int64_t rank;
};

constexpr char done = 0;  // any other word is the exit code of a process that failed

}  // namespace

class Lifeline::Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {
    if (descriptor < 0) fail("no socket");
  }
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

  /// A machine that lost its power sends nothing: ask after 10 s, four times.
  void keep_alive() const {
    const auto set = [&](int level, int name, int value) {
      ::setsockopt(descriptor_, level, name, &value, sizeof value);
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(IPPROTO_TCP, TCP_KEEPCNT, 4);
  }

  /// For connecting, and for the first words: an address may lead nowhere, and a stranger may say nothing.
  void be_patient_for(int seconds) const {
    const timeval limit{.tv_sec = seconds, .tv_usec = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  void send(const void* bytes, std::size_t size) const {
    (void)::send(descriptor_, bytes, size, MSG_NOSIGNAL);
  }

  /// False if the other end has gone or says nothing for long.
  bool receive(void* bytes, std::size_t size) const {
    pollfd waiting{descriptor_, POLLIN, 0};
    return ::poll(&waiting, 1, patience_ms) == 1 &&
           ::recv(descriptor_, bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
  }

 private:
  int descriptor_;
};

struct Lifeline::Connections {
  struct Line {
    Line(Index other, Socket connection) : rank(other), socket(std::move(connection)) {}
    Index rank;  ///< at the other end
    Socket socket;
    std::atomic<bool> open = true;
  };

  explicit Connections(Cluster& cluster) {
    if (cluster.rank() == 0)
      accept_all(cluster);
    else
      connect_to_first(cluster);
  }

  void accept_all(Cluster& cluster) {
    const Socket listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at = address(htonl(INADDR_ANY), 0);
    socklen_t size = sizeof at;
    if (::bind(listener.get(), generic(at), sizeof at) != 0 ||
        ::listen(listener.get(), static_cast<int>(cluster.size())) != 0 ||
        ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0)  // NOLINT: as above
      fail("no port");
    token = secret();
    std::string whereabouts = fmt::format("{} {} {}", host_name(), ntohs(at.sin_port), token);
    for (const std::string& ip : own_addresses()) whereabouts += " " + ip;
    (void)cluster.share(whereabouts);
    while (std::ssize(lines) < cluster.size() - 1) {
      pollfd waiting{listener.get(), POLLIN, 0};
      if (::poll(&waiting, 1, patience_ms) != 1) fail("a rank does not connect");
      Socket socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      socket.be_patient_for(3);
      Hello hello{};
      if (!socket.receive(&hello, sizeof hello) || hello.secret != token) continue;
      socket.keep_alive();
      lines.emplace_back(hello.rank, std::move(socket));
    }
  }

  void connect_to_first(Cluster& cluster) {
    std::istringstream told(cluster.share("").front());
    std::string host, ip;
    int port = 0;
    Hello hello{0, cluster.rank()};
    told >> host >> port >> hello.secret;
    token = hello.secret;
    std::vector<std::string> addresses;
    while (told >> ip) addresses.push_back(ip);
    if (host == host_name()) addresses = {"127.0.0.1"};
    for (const std::string& candidate : addresses) {
      in_addr parsed{};
      ::inet_pton(AF_INET, candidate.c_str(), &parsed);
      Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      socket.be_patient_for(3);
      const sockaddr_in at = address(parsed.s_addr, port);
      if (::connect(socket.get(), generic(at), sizeof at) != 0) continue;
      socket.keep_alive();
      socket.send(&hello, sizeof hello);
      lines.emplace_back(0, std::move(socket));
      return;
    }
    fail(fmt::format("rank 0 on {} cannot be reached", host));
  }

  void watch(const std::stop_token& over) {
    while (!over.stop_requested()) {
      std::vector<pollfd> waiting;
      waiting.reserve(lines.size());
      for (const Line& line : lines) waiting.push_back({line.open ? line.socket.get() : -1, POLLIN, 0});
      constexpr int look_up_ms = 100;
      if (::poll(waiting.data(), waiting.size(), look_up_ms) <= 0) continue;
      for (std::size_t i = 0; i < lines.size(); ++i)
        if (waiting[i].revents != 0) hear(lines[i], over);
    }
  }

  void hear(Line& line, const std::stop_token& over) {
    char word = done;
    const ssize_t count = ::recv(line.socket.get(), &word, 1, 0);
    line.open = false;
    if (count == 1 && word == done) return;
    if (over.stop_requested()) return;
    if (count == 1)
      on_failure(word);
    else
      on_loss(line.rank);
  }

  /// A process that has said farewell need not hear others do so, or hang up.
  void stop() {
    watcher.request_stop();
    if (watcher.joinable()) watcher.join();
  }

  void say(char word) const {
    for (const Line& line : lines)
      if (line.open) line.socket.send(&word, 1);
  }

  std::uint64_t token = 0;
  std::function<void(Index)> on_loss;
  std::function<void(int)> on_failure;
  std::deque<Line> lines;
  std::jthread watcher;  // last: it ends first
};

Lifeline::Lifeline(Cluster& cluster) : connections_(std::make_unique<Connections>(cluster)) {}
Lifeline::~Lifeline() = default;

void Lifeline::watch(std::function<void(Index)> on_loss, std::function<void(int)> on_failure) {
  connections_->on_loss = std::move(on_loss);
  connections_->on_failure = std::move(on_failure);
  connections_->watcher = std::jthread([this](const std::stop_token& over) { connections_->watch(over); });
}

/// A name without a file, which one process can have and which goes when it does.
bool Lifeline::first_of_this_machine() const {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = fmt::format("ideal-{:x}", connections_->token);
  std::ranges::copy(text, name.sun_path + 1);
  static const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);         // kept to the end
  return ::bind(descriptor, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;  // NOLINT: as above
}

void Lifeline::farewell() {
  connections_->stop();
  connections_->say(done);
}
void Lifeline::failure(int code) { connections_->say(static_cast<char>(code)); }

}  // namespace ideal::cli
