// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

struct z_stream_s;

namespace ideal::data {

/// zlib's inflate, piece by piece: what gzip files and zip members have in common.
class Inflater {
 public:
  enum class Wrapper { gzip, none };
  enum class State { more, end, damaged };

  explicit Inflater(Wrapper wrapper);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Unpacks from the front of `packed`, which loses what was used, onto `out`; returns the bytes written.
  /// None although the state is `more` means that more packed bytes are needed.
  std::size_t unpack(std::string_view& packed, char* out, std::size_t room);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::string_view fault() const;  ///< what zlib says about damage

  /// Makes ready for the next member.
  void restart();

 private:
  std::unique_ptr<z_stream_s> stream_;
  State state_ = State::more;
};

}  // namespace ideal::data
