// `wavesmith sweep`: one kernel under many settings of the compiler, each timed by the cycle model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/sweep/knob_launch.h"
#include "study/sweep/knob_trial.h"

namespace wavesmith::study {

struct SweepRequest {
  std::string path, kernel;
  const gpus::Gpu* gpu = nullptr;
  std::string devices;             ///< the GPU as the user named it, with changes
  std::vector<std::string> flags;  ///< for every compilation
  std::vector<Knob> tried;         ///< what is asked for beside knobs()
  bool all_knobs = true;
  bool combine = true;  ///< what helps alone is tried together
  int jobs = 1;
  KernelLaunch launch;
  bool must_run = false;  ///< the user said how to launch: that it cannot be done is an error
};

struct Sweep {
  const gpus::Gpu* gpu = nullptr;
  std::string kernel;            ///< its readable name
  std::vector<Trial> trials;     ///< the first one is the baseline
  std::vector<uint32_t> ranked;  ///< those with code of their own, the fastest first, the baseline among them
  std::vector<uint32_t> idle;    ///< those that did nothing: the baseline's code
  std::vector<uint32_t> failed;
  std::vector<uint32_t> changed;  ///< the program's results are not the baseline's
  bool simulated = false;         ///< ranked by the cycle model's time, otherwise by static cycles
  std::string ranking;            ///< for people: by what, of what, and why not by more
  std::string checked;            ///< for people: what was compared of the program's results
  size_t simulations = 0, combinations = 0;
  double seconds = 0;
};

/// Compiles and analyses each setting and, if it is known how the kernels are launched, runs those with
/// different code under the cycle model. `progress` is called after each compilation or run, by one thread at
/// a time: "12 of 60 compiled, the best so far -3.1 % with unroll-8". Errors: of the file; Unsupported for
/// compiled code; NotFound for the kernel; of the launch if one is required.
Result<Sweep> sweep(const SweepRequest& request, const std::function<void(const std::string&)>& progress);

}  // namespace wavesmith::study
