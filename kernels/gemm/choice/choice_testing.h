// For tests of the choice of a kernel: a product that needs no GPU.
#pragma once

#include "kernels/gemm/choice/choice.h"

namespace wavesmith::kernels {

/// A product of bf16 matrices that lie by rows, B by columns; nothing looks at their elements.
inline wavesmith_kernels_gemm_description product(int64_t m, int64_t n, int64_t k) {
  const auto at = [](int number) { return reinterpret_cast<void*>(uintptr_t{1} << (44 + number)); };
  const auto type = WAVESMITH_KERNELS_BF16;
  return {.m = m,
          .n = n,
          .k = k,
          .batches = 1,
          .alpha = 1,
          .a = {at(0), type, k, 1, m * k},
          .b = {at(1), type, 1, k, k * n},
          .d = {at(2), type, n, 1, m * n}};
}

}  // namespace wavesmith::kernels
