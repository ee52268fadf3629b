// SPDX-License-Identifier: Apache-2.0
#include <ideal/cpu.hpp>
#include <ideal/error.hpp>

#include <fmt/format.h>
#include <hwy/highway.h>

namespace ideal {

namespace {

/// All that the CPU has: found out before anything is pinned.
const std::vector<std::int64_t>& all_targets() {
  static const auto targets = hwy::SupportedAndGeneratedTargets();  // ascending masks: the best first
  return targets;
}

void use_targets(std::int64_t mask) {
  hwy::SetSupportedTargetsForTest(mask);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace

std::vector<std::string> cpu_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : all_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

std::string cpu_target() { return hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()); }

bool cpu_fuses() {
  const std::string target = cpu_target();
  return target.starts_with("AVX") || target == "NEON" || target == "PPC8";
}

void use_cpu_target(std::string_view name) {
  const auto& targets = all_targets();
  for (const std::int64_t target : targets)
    if (name == hwy::TargetName(target) || (name == "auto" && target == targets.front())) {
      if (cpu_target() != hwy::TargetName(target)) use_targets(target);
      return;
    }
  throw InputError("--cpu", fmt::format("'{}'", name), "an instruction set of this CPU, or auto",
                   did_you_mean(name, cpu_targets()));
}

}  // namespace ideal
