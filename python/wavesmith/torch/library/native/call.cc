#include "call.h"

#include <algorithm>
#include <array>
#include <utility>

#include <dlfcn.h>
#include <torch/csrc/stable/ops.h>

#include "results.h"

// Of PyTorch 2.13 and later: null before.
extern "C" __attribute__((weak)) AOTITorchError torch_stream_native_handle(StreamHandle stream,
                                                                           void** handle);

namespace wavesmith::operators {
namespace {

constexpr std::array kTypes{
    std::pair{ScalarType::Float, WAVESMITH_KERNELS_F32},
    std::pair{ScalarType::Half, WAVESMITH_KERNELS_F16},
    std::pair{ScalarType::BFloat16, WAVESMITH_KERNELS_BF16},
    std::pair{ScalarType::Int, WAVESMITH_KERNELS_I32},
    std::pair{ScalarType::Char, WAVESMITH_KERNELS_I8},
    std::pair{ScalarType::Byte, WAVESMITH_KERNELS_E2M1X2},
    std::pair{ScalarType::Float8_e4m3fn, WAVESMITH_KERNELS_E4M3},
    std::pair{ScalarType::Float8_e5m2, WAVESMITH_KERNELS_E5M2},
    std::pair{ScalarType::Float8_e4m3fnuz, WAVESMITH_KERNELS_E4M3_FNUZ},
    std::pair{ScalarType::Float8_e5m2fnuz, WAVESMITH_KERNELS_E5M2_FNUZ},
};

std::string device_of(const Tensor& tensor) {
  const auto device = tensor.device();
  const char* type = device.type() == torch::headeronly::DeviceType::CPU    ? "cpu"
                     : device.type() == torch::headeronly::DeviceType::CUDA ? "cuda"
                                                                            : "wavesmith";
  return device.is_cpu() ? type : std::string(type) + ":" + std::to_string(device.index());
}

// The current stream as PyTorch's library for CUDA or ROCm knows it, where it is older than 2.13.
void* stream_of_cuda(int32_t device) {
  using Get = AOTITorchError(int32_t, void**);
  static auto* const get = [] {
    void* symbol = nullptr;
    for (const char* library : {"libtorch_hip.so", "libtorch_cuda.so"}) {
      if (void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
          loaded != nullptr && symbol == nullptr)
        symbol = dlsym(loaded, "aoti_torch_get_current_cuda_stream");
    }
    return reinterpret_cast<Get*>(symbol);
  }();
  void* stream = nullptr;
  if (get == nullptr || get(device, &stream) != 0)
    throw std::runtime_error("wavesmith: this PyTorch does not tell its current stream; 2.13 and later do");
  return stream;
}

void* current_stream(int32_t device) {
  if (torch_stream_native_handle == nullptr) return stream_of_cuda(device);
  StreamHandle stream = nullptr;
  void* handle = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_stream(device, &stream));
  const torch::stable::accelerator::Stream owner(stream);
  TORCH_ERROR_CODE_CHECK(torch_stream_native_handle(stream, &handle));
  return handle;
}

bool same(const Tensor& tensor, const Shape& shape) {
  const auto sizes = tensor.sizes();
  return std::equal(sizes.begin(), sizes.end(), shape.begin(), shape.end());
}

}  // namespace

void* data_of(const Tensor& tensor) { return const_cast<void*>(tensor.const_data_ptr()); }

std::string text(torch::headeronly::IntHeaderOnlyArrayRef numbers) {
  std::ostringstream all;
  const char* between = "[";
  for (const int64_t number : numbers) {
    all << between << number;
    between = ", ";
  }
  if (numbers.empty()) all << "[";
  all << "]";
  return all.str();
}

Shape shape_of(const Tensor& tensor) {
  const auto sizes = tensor.sizes();
  return {sizes.begin(), sizes.end()};
}

std::optional<wavesmith_kernels_type> kernel_type(ScalarType type) {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](auto& pair) { return pair.first == type; });
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

Call::Call(const char* name, const Tensor& first)
    : name_(name),
      first_(first),
      guard_(first.get_device_index()),
      stream_(current_stream(first.get_device_index())) {}

void Call::done(wavesmith_kernels_status status) const {
  if (status != WAVESMITH_KERNELS_SUCCESS) refuse(wavesmith_kernels_message());
}

void Call::on_device(const char* argument, const Tensor& tensor) const {
  const auto device = tensor.device();
  const auto ours = first_.device();
  if (device.type() == ours.type() && device.index() == ours.index()) return;
  refuse("Expected all tensors to be on the same device, but found at least two devices, ", device_of(first_),
         " and ", device_of(tensor), "! (when checking argument ", argument, ")");
}

wavesmith_kernels_type Call::type(const char* argument, const Tensor& tensor) const {
  on_device(argument, tensor);
  const auto type = kernel_type(tensor.scalar_type());
  if (!type)
    refuse("expected ", argument, " of a type that the kernels have, but got ",
           toString(tensor.scalar_type()));
  return *type;
}

void Call::has_type(const char* argument, const Tensor& tensor, ScalarType type) const {
  on_device(argument, tensor);
  if (tensor.scalar_type() != type)
    refuse("expected ", argument, " to have dtype ", toString(type), ", but got ",
           toString(tensor.scalar_type()));
}

const void* Call::vector_if_given(const char* argument, const OptionalTensor& tensor, int64_t count,
                                  wavesmith_kernels_type& type) const {
  if (!tensor) return nullptr;
  type = this->type(argument, *tensor);
  return vector(argument, *tensor, {count}, tensor->scalar_type());
}

