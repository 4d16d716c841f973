// Statuses, element types and tensors that MIOpen's functions share. Types and values: miopen.h of ROCm 7.0.
#pragma once

#include <cstdio>
#include <initializer_list>

#include "libraries/convolution/convolution.h"
#include "libraries/convolution/elements.h"
#include "libraries/convolution/kernel/layer_kernel.h"
#include "libraries/convolution/tensor.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/stream.h"

namespace wavesmith::libraries::miopen {

enum Status { kSuccess = 0, kBadParm = 3, kAllocFailed = 4, kInternalError = 5, kNotImplemented = 6 };
inline constexpr Statuses kStatuses{.done = kSuccess,
                                    .not_served = kNotImplemented,
                                    .bad_pointer = kBadParm,
                                    .no_memory = kAllocFailed,
                                    .not_launched = kInternalError};

struct TensorDescriptor {
  Tensor tensor;
  int type;  ///< miopenDataType_t
};
using Td = const TensorDescriptor*;
inline constexpr int kFloat = 1;  ///< miopenFloat

struct ConvolutionDescriptor {
  Convolution convolution;
  int mode;  ///< miopenConvolutionMode_t
};
using Cd = const ConvolutionDescriptor*;

/// Enqueues y, the convolution of x by w (MIOpen_convolution.cc).
int enqueue_forward(const char* function, void* handle, Cd how, Td x, const void* x_data, Td w,
                    const void* w_data, Td y, void* y_data);

inline Elements elements(Td descriptor, const void* data) {
  return {descriptor->tensor, const_cast<void*>(data)};
}

/// Launches or enqueues a layer if its tensors lie in their allocations; tensors without data are left out.
template <class Layer>
int enqueue_layer(const char* function, void* handle, const Layer& layer,
                  std::initializer_list<Elements> tensors) {
  const Called called(function);
  int number = 0;
  for (const Elements& each : tensors) {
    ++number;
    if (!each.data || lies_in_memory(each.tensor, each.data)) continue;
    std::fprintf(stderr, "wavesmith: tensor %d of %s reaches past the end of its allocation\n", number,
                 function);
    return kBadParm;
  }
  void* const stream = handle_of(handle)->stream;
  if (launch_layer_kernel(layer, stream)) return kSuccess;
  return status_of(enqueue(stream, layer), kStatuses);
}

/// A factor such as alpha, beside a tensor of this type: a double for doubles, else a float.
inline double factor(const void* place, Number type) {
  return type == Number::F64 ? *static_cast<const double*>(place) : *static_cast<const float*>(place);
}

/// Whether alpha is 1 and beta is 0; AMD's MIOpen supports nothing else in most functions either.
inline bool scales_nothing(const void* alpha, const void* beta, const Tensor& result) {
  return alpha && beta && factor(alpha, result.type) == 1 && factor(beta, result.type) == 0;
}

template <class Value>
int write(int status, Value* place, Value value) {
  if (status != kSuccess) return status;
  if (!place) return kBadParm;
  *place = value;
  return kSuccess;
}

}  // namespace wavesmith::libraries::miopen
