// The rules of products that gate, and what they have of B for each column of D.
#pragma once

#include <cstdint>

#include "kernels/wavesmith_gemm.h"

namespace wavesmith::kernels {

/// The columns of B, of which D has half as many where the product gates.
constexpr int64_t columns_of_b(const wavesmith_kernels_gemm_description& gemm) {
  return gemm.gated ? 2 * gemm.n : gemm.n;
}

/// Checks a product that gates.
wavesmith_kernels_status check_gate(const wavesmith_kernels_gemm_description& gemm);

}  // namespace wavesmith::kernels
