// MIOpen: descriptors of tensors and convolutions, and convolutions. Types and values: miopen.h of ROCm 7.0.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "libraries/convolution/MIOpen_types.h"
#include "libraries/convolution/convolution.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::miopen;

namespace {

Number number_of_type(int type) {  // miopenDataType_t
  static constexpr Number kTypes[] = {Number::F16,  Number::F32,  Number::I32, Number::I8,
                                      Number::None, Number::BF16, Number::F64};
  return type >= 0 && type < static_cast<int>(sizeof kTypes) ? kTypes[type] : Number::None;
}

/// miopenConvolutionMode_t: 0, and 2 and 3, which say that there are groups; 1 is a transposed convolution.
constexpr int kTransposed = 1, kModes = 4;

template <class Int>
int describe(TensorDescriptor* descriptor, int type, int rank, const Int* sizes, const Int* strides) {
  if (!descriptor || !sizes || rank < 1 || rank > Tensor::kMost) return kBadParm;
  Tensor tensor{number_of_type(type), rank, {}, {}};
  int64_t packed = 1;
  for (int i = rank - 1; i >= 0; --i) {
    tensor.sizes[i] = static_cast<int64_t>(sizes[i]);
    tensor.strides[i] = strides ? static_cast<int64_t>(strides[i]) : packed;
    if (tensor.sizes[i] < 0 || tensor.strides[i] < 0) return kBadParm;
    packed *= tensor.sizes[i];
  }
  *descriptor = {tensor, type};
  return kSuccess;
}

/// What convolutions of a direction are described by; they have no data yet.
struct Described {
  const ConvolutionDescriptor* convolution;
  const TensorDescriptor *x, *w, *y;
  Direction direction;
};

/// The convolution, if there is one of these sizes.
int find(const char* function, const Described& by, void* handle, Convolve& found) {
  if (!handle || !by.convolution || !by.x || !by.w || !by.y) return kBadParm;
  found = {
      by.direction, by.convolution->convolution, by.x->tensor, by.w->tensor, by.y->tensor, nullptr, nullptr,
      nullptr};
  static std::atomic_flag said;
  if (by.convolution->mode == kTransposed)
    return unsupported(function, "miopenStatusNotImplemented for transposed convolutions", kNotImplemented,
                       said);
  if (!found.sizes_fit()) return kBadParm;
  if (!found.is_served())
    return unsupported(function, "miopenStatusNotImplemented for these types", kNotImplemented, said);
  return kSuccess;
}

int run(const char* function, const Described& by, void* handle, const void* x, const void* w,
        const void* y) {
  const Called called(function);
  Convolve what{};
  if (const int status = find(function, by, handle, what); status != kSuccess) return status;
  if (!x || !w || !y) return kBadParm;
  what.x_data = const_cast<void*>(x);
  what.w_data = const_cast<void*>(w);
  what.y_data = const_cast<void*>(y);
  return status_of(convolve(what, handle_of(handle)->stream), kStatuses);
}

// There is one way to compute a convolution, and it needs no memory of the caller's: kernels have theirs from
// the stream's pool.
constexpr uint64_t kSolution = 1;
constexpr float kMilliseconds = 0.001f;

struct Solution {
  float milliseconds;
  size_t workspace;
  uint64_t id;
  int algorithm;
};
static_assert(sizeof(Solution) == 32);

struct Performance {
  int algorithm;
  float milliseconds;
  size_t workspace;
};
static_assert(sizeof(Performance) == 16);

int list(int status, size_t capacity, size_t* count, Solution* solutions) {
  if (status != kSuccess) return status;
  if (!count || (capacity > 0 && !solutions)) return kBadParm;
  *count = capacity > 0 ? 1 : 0;
  if (capacity > 0) solutions[0] = {kMilliseconds, 0, kSolution, 0};
  return kSuccess;
}

int list(int status, int capacity, int* count, Performance* results) {
  if (status != kSuccess) return status;
  if (!count || capacity < 1 || !results) return kBadParm;
  *count = 1;
  results[0] = {0, kMilliseconds, 0};
  return kSuccess;
}

}  // namespace

int wavesmith::libraries::miopen::enqueue_forward(const char* function, void* handle, Cd how, Td x,
                                                  const void* x_data, Td w, const void* w_data, Td y,
                                                  void* y_data) {
  return run(function, {how, x, w, y, Direction::Output}, handle, x_data, w_data, y_data);
}

WAVESMITH_SERVED int miopenCreateTensorDescriptor(void** place) {
  if (!place) return kBadParm;
  return create<TensorDescriptor>(place) ? kSuccess : kAllocFailed;
}
WAVESMITH_SERVED int miopenDestroyTensorDescriptor(void* descriptor) { return destroy(descriptor, kBadParm); }

