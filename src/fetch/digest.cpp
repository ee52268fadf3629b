// SPDX-License-Identifier: Apache-2.0
#include "fetch/digest.hpp"

#include <ideal/error.hpp>

#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace ideal::fetch {
namespace {

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

class Hash {
 public:
  explicit Hash(std::string algorithm) : algorithm_(std::move(algorithm)) {
    const EVP_MD* const kind = EVP_get_digestbyname(algorithm_.c_str());
    if (!kind || !context_ || EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1)
      throw RunError(fmt::format("no checksum of kind '{}' can be computed here", algorithm_));
  }

  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

  [[nodiscard]] Digest finish() const {
    std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), value.data(), &size);
    return {algorithm_, to_hex({reinterpret_cast<const char*>(value.data()), size})};
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::string algorithm_;
  std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

/// Empty if the text is no base64.
std::string from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return "";
  const std::size_t padding = text.size() - std::min(text.find('='), text.size());
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

}  // namespace

Digest digest_of(std::string_view bytes, const std::string& algorithm) {
  Hash hash(algorithm);
  hash.add(bytes);
  return hash.finish();
}

Digest digest_of_file(const std::filesystem::path& file, const std::string& algorithm) {
  Hash hash(algorithm);
  std::ifstream in(file, std::ios::binary);
  std::vector<char> chunk(1 << 20);
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || in.gcount() > 0)
    hash.add({chunk.data(), static_cast<std::size_t>(in.gcount())});
  if (!in.eof()) throw RunError(fmt::format("cannot read {}", file.string()));
  return hash.finish();
}

Digest parse_integrity(std::string_view text) {
  for (const std::string_view algorithm : {"sha512", "sha384", "sha256"}) {
    const auto at = text.find(fmt::format("{}-", algorithm));
    if (at == std::string_view::npos) continue;
    const std::string_view value = text.substr(at + algorithm.size() + 1);
    if (const std::string bytes = from_base64(value.substr(0, value.find(' '))); !bytes.empty())
      return {std::string(algorithm), to_hex(bytes)};
  }
  throw RunError(fmt::format("'{}' tells no checksum that can be used", text));
}

}  // namespace ideal::fetch
