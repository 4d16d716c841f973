// Runs the kernels that a sweep compiles: inside the program that launches them, whose code objects the
// runtime replaces (runtime/launch/replacement.h), or one by one with arguments from the command line.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/scratch.h"
#include "study/run_options.h"

namespace wavesmith::study {

/// What launches the kernels.
struct KernelLaunch {
  enum class Method : unsigned char {
    Nothing,
    Program,  ///< `words`: its command line
    Source,   ///< the file itself, which has a main; `words`: its arguments
    Kernel    ///< as `wavesmith run kernel.co` does; `kernel` says how
  };
  Method method = Method::Nothing;
  std::vector<std::string> words;
  RunOptions kernel;
  bool sampled = false;  ///< run the sampled workgroups only: results are incomplete and not compared
};

/// The result of a run under the cycle model.
struct Simulation {
  struct KernelTiming {
    double seconds = 0;  ///< modelled, of all its launches
    double launches = 0;
    std::string refused;  ///< why there is no time
  };
  std::map<std::string, KernelTiming> kernels;  ///< by their names in the code object
  int code = 0;                                 ///< the program's exit code
  std::string output;                           ///< what it wrote to standard output
  std::vector<uint64_t> buffers;  ///< a hash of each buffer's contents, where a kernel is launched alone
  std::string complaint;          ///< the last line on standard error
  uint64_t replaced = 0;          ///< code objects of the program
  double host_seconds = 0;
};

/// Whether C++ source defines main and so is a complete program.
bool has_main(std::string_view source);

class KnobLauncher {
 public:
  KnobLauncher(const KernelLaunch& launch, std::string devices, const wavesmith::Scratch& scratch)
      : launch_(launch), devices_(std::move(devices)), scratch_(scratch) {}

  /// Compiles the source as a program, as `number` of its kind. Error: the compiler's.
  Result<void> build(const std::string& source, const std::vector<std::string>& flags, size_t number);
  /// Runs the kernels of a code object, in the program that build() made as `program`. `number` is of the
  /// run's own, and `timeout` seconds stop a kernel. Error: nothing was run.
  Result<Simulation> simulate(const std::filesystem::path& code, size_t program, size_t number, int threads,
                              double timeout) const;

 private:
  const KernelLaunch& launch_;
  std::string devices_;
  const wavesmith::Scratch& scratch_;
};

/// Compares a program's standard output between runs, except lines with times and rates and lines that differ
/// between two runs of the same code.
class OutputCheck {
 public:
  OutputCheck(const Simulation& once, const Simulation& again);
  /// How another run's results differ; empty: they do not.
  [[nodiscard]] std::string difference(const Simulation& other) const;
  [[nodiscard]] size_t lines() const;  ///< that are compared

 private:
  Simulation first_;
  std::vector<std::string> lines_;
  std::vector<bool> compared_;
};

}  // namespace wavesmith::study
