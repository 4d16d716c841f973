#include "runtime/hostcall.h"

namespace wavesmith::runtime {

const void* hostcall_buffer(Platform&, Device&) { return nullptr; }
void serve_hostcalls(Platform&, Device&) {}
const void* device_heap(Platform&, Device&) { return nullptr; }

}  // namespace wavesmith::runtime
