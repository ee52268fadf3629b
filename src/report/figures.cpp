// SPDX-License-Identifier: Apache-2.0
#include "report/assets.hpp"
#include "report/report.hpp"

#include <ideal/error.hpp>

#include <memory>

#include <duktape.h>
#include <fmt/format.h>

namespace ideal::report {
namespace {

struct Engine {
  Engine() : context(duk_create_heap_default()) {
    if (!context) throw RunError("no memory to draw figures");
  }
  ~Engine() { duk_destroy_heap(context); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The text at the top of the stack, which is an error's if `failed`.
  std::string take(bool failed) {
    std::string text = duk_safe_to_string(context, -1);
    duk_pop(context);
    if (failed) throw RunError(fmt::format("drawing figures failed: {}", text));
    return text;
  }

  void push(const std::string& text) { duk_push_lstring(context, text.data(), text.size()); }

  duk_context* context;
};

}  // namespace

std::map<std::string, std::string> figures(const Json& data, const std::vector<std::string>& formats,
                                           std::optional<double> tau) {
  const Json options{{"formats", formats}, {"tau", tau ? Json(*tau) : Json()}};
  const std::string_view script = assets::figures();
  Engine engine;
  engine.take(duk_peval_lstring(engine.context, script.data(), script.size()) != 0);
  duk_get_global_string(engine.context, "idealFigures");
  engine.push(data.dump(-1, ' ', true));
  engine.push(options.dump());
  return Json::parse(engine.take(duk_pcall(engine.context, 2) != 0));
}

}  // namespace ideal::report
