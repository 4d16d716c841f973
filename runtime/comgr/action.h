// comgr's actions: compile programs from one form into the next, by the clang that is installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/comgr/api.h"

namespace wavesmith::comgr {

struct Data {
  amd_comgr_data_kind_t kind = AMD_COMGR_DATA_KIND_UNDEF;
  std::string name;
  std::vector<uint8_t> bytes;
  std::vector<std::string> mangled_names = {};  ///< once they were asked for
};

struct ActionInfo {
  std::string isa;  ///< amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
  amd_comgr_language_t language = AMD_COMGR_LANGUAGE_NONE;
  std::vector<std::string> options;
  std::vector<std::string> bundle_entries;
  std::string working_directory;
  bool logging = false, device_libraries = false;
};

/// The target of an isa name, "gfx942:sramecc+:xnack-"; empty if it is not one.
std::string target_of(const std::string& isa);
bool is_isa_name(const std::string& isa);

/// Prints on stderr what is not served. Returns AMD_COMGR_STATUS_ERROR.
amd_comgr_status_t not_served(const char* what);

/// Runs an action on `inputs`. The compiler's output goes to `log`, also when it fails.
Result<std::vector<Data>> act(amd_comgr_action_kind_t kind, const ActionInfo& info,
                              const std::vector<const Data*>& inputs, std::string& log);

}  // namespace wavesmith::comgr
