// --gpu a,b,c and --set key=value: GPUs by name, with changed fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpus/chosen.h"
#include "gpus/gpu.h"

namespace wavesmith::study {

struct GpuOption {
  std::string gpus{gpus::kDefaultGpu};
  std::vector<std::string> set;
};

/// The GPUs named, each with the changes. Measured values change in proportion to the field that they
/// describe: half the memory's peak means half its sustained bandwidth. Errors: no such GPU or field, a value
/// that does not fit.
Result<std::vector<const gpus::Gpu*>> find_gpus(const GpuOption& option);

/// A GPU by name with the changes of --set, as the runtime is told of it:
/// "mi300x+memory.gigabytes_per_second=8000+...". Measured values change as above. Errors: the same.
Result<std::string> with_changes(std::string_view gpu, const std::vector<std::string>& set);

/// "mi300x,mi355x+compute.units=8" in parts; commas within brackets do not count.
std::vector<std::string> split_list(std::string_view text);

/// A field's value without its unit: "8MiB" is "8388608", "2.1GHz" of a field in MHz "2100", "8TB/s" of one
/// in GB/s "8000"; numbers, words and lists stay as they are. Error: a unit that the field cannot have.
Result<std::string> without_unit(std::string_view value, const gpus::Field& field);

/// Finds a field by a name that people use: its path, "l2_bytes" alone where that is unique, or a shorter
/// name ("l2.size", "memory.size", "memory.bandwidth", "clock", "cus"). Error: none.
Result<const gpus::Field*> field_named(std::string_view name);

}  // namespace wavesmith::study
