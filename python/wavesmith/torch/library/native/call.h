// One call of the kernel library by an operator: the device, the stream, and tensors as the library takes
// them. Only what PyTorch's stable ABI has is used, so one build serves PyTorch 2.10 and every later one.
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <wavesmith_kernels.h>

namespace wavesmith::operators {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;
using OptionalTensor = std::optional<Tensor>;
using OptionalType = std::optional<ScalarType>;
using OptionalInt = std::optional<int64_t>;
using Shape = std::vector<int64_t>;

// "[2, 3]", as PyTorch writes sizes and strides.
std::string text(torch::headeronly::IntHeaderOnlyArrayRef numbers);
Shape shape_of(const Tensor& tensor);
// The memory of a tensor; what is written has mutable_data_ptr().
void* data_of(const Tensor& tensor);

// The library's type of PyTorch's elements.
std::optional<wavesmith_kernels_type> kernel_type(ScalarType type);

// Rows that follow each other equally apart: all dimensions but the last.
struct Rows {
  int64_t rows, columns;
  wavesmith_kernels_rows described;
};

// A matrix, or a batch of them.
struct Matrix {
  int64_t rows, columns;
  OptionalInt batches;
  wavesmith_kernels_matrix described;
};

// What an operator returns.
enum class Result { Out, Sum, Scales, Lse, LogProbabilities, Accepted };

// The device of an operator's first tensor and its current stream. What an argument breaks is said as
// PyTorch's own operators do: a RuntimeError that names it.
class Call {
 public:
  Call(const char* name, const Tensor& first);

  void* stream() const { return stream_; }

  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    std::ostringstream message;
    message << "wavesmith::" << name_ << ": ";
    (message << ... << parts);
    throw std::runtime_error(message.str());
  }
  // Raises what the library says where it refused.
  void done(wavesmith_kernels_status status) const;

  // Checked: on the device, of a type that the library has.
  wavesmith_kernels_type type(const char* argument, const Tensor& tensor) const;
  void on_device(const char* argument, const Tensor& tensor) const;
  Rows rows(const char* argument, const Tensor& tensor) const;
  Matrix matrix(const char* argument, const Tensor& tensor) const;
  // A tensor of a shape, whose elements follow each other.
  void* vector(const char* argument, const Tensor& tensor, const Shape& shape, ScalarType type) const;
  // Of any type that the library has; null where there is none.
  const void* vector_if_given(const char* argument, const OptionalTensor& tensor, int64_t count,
                              wavesmith_kernels_type& type) const;
  void has_shape(const char* argument, const Tensor& tensor, const Shape& shape) const;
  void has_dimensions(const char* argument, const Tensor& tensor, int64_t dimensions,
                      const char* names) const;
  void ends_contiguous(const char* argument, const Tensor& tensor) const;
  void has_type(const char* argument, const Tensor& tensor, ScalarType type) const;
  // One of these words; its number.
  int word(const char* argument, const std::string& given, std::initializer_list<const char*> words) const;

  wavesmith_kernels_activation activation(const std::string& name) const;

  // A result: the tensor that the caller gave for it, checked, or a new one on the device, uninitialised.
  Tensor result(Result result, const Shape& shape, ScalarType type) const;
  // One of any type that the kernel takes, if none is asked for; `usual` is that of a new one.
  Tensor out(const Shape& shape, OptionalType asked, ScalarType usual) const;
  Tensor workspace(size_t bytes) const;

 private:
  Tensor empty(const Shape& shape, ScalarType type) const;

  const char* name_;
  Tensor first_;
  torch::stable::accelerator::DeviceGuard guard_;
  void* stream_;
};

}  // namespace wavesmith::operators
