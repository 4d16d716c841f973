// Programs that are run many times, such as a compiler by hiprtc: kept loaded, at their start.
#pragma once

#include "toolchain/process.h"

namespace wavesmith::toolchain {

/// As run(command, true), and the program stays loaded, by libwavesmith_standby.so beside our library, for
/// the next command line, until this process ends; it is run in this process's folder and environment as they
/// are then. Where that cannot be (another C library, a sandbox), or is not wanted, it is run as
/// run() does.
Result<Outcome> run_standing_by(const Command& command);

/// Whether programs are kept: unless WAVESMITH_STANDBY is 0.
bool stands_by();

/// A number for the environment's variables as they are, but for WAVESMITH_STANDBY.
uint64_t environment_hash();

}  // namespace wavesmith::toolchain
