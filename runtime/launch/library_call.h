// Functions of the host in a stream's turn, and what those of AMD's libraries that are served on the host say
// a GPU would do in their place (wavesmith_tell_work): it takes the time that the model predicts.
#pragma once

#include "runtime/abi/launch.h"

namespace wavesmith::runtime {

class Stream;

/// Calls it. Work that it tells of is counted, and with modelled time the stream takes as long.
void call_host(Stream& stream, void (*function)(void*), void* user);

}  // namespace wavesmith::runtime
