// What the library says when a call fails: a status, and a line for people kept per thread.
#pragma once

#include <string>

#include "kernels/wavesmith_kernels.h"

namespace wavesmith::kernels {

/// Keeps the message for wavesmith_kernels_message() and returns the status.
wavesmith_kernels_status fail(wavesmith_kernels_status status, std::string message);
/// Clears the message.
wavesmith_kernels_status succeed();
/// This thread's, as wavesmith_kernels_message() returns it.
const char* message();

}  // namespace wavesmith::kernels
