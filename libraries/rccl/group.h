// Groups of calls: what stands between ncclGroupStart and ncclGroupEnd of a thread is asked for at once.
// Every call outside a group is a group of its own.
#pragma once

#include "libraries/rccl/exchange.h"

namespace wavesmith::libraries {

void start_group();
/// The first error of a call in the group, or of asking for it. Of groups in groups the outermost one ends
/// them.
int end_group();

/// Adds to the group; the answer is kSuccess, or what the arguments are wrong with.
int add(Communicator& communicator, void* stream, const Exchange& exchange);
/// A communicator that the group waits for at its end. An error takes it back, and its handle with it.
int add_setup(Communicator& communicator, void** handle);
/// Notes a call's error for the end of its group.
int note(int result);

}  // namespace wavesmith::libraries