WAVESMITH_SERVED int miopenSetTensorDescriptor(TensorDescriptor* descriptor, int type, int rank,
                                               const int* sizes, const int* strides) {
  return describe(descriptor, type, rank, sizes, strides);
}
WAVESMITH_SERVED int miopenSetTensorDescriptorV2(TensorDescriptor* descriptor, int type, int rank,
                                                 const size_t* sizes, const size_t* strides) {
  return describe(descriptor, type, rank, sizes, strides);
}
WAVESMITH_SERVED int miopenGetTensorDescriptorSize(const TensorDescriptor* descriptor, int* size) {
  return write(descriptor ? kSuccess : kBadParm, size, descriptor ? descriptor->tensor.rank : 0);
}
WAVESMITH_SERVED int miopenGetTensorDescriptor(const TensorDescriptor* descriptor, int* type, int* sizes,
                                               int* strides) {
  if (!descriptor) return kBadParm;
  if (type) *type = descriptor->type;
  for (int i = 0; i < descriptor->tensor.rank; ++i) {
    if (sizes) sizes[i] = static_cast<int>(descriptor->tensor.sizes[i]);
    if (strides) strides[i] = static_cast<int>(descriptor->tensor.strides[i]);
  }
  return kSuccess;
}

WAVESMITH_SERVED int miopenCreateConvolutionDescriptor(void** place) {
  if (!place) return kBadParm;
  return create<ConvolutionDescriptor>(place) ? kSuccess : kAllocFailed;
}
WAVESMITH_SERVED int miopenDestroyConvolutionDescriptor(void* descriptor) {
  return destroy(descriptor, kBadParm);
}
WAVESMITH_SERVED int miopenInitConvolutionNdDescriptor(ConvolutionDescriptor* descriptor, int dimensions,
                                                       const int* padding, const int* steps,
                                                       const int* dilations, int mode) {
  if (!descriptor || !padding || !steps || !dilations || mode < 0 || mode >= kModes || dimensions < 1)
    return kBadParm;
  if (dimensions > Convolution::kMost)
    return WAVESMITH_UNSUPPORTED("miopenInitConvolutionNdDescriptor",
                                 "miopenStatusNotImplemented for more than three dimensions",
                                 kNotImplemented);
  *descriptor = {Convolution{dimensions, {}, {}, {}, 1}, mode};
  for (int i = 0; i < dimensions; ++i) {
    descriptor->convolution.padding[i] = padding[i];
    descriptor->convolution.step[i] = steps[i];
    descriptor->convolution.dilation[i] = dilations[i];
  }
  return kSuccess;
}
WAVESMITH_SERVED int miopenSetConvolutionGroupCount(ConvolutionDescriptor* descriptor, int groups) {
  if (!descriptor || groups < 1) return kBadParm;
  descriptor->convolution.groups = groups;
  return kSuccess;
}
/// How it is computed, not what.
WAVESMITH_SERVED int miopenSetConvolutionAttribute(ConvolutionDescriptor* descriptor, int, int) {
  return descriptor ? kSuccess : kBadParm;
}
WAVESMITH_SERVED int miopenGetConvolutionSpatialDim(const ConvolutionDescriptor* descriptor,
                                                    int* dimensions) {
  return write(descriptor ? kSuccess : kBadParm, dimensions,
               descriptor ? descriptor->convolution.dimensions : 0);
}
WAVESMITH_SERVED int miopenGetConvolutionNdDescriptor(const ConvolutionDescriptor* descriptor, int capacity,
                                                      int* dimensions, int* padding, int* steps,
                                                      int* dilations, int* mode) {
  if (!descriptor || !dimensions || !padding || !steps || !dilations || !mode ||
      capacity < descriptor->convolution.dimensions)
    return kBadParm;
  const Convolution& convolution = descriptor->convolution;
  *dimensions = convolution.dimensions;
  *mode = descriptor->mode;
  for (int i = 0; i < convolution.dimensions; ++i) {
    padding[i] = static_cast<int>(convolution.padding[i]);
    steps[i] = static_cast<int>(convolution.step[i]);
    dilations[i] = static_cast<int>(convolution.dilation[i]);
  }
  return kSuccess;
}

