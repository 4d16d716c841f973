// Keeps programs loaded that are run many times, such as hiprtc's compiler.
#pragma once

#include "toolchain/process.h"

namespace wavesmith::toolchain {

/// Runs a command as run(command, true) does and keeps the program loaded for the next command line until
/// this process ends, by libwavesmith_standby.so beside our library. Each run uses this process's current
/// folder and environment. If that is impossible (another C library, a sandbox) or disabled, it is the same
/// as run().
Result<Outcome> run_standing_by(const Command& command);

/// Whether programs are kept loaded: unless WAVESMITH_STANDBY is 0.
bool stands_by();

/// A hash of the current environment variables except WAVESMITH_STANDBY.
uint64_t environment_hash();

}  // namespace wavesmith::toolchain
