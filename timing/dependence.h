// Launches whose workgroups depend on each other: a sample of these does not do what it does among all.
#pragma once

#include <string>

#include "timing/recorder.h"

namespace wavesmith::timing {

/// Why workgroups that run without the others do not do what they do among them: one takes its work from a
/// counter that all share. Empty: none does.
std::string takes_shared_work(const Recorder& recorder);

/// Why a launch of such waves cannot be sampled: a wave that waits for other workgroups. Empty: it can.
std::string waits_for_others(const Recorder& recorder);

}  // namespace wavesmith::timing
