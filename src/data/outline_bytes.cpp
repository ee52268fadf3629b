// SPDX-License-Identifier: Apache-2.0
// Outlines between processes of one run: numbers as they lie in memory, arrays behind their length.
#include <ideal/error.hpp>
#include <ideal/outline.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace {

constexpr std::string_view outline_magic = "ideal outline 1\n";

class OutlineWriter {
 public:
  template <class T>
  void value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  template <class T>
  void array(std::span<const T> values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    value(static_cast<std::uint64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }

  void text(std::string_view text) { bytes_ += text; }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class OutlineReader {
 public:
  explicit OutlineReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T value() {
    T result;
    std::memcpy(&result, take(sizeof result), sizeof result);
    return result;
  }

  /// Takes memory only for what is there.
  template <class T, class Container>
  void array(Container& out) {
    const auto count = value<std::uint64_t>();
    check(count <= rest_.size() / sizeof(T), "an array cut short");
    out.resize(static_cast<decltype(out.size())>(count));
    if (count > 0) std::memcpy(out.data(), take(count * sizeof(T)), count * sizeof(T));
  }

  void text(std::string_view text) {
    check(rest_.starts_with(text), "bytes that start otherwise");
    take(text.size());
  }
  void end() const { check(rest_.empty(), fmt::format("{} bytes behind the end", rest_.size())); }

  static void check(bool sound, std::string_view found) {
    if (!sound)
      throw InputError("outline", found, "an outline arrives as it was sent",
                       "Let all processes run the same program.");
  }

 private:
  const char* take(std::size_t size) {
    check(size <= rest_.size(), "bytes cut short");
    const char* const at = rest_.data();
    rest_.remove_prefix(size);
    return at;
  }

  std::string_view rest_;
};

bool ascend(const Landmark& mark, const Landmark& next) {
  return mark.row < next.row && mark.line < next.line && mark.offset < next.offset;
}

bool sound_landmarks(const Outline& outline) {
  const auto& marks = outline.landmarks;
  const auto within = [&](const Landmark& mark) {
    return mark.row >= 0 && mark.row < outline.labels.size() && mark.line >= 0 && mark.line < outline.lines;
  };
  return std::ranges::all_of(marks, within) &&
         std::ranges::adjacent_find(marks, std::not_fn(ascend)) == marks.end();
}

}  // namespace

std::string to_bytes(const Outline& outline) {
  OutlineWriter out;
  out.text(outline_magic);
  out.array(std::span(outline.place.data(), outline.place.size()));
  out.value(static_cast<std::uint8_t>(outline.format));
  out.value(static_cast<std::uint8_t>(outline.sparse));
  out.value(static_cast<std::int64_t>(outline.columns));
  out.value(static_cast<std::int64_t>(outline.lines));
  out.array(std::span(outline.labels.data(), static_cast<std::size_t>(outline.labels.size())));
  out.array(std::span(outline.landmarks.data(), outline.landmarks.size()));
  return out.take();
}

Outline outline_from_bytes(std::string_view bytes) {
  OutlineReader in(bytes);
  Outline outline;
  in.text(outline_magic);
  in.array<char>(outline.place);
  const auto format = in.value<std::uint8_t>();
  in.check(format <= static_cast<std::uint8_t>(Format::idx), fmt::format("format {}", format));
  outline.format = static_cast<Format>(format);
  const auto sparse = in.value<std::uint8_t>();
  in.check(sparse <= 1, fmt::format("sparseness {}", sparse));
  outline.sparse = sparse == 1;
  outline.columns = in.value<std::int64_t>();
  outline.lines = in.value<std::int64_t>();
  in.check(outline.columns >= 0 && outline.lines >= 0, "a negative size");
  in.array<double>(outline.labels);
  in.check(outline.labels.allFinite(), "a label that is not finite");
  in.array<Landmark>(outline.landmarks);
  in.check(sound_landmarks(outline), "landmarks out of order");
  in.end();
  return outline;
}

}  // namespace ideal
