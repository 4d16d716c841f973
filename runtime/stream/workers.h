// Threads that execute streams, as many as there are streams with work at the same time, because kernels of
// two streams may wait for one another.
#pragma once

#include <memory>

namespace wavesmith::runtime {

class Stream;

/// Schedules the stream's operations on a free or new thread.
void submit_to_workers(std::shared_ptr<Stream> stream);

}  // namespace wavesmith::runtime
