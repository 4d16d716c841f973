#include "check/hazard/compiled.h"

#include <algorithm>

#include "analysis/code.h"

namespace wavesmith::check::hazard {
namespace {

bool schedules(const isa::Instruction& in) {
  return in.mnemonic == "s_delay_alu" || in.mnemonic == "s_wait_alu";
}

}  // namespace

bool Compiled::is(const Launch& launch) {
  const std::scoped_lock lock(mutex_);
  const auto [kernel, is_new] = kernels_.try_emplace(launch.entry, true);
  if (!is_new) return kernel->second;
  const auto code = analysis::read_code(launch.target, launch.wave_lanes, launch.code,
                                        reinterpret_cast<uint64_t>(launch.code.data()), launch.entry);
  if (code) kernel->second = std::ranges::any_of(code->instructions, schedules);
  return kernel->second;
}

}  // namespace wavesmith::check::hazard
