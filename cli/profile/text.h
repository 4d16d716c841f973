// Prints a profile as text on standard output.
#pragma once

#include "timing/kernel_profile.h"

namespace wavesmith::cli {

struct ProfileText {
  bool verbose = false;  ///< every kernel, every stall, every instruction
  bool all = false;      ///< a summary of every kernel, not of the costliest alone
};
void print_profile(const timing::ProgramProfile& profile, const ProfileText& how);

}  // namespace wavesmith::cli
