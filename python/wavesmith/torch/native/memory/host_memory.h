// Host memory that kernels and copies reach without staging: "pinned" memory.
#pragma once

#include <c10/core/Allocator.h>

namespace wavesmith::device {

c10::Allocator* pinned_allocator();
// Whether the pointer is into memory of that allocator.
bool is_pinned(const void* pointer);

}  // namespace wavesmith::device
