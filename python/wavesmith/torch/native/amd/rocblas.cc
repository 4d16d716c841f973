// rocBLAS's types and values: rocblas-types.h of ROCm 7.0.
#include "amd/rocblas.h"

#include <limits>
#include <optional>

#include <c10/util/StringUtil.h>

#include "amd/column_major.h"
#include "amd/handles.h"
#include "amd/open_library.h"

namespace wavesmith::device::amd {
namespace {

constexpr const char* kTitle = "rocBLAS";

enum Status { kStatusSuccess = 0 };
enum Operation { kNone = 111, kTranspose = 112 };
constexpr int kF32 = 151, kI32 = 162;  // rocblas_datatype
constexpr int kStandard = 0;           // rocblas_gemm_algo

struct Library {
  int (*create)(void** handle);
  int (*set_stream)(void* handle, hipStream_t stream);
  int (*version)(char* text, std::size_t size);
  const char* (*name_of)(int status);
  int (*multiply)(void* handle, int operation_a, int operation_b, int m, int n, int k, const void* alpha,
                  const void* a, int a_type, int a_leading, std::int64_t a_stride, const void* b, int b_type,
                  int b_leading, std::int64_t b_stride, const void* beta, const void* c, int c_type,
                  int c_leading, std::int64_t c_stride, void* d, int d_type, int d_leading,
                  std::int64_t d_stride, int batches, int compute_type, int algorithm, std::int32_t solution,
                  std::uint32_t flags);
};

Library load() {
  void* const opened = open_library({"librocblas.so.5", "librocblas.so.4"}, "librocblas.so");
  TORCH_CHECK(opened != nullptr, "this process has no rocBLAS: ", dlerror());
  Library library{};
  const auto get = [&](auto*& function, const char* name) { find(opened, function, name, kTitle); };
  get(library.create, "rocblas_create_handle");
  get(library.set_stream, "rocblas_set_stream");
  get(library.version, "rocblas_get_version_string");
  get(library.name_of, "rocblas_status_to_string");
  get(library.multiply, "rocblas_gemm_strided_batched_ex");
  return library;
}

const Library& rocblas() {
  static const Library loaded = load();
  return loaded;
}

Handles& handles() {
  static auto* const all = new Handles;
  return *all;
}

void* make_handle(hipStream_t stream) {
  void* handle = nullptr;
  const bool made =
      rocblas().create(&handle) == kStatusSuccess && rocblas().set_stream(handle, stream) == kStatusSuccess;
  return made ? handle : nullptr;
}

// rocblas_datatype.
std::optional<int> number_of(wavesmith_kernels_type type) {
  switch (type) {
    case WAVESMITH_KERNELS_F16:
      return 150;
    case WAVESMITH_KERNELS_F32:
      return kF32;
    case WAVESMITH_KERNELS_I8:
      return 160;
    case WAVESMITH_KERNELS_I32:
      return kI32;
    case WAVESMITH_KERNELS_BF16:
      return 168;
    default:
      return std::nullopt;
  }
}

// What rocBLAS has no way to be asked for; empty: nothing.
std::string not_asked(const wavesmith_kernels_gemm_description& gemm, const ColumnMajor& product) {
  for (const auto type : {gemm.a.type, gemm.b.type, gemm.d.type})
    if (!number_of(type)) return "its elements' type is not rocBLAS's";
  if (gemm.activation != WAVESMITH_KERNELS_NO_ACTIVATION) return "activations";
  if (gemm.bias != nullptr) return "biases";
  if (gemm.scale_a != nullptr || gemm.scale_b != nullptr || gemm.scale_d != nullptr) return "scales";
  if (gemm.block_scales_a.data != nullptr || gemm.block_scales_b.data != nullptr) return "scales of blocks";
  for (const std::int64_t size : {product.m, product.n, product.k, product.a.leading, product.b.leading,
                                  product.c.leading, product.d.leading, gemm.batches})
    if (size > std::numeric_limits<int>::max()) return "sizes beyond 32 bits";
  return {};
}

}  // namespace

std::string describe_rocblas() {
  char text[64] = "";
  rocblas().version(text, sizeof text);
  std::string version(text);  // Debian's ends with the point before the commit that it has not
  while (version.ends_with('.')) version.pop_back();
  return c10::str("rocBLAS ", version, " (", whose(reinterpret_cast<void*>(rocblas().create)), ")");
}

std::string multiply_by_rocblas(const wavesmith_kernels_gemm_description& gemm, c10::DeviceIndex device,
                                hipStream_t stream) {
  const ColumnMajor product = column_major(gemm);
  if (std::string refusal = not_asked(gemm, product); !refusal.empty()) return refusal;
  const auto handle = handles().take(device, stream, make_handle);
  if (!handle) return "rocblas_create_handle makes no handle";

  const bool integers = gemm.d.type == WAVESMITH_KERNELS_I32;
  const std::int32_t whole[2] = {static_cast<std::int32_t>(gemm.alpha), static_cast<std::int32_t>(gemm.beta)};
  const float real[2] = {gemm.alpha, gemm.beta};
  const auto* const alpha = integers ? static_cast<const void*>(&whole[0]) : &real[0];
  const auto* const beta = integers ? static_cast<const void*>(&whole[1]) : &real[1];
  const auto& [a, b, c, d] = std::tie(product.a, product.b, product.c, product.d);
  const auto leading = [](const Operand& operand) { return static_cast<int>(operand.leading); };
  const int status = rocblas().multiply(
      handle.get(), a.transposed ? kTranspose : kNone, b.transposed ? kTranspose : kNone,
      static_cast<int>(product.m), static_cast<int>(product.n), static_cast<int>(product.k), alpha, a.data,
      *number_of(a.type), leading(a), a.batch_stride, b.data, *number_of(b.type), leading(b), b.batch_stride,
      beta, c.data, *number_of(c.type), leading(c), c.batch_stride, d.data, *number_of(d.type), leading(d),
      d.batch_stride, static_cast<int>(gemm.batches), integers ? kI32 : kF32, kStandard, 0, 0);
  if (status == kStatusSuccess) return {};
  return c10::str("rocblas_gemm_strided_batched_ex returned ", rocblas().name_of(status));
}

}  // namespace wavesmith::device::amd
