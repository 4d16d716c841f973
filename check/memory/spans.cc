#include "check/memory/spans.h"

#include <algorithm>

namespace wavesmith::check {
namespace {

constexpr uint64_t kPage = 4096;

template <class T>
Span span_of(std::span<T> bytes) {
  const auto begin = reinterpret_cast<uint64_t>(bytes.data());
  return bytes.empty() ? Span{} : Span{begin, begin + bytes.size()};
}

bool overlap(const Span& span, uint64_t low, uint64_t high) { return low < span.end && span.begin < high; }

}  // namespace

Spans::Spans(const Launch& launch)
    : memory_(launch.memory), arguments_(span_of(launch.kernarg)), code_(span_of(launch.code)) {
  for (const auto& segment : launch.constants) constants_.push_back(span_of(segment));
}

Span Spans::made(uint64_t begin, uint64_t end) const {
  return {begin, end, guarded_by(begin, end) != nullptr};
}

Span Spans::around(uint64_t address) const {
  const auto* const pointer = reinterpret_cast<const void*>(address);
  if (const auto held = memory_.find(pointer)) return made(held->address, held->address + held->bytes);
  if (memory_.in_arena(pointer)) return {};
  // What lies outside is the host's: an access that is admitted is right, and its page is all that is known.
  const uint64_t page = address / kPage * kPage;
  return made(page, page + 2 * kPage);
}

const char* Spans::guarded_by(uint64_t low, uint64_t high) const {
  if (overlap(arguments_, low, high)) return "the kernel's arguments";
  if (overlap(code_, low, high)) return "code";
  const bool constant =
      std::ranges::any_of(constants_, [&](const Span& span) { return overlap(span, low, high); });
  return constant ? "constants" : nullptr;
}

}  // namespace wavesmith::check
