// hipBLASLt's types and values: hipblaslt.h and hipblas-common.h of ROCm 7.0.
#include "amd/hipblaslt.h"

#include <array>
#include <optional>

#include <c10/util/StringUtil.h>

#include "amd/column_major.h"
#include "amd/handles.h"
#include "amd/open_library.h"
#include "operators/kernels.h"

namespace wavesmith::device::amd {
namespace {

constexpr const char* kTitle = "hipBLASLt";

enum Status { kStatusSuccess = 0 };
enum Compute { kComputeF32 = 2, kComputeI32 = 9 };
enum Operation { kNone = 111, kTranspose = 112 };
enum Attribute {
  kOperationA = 0,
  kOperationB = 1,
  kEpilogue = 2,
  kBias = 3,
  kBiasType = 4,
  kScaleA = 5,
  kScaleB = 6,
  kScaleD = 8
};
enum LayoutAttribute { kBatches = 0, kBatchStride = 1 };
constexpr int kMostWorkspace = 1;  // HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr std::uint32_t kDefault = 1, kRelu = 2, kAddBias = 4, kGelu = 32;

struct Algorithm {
  std::uint8_t data[16];
  std::size_t most_workspace;
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace;
  int status;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Heuristic) == 56);

// What PyTorch for ROCm offers the library at most on most GPUs.
constexpr std::size_t kWorkspace = std::size_t{32} << 20;

struct Library {
  int (*create)(void** handle);
  int (*version)(void* handle, int* version);
  int (*description_create)(void** description, int compute, int scale_type);
  int (*description_destroy)(void* description);
  int (*description_set)(void* description, int attribute, const void* value, std::size_t size);
  int (*layout_create)(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                       std::int64_t leading);
  int (*layout_destroy)(void* layout);
  int (*layout_set)(void* layout, int attribute, const void* value, std::size_t size);
  int (*preference_create)(void** preference);
  int (*preference_destroy)(void* preference);
  int (*preference_set)(void* preference, int attribute, const void* value, std::size_t size);
  int (*heuristic)(void* handle, void* description, void* a, void* b, void* c, void* d, void* preference,
                   int asked, Heuristic* results, int* count);
  int (*multiply)(void* handle, void* description, const void* alpha, const void* a, void* a_layout,
                  const void* b, void* b_layout, const void* beta, const void* c, void* c_layout, void* d,
                  void* d_layout, const Algorithm* algorithm, void* workspace, std::size_t bytes,
                  hipStream_t stream);
};

Library load() {
  void* const opened = open_library({"libhipblaslt.so.1"}, "libhipblaslt.so");
  TORCH_CHECK(opened != nullptr, "this process has no hipBLASLt: ", dlerror());
  Library library{};
  const auto get = [&](auto*& function, const char* name) { find(opened, function, name, kTitle); };
  get(library.create, "hipblasLtCreate");
  get(library.version, "hipblasLtGetVersion");
  get(library.description_create, "hipblasLtMatmulDescCreate");
  get(library.description_destroy, "hipblasLtMatmulDescDestroy");
  get(library.description_set, "hipblasLtMatmulDescSetAttribute");
  get(library.layout_create, "hipblasLtMatrixLayoutCreate");
  get(library.layout_destroy, "hipblasLtMatrixLayoutDestroy");
  get(library.layout_set, "hipblasLtMatrixLayoutSetAttribute");
  get(library.preference_create, "hipblasLtMatmulPreferenceCreate");
  get(library.preference_destroy, "hipblasLtMatmulPreferenceDestroy");
  get(library.preference_set, "hipblasLtMatmulPreferenceSetAttribute");
  get(library.heuristic, "hipblasLtMatmulAlgoGetHeuristic");
  get(library.multiply, "hipblasLtMatmul");
  return library;
}

const Library& hipblaslt() {
  static const Library loaded = load();
  return loaded;
}

Handles& handles() {
  static auto* const all = new Handles;
  return *all;
}

void* make_handle(hipStream_t) {
  void* handle = nullptr;
  return hipblaslt().create(&handle) == kStatusSuccess ? handle : nullptr;
}

// hipDataType.
std::optional<int> number_of(wavesmith_kernels_type type) {
  switch (type) {
    case WAVESMITH_KERNELS_F32:
      return 0;
    case WAVESMITH_KERNELS_F16:
      return 2;
    case WAVESMITH_KERNELS_I8:
      return 3;
    case WAVESMITH_KERNELS_I32:
      return 10;
    case WAVESMITH_KERNELS_BF16:
      return 14;
    case WAVESMITH_KERNELS_E4M3:
      return 28;
    case WAVESMITH_KERNELS_E5M2:
      return 29;
    case WAVESMITH_KERNELS_E4M3_FNUZ:
      return 1000;
    case WAVESMITH_KERNELS_E5M2_FNUZ:
      return 1001;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> number_of(wavesmith_kernels_activation activation) {
  switch (activation) {
    case WAVESMITH_KERNELS_NO_ACTIVATION:
      return 0;
    case WAVESMITH_KERNELS_RELU:
      return kRelu;
    case WAVESMITH_KERNELS_GELU:
      return kGelu;
    default:
      return std::nullopt;
  }
}

// One product's objects. The first call that fails is kept, and nothing is called after it.
class Call {
 public:
  explicit Call(const Library& library) : library_(library) {}

  const std::string& refusal() const { return refusal_; }

  void check(int status, const char* function) {
    if (status != kStatusSuccess && refusal_.empty())
      refusal_ = c10::str(function, " returned the status ", status);
  }

  Object make_description(int compute, int scale_type) {
    void* made = nullptr;
    check(library_.description_create(&made, compute, scale_type), "hipblasLtMatmulDescCreate");
    return {made, Destroy{library_.description_destroy}};
  }
  template <typename Value>
  void set(const Object& description, int attribute, const Value& value) {
    if (!refusal_.empty()) return;
    check(library_.description_set(description.get(), attribute, &value, sizeof value),
          "hipblasLtMatmulDescSetAttribute");
  }

  Object make_layout(const Operand& operand, std::int64_t batches) {
    void* made = nullptr;
    if (refusal_.empty()) {
      check(library_.layout_create(&made, *number_of(operand.type), operand.rows, operand.columns,
                                   operand.leading),
            "hipblasLtMatrixLayoutCreate");
    }
    Object layout{made, Destroy{library_.layout_destroy}};
    if (batches == 1 || !refusal_.empty()) return layout;
    const auto count = static_cast<std::int32_t>(batches);
    check(library_.layout_set(made, kBatches, &count, sizeof count), "hipblasLtMatrixLayoutSetAttribute");
    check(library_.layout_set(made, kBatchStride, &operand.batch_stride, sizeof operand.batch_stride),
          "hipblasLtMatrixLayoutSetAttribute");
    return layout;
  }

  Object make_preference() {
    void* made = nullptr;
    if (refusal_.empty()) check(library_.preference_create(&made), "hipblasLtMatmulPreferenceCreate");
    if (refusal_.empty())
      check(library_.preference_set(made, kMostWorkspace, &kWorkspace, sizeof kWorkspace),
            "hipblasLtMatmulPreferenceSetAttribute");
    return {made, Destroy{library_.preference_destroy}};
  }

 private:
  const Library& library_;
  std::string refusal_;
};

// What hipBLASLt has no way to be asked for; empty: nothing.
std::string not_asked(const wavesmith_kernels_gemm_description& gemm, const ColumnMajor& product) {
  for (const auto type : {gemm.a.type, gemm.b.type, gemm.d.type})
    if (!number_of(type)) return "its elements' type is not hipBLASLt's";
  if (!number_of(gemm.activation)) return "its activation is not hipBLASLt's";
  if (gemm.bias != nullptr && !product.bias_per_row) return "the bias is not along the result";
  if (gemm.scale_a_per_row != 0 || gemm.scale_b_per_column != 0) return "scales of rows";
  if (gemm.block_scales_a.data != nullptr || gemm.block_scales_b.data != nullptr) return "scales of blocks";
  return {};
}

}  // namespace

std::string describe_hipblaslt() {
  void* const handle = make_handle(nullptr);
  int version = 0;
  if (handle == nullptr || hipblaslt().version(handle, &version) != kStatusSuccess)
    TORCH_CHECK(false, "hipBLASLt makes no handle (", whose(reinterpret_cast<void*>(hipblaslt().create)),
                ")");
  return c10::str("hipBLASLt ", version / 100000, ".", version / 100 % 1000, ".", version % 100, " (",
                  whose(reinterpret_cast<void*>(hipblaslt().create)), ")");
}

std::string multiply_by_hipblaslt(const wavesmith_kernels_gemm_description& gemm, c10::DeviceIndex device,
                                  hipStream_t stream) {
  const ColumnMajor product = column_major(gemm);
  if (std::string refusal = not_asked(gemm, product); !refusal.empty()) return refusal;
  const Library& library = hipblaslt();
  const auto handle = handles().take(device, stream, make_handle);
  if (!handle) return "hipblasLtCreate makes no handle";

  const bool integers = gemm.d.type == WAVESMITH_KERNELS_I32;
  Call call(library);
  const Object description =
      call.make_description(integers ? kComputeI32 : kComputeF32,
                            *number_of(integers ? WAVESMITH_KERNELS_I32 : WAVESMITH_KERNELS_F32));
  call.set(description, kOperationA, std::int32_t{product.a.transposed ? kTranspose : kNone});
  call.set(description, kOperationB, std::int32_t{product.b.transposed ? kTranspose : kNone});
  std::uint32_t epilogue = *number_of(gemm.activation) | (gemm.bias != nullptr ? kAddBias : 0);
  if (epilogue == 0) epilogue = kDefault;
  call.set(description, kEpilogue, epilogue);
  if (gemm.bias != nullptr) {
    call.set(description, kBias, gemm.bias);
    call.set(description, kBiasType, std::int32_t{*number_of(gemm.bias_type)});
  }
  if (gemm.scale_a != nullptr) call.set(description, product.turned ? kScaleB : kScaleA, gemm.scale_a);
  if (gemm.scale_b != nullptr) call.set(description, product.turned ? kScaleA : kScaleB, gemm.scale_b);
  if (gemm.scale_d != nullptr) call.set(description, kScaleD, gemm.scale_d);
  const Object a = call.make_layout(product.a, gemm.batches), b = call.make_layout(product.b, gemm.batches),
               c = call.make_layout(product.c, gemm.batches), d = call.make_layout(product.d, gemm.batches);
  const Object preference = call.make_preference();
  if (!call.refusal().empty()) return call.refusal();

  Heuristic found{};
  int count = 0;
  call.check(library.heuristic(handle.get(), description.get(), a.get(), b.get(), c.get(), d.get(),
                               preference.get(), 1, &found, &count),
             "hipblasLtMatmulAlgoGetHeuristic");
  if (!call.refusal().empty()) return call.refusal();
  if (count == 0) return "its heuristic has no kernel for these types, sizes and strides on this GPU";

  const auto memory = workspace(found.workspace);
  const std::int32_t whole[2] = {static_cast<std::int32_t>(gemm.alpha), static_cast<std::int32_t>(gemm.beta)};
  const float real[2] = {gemm.alpha, gemm.beta};
  const auto* const alpha = integers ? static_cast<const void*>(&whole[0]) : &real[0];
  const auto* const beta = integers ? static_cast<const void*>(&whole[1]) : &real[1];
  call.check(library.multiply(handle.get(), description.get(), alpha, product.a.data, a.get(), product.b.data,
                              b.get(), beta, product.c.data, c.get(), product.d.data, d.get(),
                              &found.algorithm, memory.get(), found.workspace, stream),
             "hipblasLtMatmul");
  return call.refusal();
}

}  // namespace wavesmith::device::amd
