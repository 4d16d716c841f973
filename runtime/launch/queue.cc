#include "runtime/launch/queue.h"

#include "emulate/run/wave.h"
#include "runtime/memory/allocations.h"

namespace wavesmith::runtime {

Result<const void*> create_queue(emulate::Memory& memory) {
  const auto place = memory.allocate(sizeof(Queue), kRuntimesOwn);
  if (!place) return tl::unexpected(place.error());
  auto* const queue = new (*place) Queue{};
  queue->size = 64;
  queue->group_segment_aperture_base_hi = static_cast<uint32_t>(emulate::kSharedAperture >> 32);
  queue->private_segment_aperture_base_hi = static_cast<uint32_t>(emulate::kPrivateAperture >> 32);
  return queue;
}

}  // namespace wavesmith::runtime
