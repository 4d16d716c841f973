// Groups of calls: those between ncclGroupStart and ncclGroupEnd of a thread are launched together. Every
// call outside a group is a group of its own.
#pragma once

#include "libraries/rccl/exchange.h"

namespace wavesmith::libraries {

void start_group();
/// Ends the group and returns the first error of its calls or of launching them. Nested groups end with the
/// outermost one.
int end_group();

/// Adds a call to the group; returns kSuccess, or the error of its arguments.
int add(Communicator& communicator, void* stream, const Exchange& exchange);
/// Adds a communicator whose setup the group waits for at its end. On an error it is destroyed, and its
/// handle reset.
int add_setup(Communicator& communicator, void** handle);
/// Notes a call's error for the end of its group.
int note(int result);

}  // namespace wavesmith::libraries
