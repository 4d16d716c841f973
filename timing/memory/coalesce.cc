#include "timing/memory/coalesce.h"

#include <algorithm>
#include <bit>

namespace wavesmith::timing {

Coalesced coalesce(std::span<const uint64_t> addresses, uint32_t bytes, uint32_t line) {
  Coalesced result;
  coalesce(addresses, bytes, line, result);
  return result;
}

namespace {

/// Lines of a power of two of bytes, which all GPUs that we know have: divisions by a variable for every lane
/// would be most of the work.
struct Shift {
  int line, part;
  explicit Shift(uint32_t bytes) : line(std::countr_zero(bytes)), part(line - 5) {}
  [[nodiscard]] uint64_t line_of(uint64_t address) const { return address >> line; }
  [[nodiscard]] uint32_t parts(uint64_t offset, uint64_t bytes) const {
    const uint64_t first = offset >> part, last = (offset + bytes - 1) >> part;
    return (~uint32_t{0} >> (31 - (last - first))) << first;
  }
};

struct Division {
  uint32_t line;
  [[nodiscard]] uint64_t line_of(uint64_t address) const { return address / line; }
  [[nodiscard]] uint32_t parts(uint64_t offset, uint64_t bytes) const {
    return parts_of(offset, bytes, line);
  }
};

template <class Lines>
void coalesce_by(const Lines& by, std::span<const uint64_t> addresses, uint32_t bytes, uint32_t line,
                 Coalesced& result) {
  const size_t group = std::clamp<size_t>(64 / bytes, 1, 16);
  std::vector<LineUse>& lines = result.lines;
  lines.reserve(std::min<size_t>(addresses.size(), 64));
  uint64_t highest = 0;
  for (size_t begin = 0; begin < addresses.size(); begin += group) {
    uint64_t here[16 * 2];
    uint32_t distinct = 0;
    const auto touch = [&](uint64_t number, uint64_t offset, uint32_t count) __attribute__((always_inline)) {
      const uint32_t parts = by.parts(offset, count);
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
    for (size_t i = begin, end = std::min(begin + group, addresses.size()); i < end; ++i) {
      const uint64_t first = by.line_of(addresses[i]), last = by.line_of(addresses[i] + bytes - 1);
      const uint64_t offset = addresses[i] - first * line;
      if (first == last) {
        touch(first, offset, bytes);
      } else {
        const auto in_first = static_cast<uint32_t>(line - offset);
        touch(first, offset, in_first);
        touch(last, 0, bytes - in_first);
      }
    }
    result.clocks += distinct;
  }
}

/// All lanes at one address, whose bytes lie in one line.
bool coalesce_uniform(std::span<const uint64_t> addresses, uint32_t bytes, uint32_t line, Coalesced& result) {
  if (addresses.empty()) return false;
  const uint64_t address = addresses.front(), number = address / line;
  if ((address + bytes - 1) / line != number) return false;
  uint64_t other = 0;
  for (const uint64_t each : addresses) other |= each ^ address;
  if (other != 0) return false;
  const size_t group = std::clamp<size_t>(64 / bytes, 1, 16);
  result.clocks = static_cast<uint32_t>((addresses.size() + group - 1) / group);
  result.lines.push_back({number, static_cast<uint32_t>(std::min<uint64_t>(line, addresses.size() * bytes)),
                          parts_of(address - number * line, bytes, line)});
  return true;
}

}  // namespace

void coalesce(std::span<const uint64_t> addresses, uint32_t bytes, uint32_t line, Coalesced& result) {
  result.clocks = 0;
  result.lines.clear();
  bytes = std::max(1u, bytes);
  if (coalesce_uniform(addresses, bytes, line, result)) return;
  if (std::has_single_bit(line) && line >= 32)
    coalesce_by(Shift(line), addresses, bytes, line, result);
  else
    coalesce_by(Division{line}, addresses, bytes, line, result);
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
