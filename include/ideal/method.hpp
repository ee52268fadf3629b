// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/demands.hpp>
#include <ideal/mixing.hpp>
#include <ideal/objective.hpp>
#include <ideal/run.hpp>
#include <ideal/sentry.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// What the registry, the help pages and the documentation say about a method.
struct About {
  std::string name;
  std::string family;
  std::string summary;
  std::string rule;         ///< the update, in the notation of docs/methods.md
  std::string cost;         ///< (computations, communications) of an iteration
  std::string rate;         ///< iterations to accuracy eps, up to constants
  std::string assumptions;  ///< what the theory asks of losses and network
  std::string citation;
  Demands meets = {Demand::no_dual_oracle};  ///< where it may be used beyond these
  bool linear = true;                        ///< converges linearly to the exact optimum
  bool local = false;      ///< agents need nothing but gradients and rounds, a few of each an iteration
  bool certifies = false;  ///< its agents know how far from the optimum they are at most
};

/// One settable quantity of a method.
struct Parameter {
  std::string key;
  std::string help;
  std::string value;  ///< as it stands; "auto" where a formula decides
  std::string rule;   ///< what values are allowed
};

/// A method with its parameters: an algorithm written once against the two oracles, runnable on every
/// transport.
class Method {
 public:
  /// Wraps a struct with `About about() const`, `void parameters(Fields&)`, perhaps
  /// `void check() const` and `bool stochastic() const`, and `Block operator()(Objective&, Mixing&, Run&,
  /// Block) const`. The block passed in holds the same start for every agent. A struct that can `std::string
  /// be_careful()`, which changes its parameters and says how, is guarded: where it goes astray it starts
  /// again from the best iterate, which differs from agent to agent (Run::starts_together).
  template <class Algorithm>
  static Method of(Algorithm algorithm);

  [[nodiscard]] const About& about() const { return about_; }
  [[nodiscard]] std::vector<Parameter> parameters() const;

  /// Sets a parameter from text; throws InputError on an unknown key or a value outside its rule.
  Method& set(std::string_view key, std::string_view value);

  /// Whether, as it is set, it draws rows at random, and so depends on the seed.
  [[nodiscard]] bool stochastic() const;

  /// Throws InputError if the settings contradict each other; every run starts with it.
  void check() const;

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const;

 private:
  struct Concept;
  template <class Algorithm>
  struct Model;

  About about_;
  std::shared_ptr<const Concept> algorithm_;
};

/// Every registered method, in the order of the documentation.
std::span<const Method> methods();

/// A fresh copy by name; an unknown name throws InputError with the closest one.
Method method(std::string_view name);

// ---- for those who write a method ----------------------------------------------------------------------

/// Allowed values of a numeric parameter.
struct Range {
  double low, high;
  bool low_open, high_open;
  std::string_view rule;
};
namespace range {
inline constexpr Range positive{0, 1e300, true, false, "a number > 0"};
inline constexpr Range nonnegative{0, 1e300, false, false, "a number >= 0"};
inline constexpr Range momentum{0, 1, false, true, "a number in [0, 1)"};
inline constexpr Range count{1, 1e9, false, false, "a whole number >= 1"};
}  // namespace range

/// Visits a method's fields by name: the one place from which flags, files, help and documentation are made.
/// A field that is std::optional accepts "auto", meaning that the method's formula decides.
class Fields {
 public:
  virtual ~Fields() = default;

  void number(std::string_view key, double& field, const Range& range, std::string_view help);
  void number(std::string_view key, std::optional<double>& field, const Range& range, std::string_view help);
  void number(std::string_view key, std::optional<Index>& field, const Range& range, std::string_view help);
  void number(std::string_view key, Index& field, const Range& range, std::string_view help);
  void flag(std::string_view key, bool& field, std::string_view help);
  void flag(std::string_view key, std::optional<bool>& field, std::string_view help);

  /// One of several words; the field holds the index of the word.
  template <class Enum>
  void choice(std::string_view key, Enum& field, std::span<const std::string> words, std::string_view help) {
    text(key, words[static_cast<std::size_t>(field)], one_of(words), help,
         [&](std::string_view word) { field = static_cast<Enum>(position(key, word, words)); });
  }

  /// The general form: how the field reads, what it may be, and how to take a new text.
  virtual void text(std::string_view key, const std::string& value, std::string_view rule,
                    std::string_view help, const std::function<void(std::string_view)>& assign) = 0;

  static double parse_number(std::string_view key, std::string_view text, const Range& range, bool whole);

 private:
  static std::string one_of(std::span<const std::string> words);
  static std::size_t position(std::string_view key, std::string_view word,
                              std::span<const std::string> words);
};

struct Method::Concept {
  virtual ~Concept() = default;
  virtual Block run(Objective& F, Mixing& W, Run& run, Block X) const = 0;
  virtual void check() const = 0;
  [[nodiscard]] virtual bool stochastic() const = 0;
  virtual std::shared_ptr<const Concept> visit(
      Fields& fields) const = 0;  ///< a copy with the fields as visited
};

template <class Algorithm>
concept Careful = requires(Algorithm algorithm) {
  { algorithm.be_careful() } -> std::same_as<std::string>;
};

template <class Algorithm>
struct Method::Model final : Concept {
  explicit Model(Algorithm a) : algorithm(std::move(a)) {}
  Block run(Objective& F, Mixing& W, Run& run, Block X) const override {
    if constexpr (Careful<Algorithm>)
      if (guard && !guards_itself()) {
        Algorithm careful = algorithm;
        return guarded(
            F, W, run, std::move(X), [&](Block start) { return careful(F, W, run, std::move(start)); },
            [&] { return careful.be_careful(); });
      }
    return algorithm(F, W, run, std::move(X));
  }
  void check() const override {
    if constexpr (requires { algorithm.check(); }) algorithm.check();
  }
  bool stochastic() const override {
    if constexpr (requires { algorithm.stochastic(); }) return algorithm.stochastic();
    return false;
  }
  std::shared_ptr<const Concept> visit(Fields& fields) const override {
    auto copy = std::make_shared<Model>(*this);
    copy->algorithm.parameters(fields);
    if constexpr (Careful<Algorithm>)
      fields.flag(
          "guard", copy->guard,
          "agents watch their steps, and where these grow go back to the best iterate with more care");
    return copy;
  }
  Algorithm algorithm;
  /// A method may have a guard of its own in some settings.
  [[nodiscard]] bool guards_itself() const {
    if constexpr (requires { algorithm.guards_itself(); }) return algorithm.guards_itself();
    return false;
  }
  bool guard = true;
};

template <class Algorithm>
Method Method::of(Algorithm algorithm) {
  Method method;
  method.about_ = algorithm.about();
  method.algorithm_ = std::make_shared<Model<Algorithm>>(std::move(algorithm));
  return method;
}

}  // namespace ideal