// The functions of one direction. `first`, `second` and `result` are its tensors in the order of the
// immediate mode's arguments; `x`, `w` and `y` which of these each is.
#define DIRECTION(name, direction, first, second, result)                                                   \
  static int find##name(const char* function, void* handle, Td first, Td second, Cd how, Td result) {       \
    Convolve found{};                                                                                       \
    return find(function, {how, x, w, y, direction}, handle, found);                                        \
  }                                                                                                         \
  WAVESMITH_SERVED int miopenConvolution##name##GetWorkSpaceSize(void* handle, Td first, Td second, Cd how, \
                                                                 Td result, size_t* size) {                 \
    return write(find##name(__func__, handle, first, second, how, result), size, size_t{0});                \
  }                                                                                                         \
  WAVESMITH_SERVED int miopenConvolution##name##GetSolutionCount(void* handle, Td first, Td second, Cd how, \
                                                                 Td result, size_t* count) {                \
    return write(find##name(__func__, handle, first, second, how, result), count, size_t{1});               \
  }                                                                                                         \
  WAVESMITH_SERVED int miopenConvolution##name##GetSolution(void* handle, Td first, Td second, Cd how,      \
                                                            Td result, size_t capacity, size_t* count,      \
                                                            Solution* solutions) {                          \
    return list(find##name(__func__, handle, first, second, how, result), capacity, count, solutions);      \
  }                                                                                                         \
  WAVESMITH_SERVED int miopenConvolution##name##CompileSolution(void* handle, Td first, Td second, Cd how,  \
                                                                Td result, uint64_t id) {                   \
    return id == kSolution ? find##name(__func__, handle, first, second, how, result) : kBadParm;           \
  }                                                                                                         \
  WAVESMITH_SERVED int miopenConvolution##name##Immediate(                                                  \
      void* handle, Td first, const void* first##_data, Td second, const void* second##_data, Cd how,       \
      Td result, void* result##_data, void*, size_t, uint64_t id) {                                         \
    return id == kSolution ? run(__func__, {how, x, w, y, direction}, handle, x##_data, w##_data, y##_data) \
                           : kBadParm;                                                                      \
  }

DIRECTION(Forward, Direction::Output, w, x, y)
DIRECTION(BackwardData, Direction::Input, y, w, x)
DIRECTION(BackwardWeights, Direction::Weights, y, x, w)
#undef DIRECTION

// Of the others with data, the forward ones have the input first.
WAVESMITH_SERVED int miopenFindConvolutionForwardAlgorithm(void* handle, Td x, const void*, Td w, const void*,
                                                           Cd how, Td y, void*, int capacity, int* count,
                                                           Performance* results, void*, size_t, bool) {
  return list(findForward(__func__, handle, w, x, how, y), capacity, count, results);
}
WAVESMITH_SERVED int miopenFindConvolutionBackwardDataAlgorithm(void* handle, Td y, const void*, Td w,
                                                                const void*, Cd how, Td x, void*,
                                                                int capacity, int* count,
                                                                Performance* results, void*, size_t, bool) {
  return list(findBackwardData(__func__, handle, y, w, how, x), capacity, count, results);
}
WAVESMITH_SERVED int miopenFindConvolutionBackwardWeightsAlgorithm(void* handle, Td y, const void*, Td x,
                                                                   const void*, Cd how, Td w, void*,
                                                                   int capacity, int* count,
                                                                   Performance* results, void*, size_t,
                                                                   bool) {
  return list(findBackwardWeights(__func__, handle, y, x, how, w), capacity, count, results);
}

WAVESMITH_SERVED int miopenConvolutionForward(void* handle, const void* alpha, Td x, const void* x_data, Td w,
                                              const void* w_data, Cd how, int, const void* beta, Td y,
                                              void* y_data, void*, size_t) {
  if (!y || !scales_nothing(alpha, beta, y->tensor)) return kBadParm;
  return enqueue_forward(__func__, handle, how, x, x_data, w, w_data, y, y_data);
}
WAVESMITH_SERVED int miopenConvolutionBackwardData(void* handle, const void* alpha, Td y, const void* y_data,
                                                   Td w, const void* w_data, Cd how, int, const void* beta,
                                                   Td x, void* x_data, void*, size_t) {
  if (!x || !scales_nothing(alpha, beta, x->tensor)) return kBadParm;
  return run(__func__, {how, x, w, y, Direction::Input}, handle, x_data, w_data, y_data);
}
WAVESMITH_SERVED int miopenConvolutionBackwardWeights(void* handle, const void* alpha, Td y,
                                                      const void* y_data, Td x, const void* x_data, Cd how,
                                                      int, const void* beta, Td w, void* w_data, void*,
                                                      size_t) {
  if (!w || !scales_nothing(alpha, beta, w->tensor)) return kBadParm;
  return run(__func__, {how, x, w, y, Direction::Weights}, handle, x_data, w_data, y_data);
}
