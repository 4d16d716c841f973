#include "check/text.h"

#include <fmt/format.h>

namespace wavesmith::check {

std::string lanes_text(uint64_t lanes) {
  std::string text;
  int count = 0;
  for (int lane = 0; lane < 64; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    int last = lane;
    while (last < 63 && lanes >> (last + 1) & 1) ++last;
    text +=
        (text.empty() ? "" : ", ") + (last == lane ? fmt::to_string(lane) : fmt::format("{}-{}", lane, last));
    count += last - lane + 1;
    lane = last;
  }
  return (count == 1 ? "lane " : "lanes ") + text;
}

std::string text_of(const Finding& finding) {
  std::string text = fmt::format("{} [{}/{}]: {}", name_of(finding.severity), name_of(finding.topic),
                                 finding.rule, finding.what);
  if (!finding.address.empty()) text += " (" + finding.address + ")";
  text += '\n';
  for (const Party& party : finding.parties) {
    text += fmt::format("  {}: {}", party.role, party.instruction);
    if (party.kernel.empty()) {
      text += " (host)\n";
      continue;
    }
    // Functions that the kernel calls may stand before it.
    const auto offset = static_cast<int64_t>(party.offset);
    text += fmt::format("\n      {} {} {:#x}", party.kernel, offset < 0 ? '-' : '+',
                        offset < 0 ? -party.offset : party.offset);
    if (!party.source.empty()) text += fmt::format(" ({})", party.source);
    text += fmt::format("\n      dispatch {}", party.dispatch);
    if (party.wave != Party::kAllWaves)
      text += fmt::format(", workgroup {},{},{}, wave {}", party.workgroup[0], party.workgroup[1],
                          party.workgroup[2], party.wave);
    if (party.lanes) text += ", " + lanes_text(party.lanes);
    text += '\n';
  }
  if (!finding.fix.empty()) text += fmt::format("  fix: {}\n", finding.fix);
  if (finding.count > 1) text += fmt::format("  seen {} times\n", finding.count);
  return text;
}

}  // namespace wavesmith::check
