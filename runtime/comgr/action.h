// What comgr does: programs from one form into the next, by the clang that is there.
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
};

struct ActionInfo {
  std::string isa;  ///< amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
  amd_comgr_language_t language = AMD_COMGR_LANGUAGE_NONE;
  std::vector<std::string> options;
  bool logging = false;
};

/// The results of an action on `inputs`. What the compiler says goes to `log`, also when it fails.
Result<std::vector<Data>> act(amd_comgr_action_kind_t kind, const ActionInfo& info,
                              const std::vector<const Data*>& inputs, std::string& log);

}  // namespace wavesmith::comgr
