// Runs host functions in stream order. Libraries that serve calls on the host report from there the work that
// a GPU would do (wavesmith_tell_work), which takes the time that the model predicts.
#pragma once

#include "runtime/abi/launch.h"

namespace wavesmith::runtime {

class Stream;

/// Calls a host function. Reported work is counted, and with modelled time the stream takes as long as
/// predicted.
void call_host(Stream& stream, void (*function)(void*), void* user);

}  // namespace wavesmith::runtime
