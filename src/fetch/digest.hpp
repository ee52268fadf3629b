// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ideal::fetch {

/// A checksum: the algorithm as OpenSSL names it ("sha512", "sha256", "md5"), and the value.
struct Digest {
  std::string algorithm;
  std::string hex;  ///< lower case

  friend bool operator==(const Digest&, const Digest&) = default;
};

Digest digest_of(std::string_view bytes, const std::string& algorithm);
Digest digest_of_file(const std::filesystem::path& file, const std::string& algorithm);

/// From npm's "sha512-<base64>", the strongest of several apart by blanks; throws RunError if there is none.
Digest parse_integrity(std::string_view text);

}  // namespace ideal::fetch
