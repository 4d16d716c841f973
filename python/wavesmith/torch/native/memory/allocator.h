// Device memory: a caching allocator over hipMalloc, as PyTorch's for CUDA is one.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Storage.h>
#include <c10/core/Stream.h>

namespace wavesmith::device {

// Keeps the memory from being used again before what the stream has been given so far is done.
void record_stream(const c10::DataPtr& data, const c10::Stream& stream);

// Gives the storage memory of another size; what fits of its bytes is kept.
void resize_storage(const c10::Storage& storage, std::size_t bytes);

// What is allocated on streams that are captured comes from this pool from now on, until end_pool. Memory
// that a graph has used is given to nothing else before each graph of its pool has called release_pool.
void begin_pool(c10::MempoolId_t pool, const c10::Stream& stream);
void end_pool(c10::MempoolId_t pool);
void release_pool(c10::MempoolId_t pool);

}  // namespace wavesmith::device
