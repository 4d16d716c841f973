// What decode says of a description that breaks a rule.
#pragma once

#include <string>
#include <utility>

#include "kernels/library/failure.h"

namespace wavesmith::kernels {

inline wavesmith_kernels_status decode_invalid(std::string message) {
  return fail(WAVESMITH_KERNELS_INVALID_ARGUMENT, "decode: " + std::move(message));
}
inline wavesmith_kernels_status decode_not_supported(std::string message) {
  return fail(WAVESMITH_KERNELS_NOT_SUPPORTED, "decode: " + std::move(message));
}

}  // namespace wavesmith::kernels
