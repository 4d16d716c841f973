// The options of `wavesmith isa`, and the fidelity of instructions in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_code.h"
#include "gpus/chosen.h"
#include "isa/row.h"

namespace wavesmith::cli {

struct IsaOptions {
  std::string gpu{gpus::kDefaultGpu};
  std::string match, only;
  std::vector<std::string> objects;
  bool gpu_given = false, json = false;
};

/// `wavesmith isa --object`: the instructions in files, and whether all of them can be executed.
Exit list_objects(const IsaOptions& options);

constexpr std::string_view fidelity_name(isa::Fidelity fidelity) {
  switch (fidelity) {
    case isa::Fidelity::Exact:
      return "exact";
    case isa::Fidelity::Approximate:
      return "approximate";
    case isa::Fidelity::Unsupported:
      return "unsupported";
  }
  return "unknown";
}

}  // namespace wavesmith::cli
