#include "runtime/memory/fill.h"

#include <algorithm>
#include <cstring>

#include "base/zeros.h"
#include "runtime/observe/host_access.h"
#include "runtime/observe/modelled_time.h"
#include "runtime/observe/timeline.h"

namespace wavesmith::runtime {
namespace {

/// Programs clear large buffers of which they use little: what reads as zero is left as it is.
void clear(char* row, size_t bytes) {
  while (bytes > 0) {
    const size_t rest = kZeroBlock - reinterpret_cast<uintptr_t>(row) % kZeroBlock,
                 part = std::min(bytes, rest);
    const bool whole = part == kZeroBlock;
    if (!whole || !only_zeros({reinterpret_cast<const std::byte*>(row), part})) std::memset(row, 0, part);
    row += part, bytes -= part;
  }
}

void fill_row(char* row, const Fill& fill) {
  if (fill.value == 0) {
    clear(row, fill.width * fill.element);
  } else if (fill.element == 1) {
    std::memset(row, static_cast<int>(fill.value), fill.width);
  } else if (fill.element == 2) {
    std::fill_n(reinterpret_cast<uint16_t*>(row), fill.width, static_cast<uint16_t>(fill.value));
  } else {
    std::fill_n(reinterpret_cast<uint32_t*>(row), fill.width, fill.value);
  }
}

}  // namespace

void do_fill(const Fill& fill) {
  tell_filled(fill);
  for (size_t z = 0; z < fill.depth; ++z)
    for (size_t y = 0; y < fill.height; ++y)
      fill_row(static_cast<char*>(fill.destination) + z * fill.slice + y * fill.pitch, fill);
}

hipError_t FillOperation::run(Stream& stream) {
  do_fill(fill_);
  if (const auto& modelled = stream.device.modelled) {
    const size_t bytes = fill_.width * fill_.element * fill_.height * fill_.depth;
    const double begin = modelled->start(stream),
                 end = begin + modelled->fill_seconds(fill_.destination, bytes);
    stream.modelled_until(end);
    note_timed(stream, "fill", "memory", begin, end);
  }
  return hipSuccess;
}

}  // namespace wavesmith::runtime
