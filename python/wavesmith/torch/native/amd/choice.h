// Who computes products and convolutions: Wavesmith's kernels, or a library of AMD's that the user prefers.
#pragma once

#include <string>

namespace wavesmith::device::amd {

enum class Blas { kWavesmith, kHipblaslt, kRocblas };

Blas preferred_blas() noexcept;
bool prefers_miopen() noexcept;

// Counts a call of an operator that a library computed, or, where it gave a reason, did not: Wavesmith's
// kernels then do, which is said once for each operator and reason. Returns whether the library did.
bool computed(const char* library, const char* what, const std::string& refusal);

}  // namespace wavesmith::device::amd
