#include "timing/memory/coalesce.h"

#include <algorithm>
#include <bit>

namespace wavesmith::timing {

Coalesced coalesce(std::span<const uint64_t> addresses, uint32_t bytes, uint32_t line) {
  Coalesced result;
  coalesce(addresses, bytes, line, result);
  return result;
}

void coalesce(std::span<const uint64_t> addresses, uint32_t bytes, uint32_t line, Coalesced& result) {
  result.clocks = 0;
  result.lines.clear();
  bytes = std::max(1u, bytes);
  const size_t group = std::clamp<size_t>(64 / bytes, 1, 16);
  std::vector<LineUse>& lines = result.lines;
  lines.reserve(std::min<size_t>(addresses.size(), 64));
  // A division by a variable for every lane would be half of the work.
  const int shift = std::has_single_bit(line) ? std::countr_zero(line) : -1;
  const auto line_of = [&](uint64_t address) { return shift >= 0 ? address >> shift : address / line; };
  uint64_t highest = 0;
  for (size_t begin = 0; begin < addresses.size(); begin += group) {
    uint64_t here[16 * 2];
    uint32_t distinct = 0;
    const auto touch = [&](uint64_t number, uint64_t offset, uint32_t count) {
      const uint32_t parts = parts_of(offset, count, line);
      // Lanes side by side mostly share a line, which then is the last one; mostly lines ascend.
      if (lines.empty() || number > highest) {
        highest = number;
        if (distinct < std::size(here)) here[distinct++] = number;
        lines.push_back({number, std::min(line, count), parts});
        return;
      }
      const bool last = distinct && here[distinct - 1] == number;
      if (!last && distinct < std::size(here) && std::find(here, here + distinct, number) == here + distinct)
        here[distinct++] = number;
      for (size_t i = lines.size(); i > 0; --i)
        if (lines[i - 1].line == number) {
          lines[i - 1].bytes = std::min(line, lines[i - 1].bytes + count);
          lines[i - 1].parts |= parts;
          return;
        }
      lines.push_back({number, std::min(line, count), parts});
    };
    for (size_t i = begin; i < std::min(begin + group, addresses.size()); ++i) {
      const uint64_t first = line_of(addresses[i]), last = line_of(addresses[i] + bytes - 1);
      const uint64_t offset = addresses[i] - first * line;
      const auto in_first = static_cast<uint32_t>(std::min<uint64_t>(bytes, line - offset));
      touch(first, offset, in_first);
      if (last != first) touch(last, 0, bytes - in_first);
    }
    result.clocks += distinct;
  }
}

bool coalesce_dense(uint64_t base, uint32_t bytes, uint32_t line, Coalesced& result) {
  if (!std::has_single_bit(bytes) || bytes > 64 || base % 64 != 0 || line % 64 != 0) return false;
  result.lines.clear();
  result.clocks = 64 / std::clamp<uint32_t>(64 / bytes, 1, 16);
  const uint64_t end = base + uint64_t{64} * bytes;
  for (uint64_t at = base; at < end;) {
    const uint64_t next = std::min((at / line + 1) * line, end);
    result.lines.push_back(
        {at / line, static_cast<uint32_t>(next - at), parts_of(at % line, next - at, line)});
    at = next;
  }
  return true;
}

}  // namespace wavesmith::timing
