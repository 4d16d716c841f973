// roctx: ranges and marks for a profiler. Nobody listens, and what a call returns is right all the same: the
// nesting level of the thread's ranges, and a new number for each range that is started. roctx.h of ROCm 7.0.
#include <atomic>
#include <cstdint>

#include "libraries/shim/unserved.h"

namespace {
thread_local int depth = 0;
std::atomic<uint64_t> last_range{0};
}  // namespace

WAVESMITH_SERVED void roctxMarkA(const char*) {}
WAVESMITH_SERVED int roctxRangePushA(const char*) { return depth++; }
WAVESMITH_SERVED int roctxRangePop() { return depth > 0 ? --depth : -1; }
WAVESMITH_SERVED uint64_t roctxRangeStartA(const char*) { return ++last_range; }
WAVESMITH_SERVED void roctxRangeStop(uint64_t) {}
