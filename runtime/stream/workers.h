// Threads that execute streams. As many as there are streams with work at the same time: kernels of two
// streams may wait for one another.
#pragma once

#include <memory>

namespace wavesmith::runtime {

class Stream;

/// Has the stream's operations executed soon, by a thread that is free or new.
void submit_to_workers(std::shared_ptr<Stream> stream);

}  // namespace wavesmith::runtime
