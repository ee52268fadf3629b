// SPDX-License-Identifier: Apache-2.0
#include "report/assets.hpp"
#include "report/report.hpp"

namespace ideal::report {
namespace {

/// JSON that no HTML parser can take for markup: '<' and its like only occur in strings, where \u means the
/// same.
std::string inert(const Json& data) {
  std::string out;
  for (const char c : data.dump(-1, ' ', true)) {  // ASCII only
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string html(const Json& data) {
  constexpr std::string_view title = "@TITLE@", content = "@DATA@";
  std::string page(assets::page());
  page.replace(page.find(content), content.size(), inert(data));  // first: it comes after the title
  page.replace(page.find(title), title.size(), escaped(data["title"].get<std::string>()));
  return page;
}

}  // namespace ideal::report
