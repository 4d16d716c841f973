#include "timing/dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace wavesmith::timing {

std::string waits_for_others(const Recorder& recorder) {
  uint64_t first = ~uint64_t{0};
  for (uint32_t i = 0; i < recorder.ops().size(); ++i) first = std::min(first, recorder.ops()[i].pc);
  // s_sleep in a loop is what a wave does that waits for somebody, and barriers of a workgroup do not need
  // it. One after the other without a loop, as Tensile has between stores (StoreSyncOpt), is no such wait.
  for (const auto& [number, group] : recorder.records())
    for (const WaveRecord& wave : group.waves) {
      std::unordered_set<uint32_t> slept;
      for (const uint32_t site : wave.sites)
        if (recorder.ops()[site].control == Control::Sleep && !slept.insert(site).second)
          return fmt::format(
              "workgroup {} sleeps in a loop (s_sleep at {:#x} of the kernel), as one does that waits for another "
              "workgroup",
              number, recorder.ops()[site].pc - first);
      // A load that bypasses the caches, or an atomic that returns, again and again with nothing but a test
      // between.
      uint64_t last = 0, run = 0;
      uint32_t asked = ~0u;
      for (size_t i = 0; i < wave.sites.size(); ++i) {
        const Op& op = recorder.ops()[wave.sites[i]];
        if (op.cost.pipe == isa::Pipe::Lds || (op.store && op.memory)) run = 0;
        if (!op.bypasses && !(op.atomic && op.counter != OpCounter::None && op.writes_vgpr)) continue;
        if (wave.sites[i] == asked && i - last <= 24) {
          if (++run >= 8)
            return fmt::format(
                "workgroup {} asks for the same memory again and again ({} at {:#x} of the kernel), as one does "
                "that waits for another workgroup",
                number, op.text.substr(0, op.text.find(' ')), op.pc - first);
        } else {
          run = 0;
        }
        asked = wave.sites[i];
        last = i;
      }
    }
  return {};
}

std::string takes_shared_work(const Recorder& recorder) {
  // One lane adds to a counter in memory and gets the old value, over and over: the number of the next task.
  constexpr uint64_t kOften = 3;
  const OpTable& ops = recorder.ops();
  std::vector<bool> counts(ops.size());
  uint64_t first = ~uint64_t{0};
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    first = std::min(first, op.pc);
    const std::string_view name = std::string_view(op.text).substr(0, op.text.find(' '));
    const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
    counts[i] =
        op.atomic && !op.lds && op.writes_vgpr && (has("_add") || has("_inc") || has("_sub") || has("_dec"));
  }
  for (const auto& [number, group] : recorder.records())
    for (const WaveRecord& wave : group.waves) {
      std::unordered_map<uint32_t, uint64_t> times;
      size_t memory = 0, access = 0;
      for (const uint32_t site : wave.sites) {
        const Op& op = ops[site];
        if (!op.memory) continue;
        if (memory >= wave.access_counts.size()) break;
        const size_t count = wave.access_counts[memory++];
        const bool one =
            count == 1 && access < wave.accesses.size() && std::has_single_bit(wave.accesses[access].lanes);
        access += count;
        if (counts[site] && one && ++times[site] >= kOften)
          return fmt::format(
              "workgroup {} takes one number after another from a counter in memory ({} at {:#x} of the kernel), "
              "as one does that takes its work from a queue: a few workgroups alone would do the work of all",
              number, op.text.substr(0, op.text.find(' ')), op.pc - first);
      }
    }
  return {};
}

}  // namespace wavesmith::timing