void Call::has_shape(const char* argument, const Tensor& tensor, const Shape& shape) const {
  if (!same(tensor, shape))
    refuse("expected ", argument, " to have shape ", text(shape), ", but got ", text(tensor.sizes()));
}

void Call::has_dimensions(const char* argument, const Tensor& tensor, int64_t dimensions,
                          const char* names) const {
  if (tensor.dim() != dimensions)
    refuse("expected ", argument, " to have shape ", names, ", but got ", text(tensor.sizes()));
}

void Call::ends_contiguous(const char* argument, const Tensor& tensor) const {
  const int64_t last = tensor.dim() - 1;
  if (tensor.size(last) > 1 && tensor.stride(last) != 1 && tensor.numel() > 0)
    refuse("expected ", argument, " to be contiguous in its last dimension, but got strides ",
           text(tensor.strides()), " (", argument, ".contiguous() is)");
}

Rows Call::rows(const char* argument, const Tensor& tensor) const {
  const auto element = type(argument, tensor);
  if (tensor.dim() == 0) refuse("expected ", argument, " to have a last dimension, but it has none");
  ends_contiguous(argument, tensor);
  const int64_t columns = tensor.size(tensor.dim() - 1);
  int64_t rows = 1;
  int64_t stride = 0;
  int64_t apart = 0;  // where the next dimension's rows begin
  for (int64_t dimension = tensor.dim() - 2; dimension >= 0; --dimension) {
    const int64_t size = tensor.size(dimension);
    if (size != 1 && tensor.numel() > 0) {
      if (rows > 1 && tensor.stride(dimension) != apart)
        refuse("expected the rows of ", argument, " to be equally apart, but got strides ",
               text(tensor.strides()), " (", argument, ".contiguous() is)");
      if (rows == 1) stride = tensor.stride(dimension);
      apart = tensor.stride(dimension) * size;
    }
    rows *= size;
  }
  if (rows <= 1 || tensor.numel() == 0) stride = std::max<int64_t>(columns, 1);
  return {rows, columns, {data_of(tensor), element, stride}};
}

Matrix Call::matrix(const char* argument, const Tensor& tensor) const {
  const auto element = type(argument, tensor);
  const int64_t dimensions = tensor.dim();
  if (dimensions != 2 && dimensions != 3)
    refuse("expected ", argument, " to be a matrix or a batch of matrices, but got shape ",
           text(tensor.sizes()));
  const int64_t rows = tensor.size(dimensions - 2);
  const int64_t columns = tensor.size(dimensions - 1);
  int64_t row_stride = tensor.stride(dimensions - 2);
  int64_t column_stride = tensor.stride(dimensions - 1);
  // How far apart the elements of a single row or column are does not matter.
  if (rows <= 1) {
    row_stride = column_stride == 1 ? std::max<int64_t>(columns, 1) : 1;
  } else if (columns <= 1) {
    column_stride = row_stride == 1 ? std::max<int64_t>(rows, 1) : 1;
  }
  if (row_stride != 1 && column_stride != 1 && tensor.numel() > 0)
    refuse("expected the rows or the columns of ", argument, " to be contiguous, but got strides ",
           text(tensor.strides()), " (", argument, ".contiguous() is)");
  const OptionalInt batches = dimensions == 3 ? OptionalInt(tensor.size(0)) : std::nullopt;
  const int64_t batch_stride = batches.value_or(1) > 1 ? tensor.stride(0) : 0;
  return {rows, columns, batches, {data_of(tensor), element, row_stride, column_stride, batch_stride}};
}

void* Call::vector(const char* argument, const Tensor& tensor, const Shape& shape, ScalarType type) const {
  has_type(argument, tensor, type);
  has_shape(argument, tensor, shape);
  if (!tensor.is_contiguous())
    refuse("expected ", argument, " to be contiguous, but got strides ", text(tensor.strides()));
  return data_of(tensor);
}

int Call::word(const char* argument, const std::string& given,
               std::initializer_list<const char*> words) const {
  const auto* const found = std::find(words.begin(), words.end(), given);
  if (found != words.end()) return static_cast<int>(found - words.begin());
  std::ostringstream known;
  for (const char* word : words) known << (word == *words.begin() ? "'" : ", '") << word << "'";
  refuse("expected ", argument, " to be one of ", known.str(), ", but got '", given, "'");
}

wavesmith_kernels_activation Call::activation(const std::string& name) const {
  return static_cast<wavesmith_kernels_activation>(
      word("activation", name, {"none", "relu", "gelu", "silu"}));
}

Tensor Call::empty(const Shape& shape, ScalarType type) const {
  return torch::stable::new_empty(first_, shape, type);
}

Tensor Call::result(Result result, const Shape& shape, ScalarType type) const {
  const auto& given = Given::find(result);
  if (!given) return empty(shape, type);
  given->mutable_data_ptr();  // its own memory, where it shared another tensor's until it is written
  constexpr std::array kNames{"out", "sum", "scales", "lse", "log_probabilities", "accepted"};
  vector(kNames[static_cast<size_t>(result)], *given, shape, type);
  return *given;
}

Tensor Call::out(const Shape& shape, OptionalType asked, ScalarType usual) const {
  const auto& given = Given::find(Result::Out);
  const ScalarType type = asked.value_or(given ? given->scalar_type() : usual);
  if (!kernel_type(type))
    refuse("expected dtype to be a type that the kernels have, but got ", toString(type));
  if (!given) return empty(shape, type);
  given->mutable_data_ptr();
  has_shape("out", *given, shape);
  has_type("out", *given, type);
  return *given;
}

Tensor Call::workspace(size_t bytes) const { return empty({static_cast<int64_t>(bytes)}, ScalarType::Byte); }

}  // namespace wavesmith::operators
