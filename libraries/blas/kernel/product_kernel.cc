#include "libraries/blas/kernel/product_kernel.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/wavesmith_kernels.h"

extern "C" int hipGetDevice(int* device);
extern "C" int hipSetDevice(int device);
extern "C" int hipStreamGetDevice(void* stream, int* device);

namespace wavesmith::libraries {
namespace {

using Launcher = decltype(&wavesmith_kernels_gemm);

bool host_is_asked_for() {
  const char* const wanted = std::getenv("WAVESMITH_STAND_INS");
  return wanted && std::strcmp(wanted, "host") == 0;
}

/// The kernel library's function, opened by the first product that may need it; null: there is none. The
/// library lies beside the runtime that this one is linked to, and is of no use to another runtime.
Launcher find_launcher() {
  Dl_info runtime{};
  if (host_is_asked_for() || !dladdr(reinterpret_cast<void*>(hipLaunchHostFunc), &runtime)) return nullptr;
  char* const file = realpath(runtime.dli_fname, nullptr);
  if (!file) return nullptr;
  std::string path = file;
  std::free(file);
  path.replace(path.rfind('/') + 1, std::string::npos, "libwavesmith_kernels.so.0");
  void* const kernels = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return kernels ? reinterpret_cast<Launcher>(dlsym(kernels, "wavesmith_kernels_gemm")) : nullptr;
}
Launcher launcher() {
  static const Launcher found = find_launcher();
  return found;
}

bool is_common_float(Number type) {
  return type == Number::F16 || type == Number::BF16 || type == Number::F32;
}

wavesmith_kernels_type type_of(Number type) {
  switch (type) {
    case Number::F16:
      return WAVESMITH_KERNELS_F16;
    case Number::BF16:
      return WAVESMITH_KERNELS_BF16;
    case Number::I8:
      return WAVESMITH_KERNELS_I8;
    case Number::I32:
      return WAVESMITH_KERNELS_I32;
    case Number::Fp8:
      return WAVESMITH_KERNELS_E4M3;
    case Number::Bf8:
      return WAVESMITH_KERNELS_E5M2;
    case Number::Fp8Fnuz:
      return WAVESMITH_KERNELS_E4M3_FNUZ;
    case Number::Bf8Fnuz:
      return WAVESMITH_KERNELS_E5M2_FNUZ;
    default:
      return WAVESMITH_KERNELS_F32;
  }
}

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
  return {matrix.data, type_of(matrix.type), matrix.row, matrix.column, p.batches > 1 ? matrix.stride : 0};
}

/// Makes a device the thread's own for a while.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    if (hipGetDevice(&before_) == 0 && device != before_) changed_ = hipSetDevice(device) == 0;
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    if (changed_) hipSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace

bool launch_product_kernel(const Product& p, void* stream) {
  if (!is_covered(p)) return false;
  const float alpha = scalar_of(p, p.alpha), beta = scalar_of(p, p.beta);
  const bool multiplies = p.k > 0 && alpha != 0;
  if ((multiplies && !(is_allocated(p.a.data) && is_allocated(p.b.data))) ||
      (beta != 0 && !is_allocated(p.c.data)) || !is_allocated(p.d.data))
    return false;
  const Epilogue& e = p.epilogue;
  for (const void* const read : {e.bias, static_cast<const void*>(e.scale_a),
                                 static_cast<const void*>(e.scale_b), static_cast<const void*>(e.scale_d)})
    if (!is_none_or_allocated(read)) return false;
  const Launcher launch = launcher();
  int device = 0;
  if (!launch || hipStreamGetDevice(stream, &device) != 0) return false;
  const wavesmith_kernels_gemm_description gemm{.m = p.m,
                                                .n = p.n,
                                                .k = p.k,
                                                .batches = p.batches,
                                                .alpha = alpha,
                                                .beta = beta,
                                                .a = matrix_of(p, p.a),
                                                .b = matrix_of(p, p.b),
                                                .c = matrix_of(p, p.c),
                                                .d = matrix_of(p, p.d),
                                                .activation = activation_of(e.activation),
                                                .bias = e.bias,
                                                .bias_type = type_of(e.bias_type),
                                                .bias_per_row = 1,
                                                .scale_a = e.scale_a,
                                                .scale_b = e.scale_b,
                                                .scale_d = e.scale_d,
                                                .scale_a_per_row = e.scale_a_by_row,
                                                .scale_b_per_column = e.scale_b_by_column,
                                                .pointer_arrays = p.arrays};
  const OnDevice on(device);
  return launch(&gemm, stream) == WAVESMITH_KERNELS_SUCCESS;
}

}  // namespace wavesmith::libraries
