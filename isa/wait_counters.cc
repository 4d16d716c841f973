#include "isa/wait_counters.h"

#include <array>
#include <charconv>
#include <string_view>

#include "isa/control/row.h"

namespace wavesmith::isa {
namespace {

struct Named {
  std::string_view name;
  uint16_t WaitCounters::* counter;
};

// The fields of s_waitcnt as they are printed.
constexpr std::array<Named, 3> kFields = {
    {{"vmcnt", &WaitCounters::vm}, {"lgkmcnt", &WaitCounters::lgkm}, {"expcnt", &WaitCounters::exp}}};

}  // namespace

WaitCounters wait_counters(const Instruction& instruction) {
  WaitCounters counters;
  const ControlRow* const row = find_control(instruction.mnemonic);
  if (!row) return counters;
  if (row->operation == Operation::WaitForSome) {
    const std::string_view text = instruction.text;
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
  const auto& [first, second] = row->facts.waits;
  if (!first || instruction.operands.empty()) return counters;
  const auto value = static_cast<uint16_t>(instruction.operands.back().bits);
  if (!second) {
    counters.*first = value;
    return counters;
  }
  // Source: LLVM, AMDGPUBaseInfo, encodeLoadcntDscnt and encodeStorecntDscnt.
  counters.*first = value >> 8 & 63;
  counters.*second = value & 63;
  return counters;
}

}  // namespace wavesmith::isa
