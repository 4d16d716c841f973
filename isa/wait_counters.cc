#include "isa/wait_counters.h"

#include <array>
#include <charconv>
#include <string_view>

namespace wavesmith::isa {
namespace {

struct Named {
  std::string_view name;
  uint16_t WaitCounters::* counter;
};

// The fields of s_waitcnt as they are printed.
constexpr std::array<Named, 3> kFields = {
    {{"vmcnt", &WaitCounters::vm}, {"lgkmcnt", &WaitCounters::lgkm}, {"expcnt", &WaitCounters::exp}}};

// Instructions that wait for one counter.
constexpr std::array<Named, 11> kSingle = {{{"s_waitcnt_vmcnt", &WaitCounters::vm},
                                            {"s_waitcnt_lgkmcnt", &WaitCounters::lgkm},
                                            {"s_waitcnt_expcnt", &WaitCounters::exp},
                                            {"s_waitcnt_vscnt", &WaitCounters::vs},
                                            {"s_wait_loadcnt", &WaitCounters::load},
                                            {"s_wait_storecnt", &WaitCounters::store},
                                            {"s_wait_dscnt", &WaitCounters::ds},
                                            {"s_wait_kmcnt", &WaitCounters::km},
                                            {"s_wait_expcnt", &WaitCounters::exp},
                                            {"s_wait_samplecnt", &WaitCounters::sample},
                                            {"s_wait_bvhcnt", &WaitCounters::bvh}}};

}  // namespace

WaitCounters wait_counters(const Instruction& instruction) {
  WaitCounters counters;
  const std::string_view name = instruction.mnemonic, text = instruction.text;
  if (name == "s_waitcnt") {
    for (const Named& field : kFields) {
      const size_t at = text.find(field.name);
      if (at == std::string_view::npos) continue;
      const size_t open = at + field.name.size() + 1;
      uint16_t value = 0;
      if (open < text.size() &&
          std::from_chars(text.data() + open, text.data() + text.size(), value).ec == std::errc())
        counters.*field.counter = value;
    }
    return counters;
  }
  if (instruction.operands.empty()) return counters;
  const auto value = static_cast<uint16_t>(instruction.operands.back().bits);
  // Two counters of six bits. Source: LLVM, AMDGPUBaseInfo, encodeLoadcntDscnt and encodeStorecntDscnt.
  if (name == "s_wait_loadcnt_dscnt" || name == "s_wait_storecnt_dscnt") {
    (name == "s_wait_loadcnt_dscnt" ? counters.load : counters.store) = value >> 8 & 63;
    counters.ds = value & 63;
    return counters;
  }
  for (const Named& single : kSingle)
    if (name == single.name) counters.*single.counter = value;
  return counters;
}

}  // namespace wavesmith::isa
