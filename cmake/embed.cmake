# SPDX-License-Identifier: Apache-2.0
# Writes the files PAGE and FIGURES as C++ arrays to OUT.
function(array_of name file text)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  set(${text} "const unsigned char ${name}_bytes[] = {${bytes}};\n" PARENT_SCOPE)
endfunction()
array_of(page ${PAGE} page)
array_of(figures ${FIGURES} figures)
file(WRITE ${OUT} "#include \"report/assets.hpp\"
namespace {
${page}${figures}}  // namespace
namespace ideal::report::assets {
std::string_view page() { return {reinterpret_cast<const char*>(page_bytes), sizeof page_bytes}; }
std::string_view figures() { return {reinterpret_cast<const char*>(figures_bytes), sizeof figures_bytes}; }
}  // namespace ideal::report::assets
")
