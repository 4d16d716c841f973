// Statistics of the process's kernels, written as JSON to WAVESMITH_REPORT when the process ends.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "emulate/run/dispatch.h"
#include "emulate/translate/program.h"

namespace wavesmith::runtime {

/// Counts a launch. `file`: the library or program from which the kernel came; empty: unknown. `time`: the
/// host's; `modelled`: seconds on the modelled GPU, with modelled time.
void count_launch(const std::string& kernel, const std::string& file, const emulate::Statistics& statistics,
                  std::chrono::nanoseconds time, std::optional<double> modelled);

/// Calls of a function of AMD's libraries that was served on the host.
struct LibraryCall {
  std::string library, function;
  uint64_t calls = 0;
  std::chrono::nanoseconds host{0};  ///< that serving took
  std::set<std::string> operations;  ///< of `wavesmith predict`, that its time is predicted as
  double modelled = 0;               ///< seconds; with modelled time
  std::string confidence;            ///< the lowest of the predictions'
  double error = 0;  ///< expected, relative: the largest of the predictions'; 0: none was judged

  /// Notes how far a prediction can be trusted.
  void weigh(std::string_view confidence, double error);
};
void count_library_call(const LibraryCall& call);

/// Wave-instructions of all launches so far.
uint64_t instructions();

/// Counts the instructions of a program from now on, until it is forgotten (before it is destroyed).
void count_program(const emulate::Program& program);
void forget_program(const emulate::Program& program);

}  // namespace wavesmith::runtime
