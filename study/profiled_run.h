// A run of this command, `wavesmith run ...`, under the cycle model, as a process of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/scratch.h"
#include "timing/kernel_profile.h"

namespace wavesmith::study {

struct ProfiledCommand {
  std::string devices;
  std::vector<std::string> words;  ///< behind the options of `wavesmith run`: a file, or "--" and a program
  std::vector<std::string> variables;  ///< "NAME=value", for this process alone
  bool sampled = false;                ///< run the sampled workgroups only
  int threads = 1;                     ///< of the host
  double timeout = 0;                  ///< seconds of a kernel; 0: none
};

struct ProfiledRun {
  int code = 0;           ///< its exit code
  std::string output;     ///< what it wrote to standard output
  std::string complaint;  ///< the last line on standard error
  double host_seconds = 0;
  std::optional<timing::ProgramProfile> profile;  ///< nullopt: it launched no kernel
};

/// Runs it to its end; `number` tells it from the folder's other runs, which other threads may start. Error:
/// it cannot be started, or its profile cannot be read.
Result<ProfiledRun> profiled_run(const ProfiledCommand& command, const wavesmith::Scratch& scratch,
                                 size_t number);

/// The file of this command.
std::string this_command();

}  // namespace wavesmith::study
