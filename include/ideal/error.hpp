// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ideal {

/// Base of everything the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bad usage or input. The message reads "place: found (rule). Remedy", for example
/// "heart.svm:3: index 0 (LIBSVM indices start at 1 and ascend). Write 1 for the first feature."
class InputError : public Error {
 public:
  InputError(std::string_view place, std::string_view found, std::string_view rule, std::string_view remedy);

  /// The same error, met while reading `place`.
  InputError(std::string_view place, const InputError& error);
};

/// The program could not go on for a reason outside the input: a full disk, a failed factorisation.
class RunError : public Error {
 public:
  using Error::Error;
};

/// A neighbour or the whole cluster went away.
class PeerLost : public Error {
 public:
  using Error::Error;
};

/// The candidate closest to `word` in edit distance as "Did you mean 'x'?", or "One of: a, b, c." if none is
/// close.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace ideal
