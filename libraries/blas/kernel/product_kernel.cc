#include "libraries/blas/kernel/product_kernel.h"

#include <initializer_list>

#include "libraries/shim/kernel_library.h"

namespace wavesmith::libraries {
namespace {

wavesmith_kernels_activation activation_of(Activation activation) {
  switch (activation) {
    case Activation::None:
      return WAVESMITH_KERNELS_NO_ACTIVATION;
    case Activation::Relu:
      return WAVESMITH_KERNELS_RELU;
    case Activation::Gelu:
      return WAVESMITH_KERNELS_GELU;
    case Activation::Swish:
      return WAVESMITH_KERNELS_SILU;
  }
  return WAVESMITH_KERNELS_NO_ACTIVATION;
}

/// Whether these are types of A and B that some GPU has kernels of. 8-bit results are left to the host, which
/// keeps infinities.
bool are_covered(const Product& p) {
  const Number a = p.a.type, b = p.b.type;
  if (a == Number::I8) return b == a && p.c.type == Number::I32 && p.d.type == Number::I32;
  if (!is_common_float(p.c.type) || !is_common_float(p.d.type)) return false;
  return is_8_bit_float(a) ? is_8_bit_float(b) : is_common_float(a) && b == a;
}

/// Whether there may be a kernel for it, by what costs nothing to look at. Of real numbers a conjugate is the
/// number itself.
bool is_covered(const Product& p) {
  const Epilogue& e = p.epilogue;
  return are_covered(p) &&
         (p.compute == Number::F32 || p.compute == Number::F16 || p.compute == Number::I32) &&
         !p.scalars_on_gpu && !e.before.data && !e.scale_c && (!e.bias || is_common_float(e.bias_type));
}

/// alpha or beta. Halves are widened exactly, and so are the integers that count: kernels want 1 and 0.
float scalar_of(const Product& p, const void* scalar) {
  switch (p.compute) {
    case Number::F16:
      return static_cast<float>(*static_cast<const _Float16*>(scalar));
    case Number::I32:
      return static_cast<float>(*static_cast<const int32_t*>(scalar));
    default:
      return *static_cast<const float*>(scalar);
  }
}

/// Whether a pointer, if there is one, is to memory that a GPU may read.
bool is_none_or_allocated(const void* data) { return !data || is_allocated(data); }

wavesmith_kernels_matrix matrix_of(const Product& p, const Matrix& matrix) {
  return {matrix.data, kernel_type(matrix.type), matrix.row, matrix.column,
          p.batches > 1 ? matrix.stride : 0};
}

wavesmith_kernels_gemm_description description_of(const Product& p) {
  const Epilogue& e = p.epilogue;
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .batches = p.batches,
          .alpha = scalar_of(p, p.alpha),
          .beta = scalar_of(p, p.beta),
          .a = matrix_of(p, p.a),
          .b = matrix_of(p, p.b),
          .c = matrix_of(p, p.c),
          .d = matrix_of(p, p.d),
          .activation = activation_of(e.activation),
          .bias = e.bias,
          .bias_type = kernel_type(e.bias_type),
          .bias_per_row = 1,
          .scale_a = e.scale_a,
          .scale_b = e.scale_b,
          .scale_d = e.scale_d,
          .scale_a_per_row = e.scale_a_by_row,
          .scale_b_per_column = e.scale_b_by_column,
          .pointer_arrays = p.arrays,
          .workspace = p.workspace_bytes > 0 ? p.workspace : nullptr,
          .workspace_bytes = p.workspace ? p.workspace_bytes : 0};
}

}  // namespace

bool launch_product_kernel(const Product& p, void* stream) {
  if (!is_covered(p)) return false;
  const bool multiplies = p.k > 0 && scalar_of(p, p.alpha) != 0;
  if ((multiplies && !(is_allocated(p.a.data) && is_allocated(p.b.data))) ||
      (scalar_of(p, p.beta) != 0 && !is_allocated(p.c.data)) || !is_allocated(p.d.data))
    return false;
  const Epilogue& e = p.epilogue;
  for (const void* const read : {e.bias, static_cast<const void*>(e.scale_a),
                                 static_cast<const void*>(e.scale_b), static_cast<const void*>(e.scale_d)})
    if (!is_none_or_allocated(read)) return false;
  static const auto launch =
      reinterpret_cast<decltype(&wavesmith_kernels_gemm)>(kernel_function("wavesmith_kernels_gemm"));
  const OnDeviceOf on(stream);
  if (!launch || !on.is_known()) return false;
  wavesmith_kernels_gemm_description gemm = description_of(p);
  // What a caller gives may be aligned to nothing, or the host's.
  if (reinterpret_cast<uintptr_t>(gemm.workspace) % 16 != 0 || !is_none_or_allocated(gemm.workspace))
    gemm.workspace = nullptr, gemm.workspace_bytes = 0;
  return launch(&gemm, stream) == WAVESMITH_KERNELS_SUCCESS;
}

size_t product_workspace(const Product& p) {
  static const auto ask = reinterpret_cast<decltype(&wavesmith_kernels_gemm_workspace)>(
      kernel_function("wavesmith_kernels_gemm_workspace"));
  if (!is_covered(p) || !ask) return 0;
  wavesmith_kernels_gemm_description gemm = description_of(p);
  // No memory is looked at: each matrix lies somewhere by itself.
  uintptr_t somewhere = 0;
  for (wavesmith_kernels_matrix* const matrix : {&gemm.a, &gemm.b, &gemm.c, &gemm.d})
    matrix->data = reinterpret_cast<void*>(somewhere += uintptr_t{1} << 44);
  size_t bytes = 0;
  return ask(&gemm, nullptr, &bytes) == WAVESMITH_KERNELS_SUCCESS ? bytes : 0;
}

}  // namespace wavesmith::libraries
