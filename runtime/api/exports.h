// Every function of the HIP API, by name: those that are served, and what the others return.
#pragma once

#include <span>
#include <string_view>

#include "runtime/abi/error.h"

namespace wavesmith::runtime {

using AnyFunction = void (*)();

/// One exported function.
struct Export {
  std::string_view name;
  std::string_view version;   ///< the symbol version that programs link to: "hip_4.2"
  std::string_view programs;  ///< widely used packages that call it, separated by commas; "-": none
  uint32_t id;                ///< of tracing (hip_prof_str.h, hip_api_id_t of HIP 7.1); 0: none
  AnyFunction function;       ///< what a caller gets
  AnyFunction stand_in;       ///< the default, if nothing serves the function

  [[nodiscard]] bool served() const { return function != stand_in; }
};

/// All of them, in the order of runtime/api/api.tsv.
std::span<const Export> exports();

/// The function of that name, or nullptr.
const Export* find_export(std::string_view name);

/// Prints, once per function, that `function` is not served, with the reason if there is one. Returns
/// hipErrorNotSupported.
hipError_t unsupported(const char* function, const char* reason = nullptr);

}  // namespace wavesmith::runtime
