// SPDX-License-Identifier: Apache-2.0
#include "fetch/png.hpp"

#include <ideal/error.hpp>

#include <fmt/format.h>
#include <png.h>

namespace ideal::fetch {
namespace {

/// libpng's own record of a picture, freed whatever happens.
struct Picture : png_image {
  Picture() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~Picture() { png_image_free(this); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;
};

}  // namespace

std::string read_png(std::string_view png, Index wide, Index high, std::string_view place) {
  Picture picture;
  const auto refuse = [&](std::string_view found) {
    throw InputError(place, found, fmt::format("the pictures are one PNG, {} x {} in 8-bit RGB", wide, high),
                     "Fetch the package again.");
  };
  if (png_image_begin_read_from_memory(&picture, png.data(), png.size()) == 0) refuse(picture.message);
  if (picture.width != wide || picture.height != high || picture.format != PNG_FORMAT_RGB)
    refuse(fmt::format("a PNG of {} x {}{}", picture.width, picture.height,
                       picture.format == PNG_FORMAT_RGB ? "" : " in another format"));
  std::string bytes(PNG_IMAGE_SIZE(picture), '\0');
  if (png_image_finish_read(&picture, nullptr, bytes.data(), 0, nullptr) == 0) refuse(picture.message);
  return bytes;
}

}  // namespace ideal::fetch
