// `wavesmith sweep`: one kernel under many settings of the compiler.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/analysed.h"
#include "cli/compare.h"
#include "cli/knobs.h"
#include "report/page.h"

namespace wavesmith::cli {

struct SweepRequest {
  std::string path, kernel;
  const gpus::Gpu* gpu = nullptr;
  std::vector<std::string> flags;  ///< for every compilation
  std::vector<Knob> tried;         ///< what is asked for beside knobs()
  bool all_knobs = true;
  int jobs = 1;
};

/// What one setting made of one kernel.
struct Trial {
  Knob knob;
  std::string failure;  ///< of the compiler; empty: it compiled
  double seconds = 0;   ///< to compile
  std::optional<analysis::Kernel> kernel;
  uint32_t same_as = 0;  ///< index of the first trial with the same code; itself where it is the first
  double time = 0;       ///< the hot loop's for the baseline's work, the baseline is 1; 0: not known
  std::string verdict;
};

struct Sweep {
  const gpus::Gpu* gpu = nullptr;
  std::string kernel;            ///< its readable name
  std::vector<Trial> trials;     ///< the first one is the baseline
  std::vector<uint32_t> ranked;  ///< those with code of their own, the fastest first, the baseline among them
  std::vector<uint32_t> idle;    ///< those that did nothing: the baseline's code
  std::vector<uint32_t> failed;
  double seconds = 0;
};

/// Compiles and analyses. `progress(done, all, name)` is called after each compilation, by one thread at a
/// time. Errors: of the file; Unsupported for what is compiled already; NotFound for the kernel.
Result<Sweep> sweep(const SweepRequest& request,
                    const std::function<void(size_t, size_t, const std::string&)>& progress);

void print_sweep(const Sweep& sweep, bool verbose);
nlohmann::ordered_json json_of(const Sweep& sweep);
report::Page page_of(const Sweep& sweep, const std::string& path);

}  // namespace wavesmith::cli
