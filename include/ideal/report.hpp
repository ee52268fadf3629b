// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/trace.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ideal {

/// What a page about one run shows. Everything but the picture is plain text and escaped on the way.
struct ReportPage {
  std::string title;
  std::vector<std::pair<std::string, std::string>> rows;  ///< label and value
  Trace trace;
  std::string graph_svg;  ///< as draw_svg returns it; none if empty
  std::string config;
};

/// One HTML file that needs nothing else: no script, no network, light and dark.
std::string html_report(const ReportPage& page);

}  // namespace ideal
