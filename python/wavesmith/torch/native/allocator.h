// Device memory: a caching allocator over hipMalloc, as PyTorch's for CUDA is one.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Stream.h>

namespace wavesmith::device {

// Keeps the memory from being used again before what the stream has been given so far is done.
void record_stream(const c10::DataPtr& data, const c10::Stream& stream);

}  // namespace wavesmith::device
