// SPDX-License-Identifier: Apache-2.0
#include "method/registry.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace ideal {

namespace {

std::vector<std::string> names_of(const auto& things, auto name) {
  std::vector<std::string> names;
  std::ranges::transform(things, std::back_inserter(names), name);
  return names;
}

class Listing final : public Fields {
 public:
  void text(std::string_view key, const std::string& value, std::string_view rule, std::string_view help,
            const std::function<void(std::string_view)>&) override {
    parameters.push_back({std::string(key), std::string(help), value, std::string(rule)});
  }
  std::vector<Parameter> parameters;
};

class Assignment final : public Fields {
 public:
  Assignment(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  void text(std::string_view key, const std::string&, std::string_view, std::string_view,
            const std::function<void(std::string_view)>& assign) override {
    if (key != key_) return;
    assign(value_);
    done = true;
  }
  bool done = false;

 private:
  std::string_view key_, value_;
};

/// Names that methods have elsewhere, in small letters.
constexpr std::array<std::array<std::string_view, 2>, 11> elsewhere{{{"qu-li", "diging"},
                                                                     {"gradient-tracking", "diging"},
                                                                     {"aug-dgm", "atc-diging"},
                                                                     {"next", "sonata"},
                                                                     {"pg-extra", "extra"},
                                                                     {"d-admm", "dadmm"},
                                                                     {"d-ng", "dng"},
                                                                     {"d-nc", "dnc"},
                                                                     {"dda", "dual-averaging"},
                                                                     {"d-asg", "dasg"},
                                                                     {"d-masg", "dmasg"}}};

std::string meant_by(std::string_view name) {
  std::string small(name);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [there, here] : elsewhere)
    if (there == small) return fmt::format("Here it is called '{}'.", here);
  return did_you_mean(name, names_of(methods(), [](const Method& m) { return m.about().name; }));
}

}  // namespace

std::vector<Parameter> Method::parameters() const {
  Listing listing;
  algorithm_->visit(listing);
  return listing.parameters;
}

Method& Method::set(std::string_view key, std::string_view value) {
  Assignment assignment(key, value);
  auto changed = algorithm_->visit(assignment);
  if (!assignment.done)
    throw InputError(fmt::format("--set {}={}", key, value), fmt::format("'{}'", key),
                     fmt::format("no parameter of method '{}'", about_.name),
                     did_you_mean(key, names_of(parameters(), &Parameter::key)));
  algorithm_ = std::move(changed);
  return *this;
}

bool Method::stochastic() const { return algorithm_->stochastic(); }

void Method::check() const { algorithm_->check(); }

Block Method::operator()(Objective& F, Mixing& W, Run& run, Block X) const {
  check();
  return algorithm_->run(F, W, run, std::move(X));
}

std::span<const Method> methods() {
#define IDEAL_METHOD(name) make::name(),
  static const std::vector<Method> all{
#include "method/methods.def"
  };
#undef IDEAL_METHOD
  return all;
}

Method method(std::string_view name) {
  const auto found =
      std::ranges::find(methods(), name, [](const Method& m) -> std::string_view { return m.about().name; });
  if (found == methods().end())
    throw InputError("--method", fmt::format("'{}'", name), "a registered method", meant_by(name));
  return *found;
}

}  // namespace ideal
