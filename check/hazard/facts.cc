#include "check/hazard/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "check/hazard/rules.h"

namespace wavesmith::check::hazard {

Facts facts_of(const emulate::Site& site, const isa::Target& target, int wave_lanes) {
  Facts facts;
  facts.parts = parts_of(site, target, wave_lanes);
  if (!target.is(isa::kCdna)) return facts;
  static_assert(kLongest < 256);
  const auto all = rules();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!target.is(all[i].generations)) continue;
    const auto add = [&](Registers found, uint32_t& rules, std::vector<Registers>& registers) {
      if (found.empty()) return;
      rules |= 1u << i;
      registers.push_back(std::move(found));
    };
    add(all[i].first(facts.parts), facts.first, facts.first_registers);
    add(all[i].second(facts.parts), facts.second, facts.second_registers);
  }
  // Programs have many instructions, each with facts that are kept.
  facts.first_registers.shrink_to_fit();
  facts.second_registers.shrink_to_fit();
  if (facts.first) facts.window = facts.parts.matrix ? kLongest : kShort;
  return facts;
}

isa::RegisterRange common(isa::RegisterRange a, isa::RegisterRange b) {
  const auto first = std::max(a.first, b.first);
  const int end = std::min(a.first + a.count, b.first + b.count);
  return end > first ? isa::RegisterRange{first, static_cast<uint16_t>(end - first)} : isa::RegisterRange{};
}

std::string name_of(isa::RegisterRange registers) {
  using namespace isa::reg;
  const uint16_t first = registers.first;
  if (first == kExec) return "EXEC";
  if (first == kM0) return "M0";
  if (first == kVcc || first == kVcc + 1) return "VCC";
  const uint16_t base = first >= kTtmp ? kTtmp : first >= kSgpr ? kSgpr : first >= kAgpr ? kAgpr : kVgpr;
  const std::string_view kind = base == kTtmp ? "ttmp" : base == kSgpr ? "s" : base == kAgpr ? "a" : "v";
  if (registers.count == 1) return fmt::format("{}{}", kind, first - base);
  return fmt::format("{}[{}:{}]", kind, first - base, first - base + registers.count - 1);
}

}  // namespace wavesmith::check::hazard
