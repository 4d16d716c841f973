// MIOpen's types and values: miopen.h of ROCm 7.0.
//
// By its immediate mode, in which MIOpen names its solutions for a convolution without trying them.
#include "amd/miopen.h"

#include <limits>
#include <optional>

#include <ATen/ops/empty.h>
#include <c10/util/StringUtil.h>

#include "amd/choice.h"
#include "amd/handles.h"
#include "amd/open_library.h"
#include "operators/kernels.h"

namespace wavesmith::device::amd {
namespace {

using at::IntArrayRef;
using at::Tensor;

constexpr const char* kTitle = "MIOpen";

enum Status { kStatusSuccess = 0 };
constexpr int kConvolution = 0;  // miopenConvolutionMode_t

struct Solution {
  float time;
  std::size_t workspace;
  std::uint64_t id;
  int algorithm;
};

// The functions of a direction. `first`, `second` and `result` are x, w and y in an order of its own.
struct Direction {
  const char* name;
  int (*solution_count)(void* handle, void* first, void* second, void* how, void* result, std::size_t* count);
  int (*solutions)(void* handle, void* first, void* second, void* how, void* result, std::size_t asked,
                   std::size_t* count, Solution* found);
  int (*compile)(void* handle, void* first, void* second, void* how, void* result, std::uint64_t id);
  int (*run)(void* handle, void* first, const void* first_data, void* second, const void* second_data,
             void* how, void* result, void* result_data, void* workspace, std::size_t bytes,
             std::uint64_t id);
};

struct Library {
  int (*create)(void** handle, hipStream_t stream);
  int (*version)(std::size_t* major, std::size_t* minor, std::size_t* patch);
  const char* (*name_of)(int status);
  int (*tensor_create)(void** descriptor);
  int (*tensor_destroy)(void* descriptor);
  int (*tensor_set)(void* descriptor, int type, int dimensions, const int* sizes, const int* strides);
  int (*convolution_create)(void** descriptor);
  int (*convolution_destroy)(void* descriptor);
  int (*convolution_set)(void* descriptor, int dimensions, const int* padding, const int* strides,
                         const int* dilations, int mode);
  int (*convolution_set_groups)(void* descriptor, int groups);
  Direction forward, input_gradient, weight_gradient;
};

Library load() {
  void* const opened = open_library({"libMIOpen.so.1"}, "libMIOpen.so");
  TORCH_CHECK(opened != nullptr, "this process has no MIOpen: ", dlerror());
  Library library{};
  const auto get = [&](auto*& function, const std::string& name) {
    find(opened, function, name.c_str(), kTitle);
  };
  get(library.create, "miopenCreateWithStream");
  get(library.version, "miopenGetVersion");
  get(library.name_of, "miopenGetErrorString");
  get(library.tensor_create, "miopenCreateTensorDescriptor");
  get(library.tensor_destroy, "miopenDestroyTensorDescriptor");
  get(library.tensor_set, "miopenSetTensorDescriptor");
  get(library.convolution_create, "miopenCreateConvolutionDescriptor");
  get(library.convolution_destroy, "miopenDestroyConvolutionDescriptor");
  get(library.convolution_set, "miopenInitConvolutionNdDescriptor");
  get(library.convolution_set_groups, "miopenSetConvolutionGroupCount");
  const auto direction = [&](const char* name) {
    const std::string prefix = std::string("miopenConvolution") + name;
    Direction made{};
    made.name = name;
    get(made.solution_count, prefix + "GetSolutionCount");
    get(made.solutions, prefix + "GetSolution");
    get(made.compile, prefix + "CompileSolution");
    get(made.run, prefix + "Immediate");
    return made;
  };
  library.forward = direction("Forward");
  library.input_gradient = direction("BackwardData");
  library.weight_gradient = direction("BackwardWeights");
  return library;
}

const Library& miopen() {
  static const Library loaded = load();
  return loaded;
}

Handles& handles() {
  static auto* const all = new Handles;
  return *all;
}

void* make_handle(hipStream_t stream) {
  void* handle = nullptr;
  return miopen().create(&handle, stream) == kStatusSuccess ? handle : nullptr;
}

// miopenDataType_t.
std::optional<int> number_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Half:
      return 0;
    case c10::ScalarType::Float:
      return 1;
    case c10::ScalarType::BFloat16:
      return 5;
    default:
      return std::nullopt;
  }
}

// The first call that fails is kept, and nothing is called after it.
class Call {
 public:
  const std::string& refusal() const { return refusal_; }
  bool good() const { return refusal_.empty(); }

  void check(int status, const std::string& function) {
    if (status != kStatusSuccess && good())
      refusal_ = c10::str(function, " returned ", miopen().name_of(status));
  }

  Object describe(const Tensor& tensor) {
    void* made = nullptr;
    if (good()) check(miopen().tensor_create(&made), "miopenCreateTensorDescriptor");
    Object descriptor{made, Destroy{miopen().tensor_destroy}};
    const std::vector<int> sizes(tensor.sizes().begin(), tensor.sizes().end());
    std::vector<int> strides(sizes.size(), 1);  // contiguous, also along dimensions of one element
    for (auto each = sizes.size() - 1; each-- > 0;) strides[each] = strides[each + 1] * sizes[each + 1];
    if (good()) {
      check(miopen().tensor_set(made, *number_of(tensor.scalar_type()), static_cast<int>(sizes.size()),
                                sizes.data(), strides.data()),
            "miopenSetTensorDescriptor");
    }
    return descriptor;
  }

  Object describe(const Window& window) {
    void* made = nullptr;
    if (good()) check(miopen().convolution_create(&made), "miopenCreateConvolutionDescriptor");
    Object descriptor{made, Destroy{miopen().convolution_destroy}};
    const std::vector<int> padding(window.padding.begin(), window.padding.end());
    const std::vector<int> strides(window.stride.begin(), window.stride.end());
    const std::vector<int> dilations(window.dilation.begin(), window.dilation.end());
    if (good()) {
      check(miopen().convolution_set(made, static_cast<int>(padding.size()), padding.data(), strides.data(),
                                     dilations.data(), kConvolution),
            "miopenInitConvolutionNdDescriptor");
    }
    if (good()) {
      check(miopen().convolution_set_groups(made, static_cast<int>(window.groups)),
            "miopenSetConvolutionGroupCount");
    }
    return descriptor;
  }

 private:
  std::string refusal_;
};

// The direction's result from its two other tensors. Empty, or why MIOpen does not compute it.
std::string run(const Direction& direction, const Tensor& first, const Tensor& second, const Tensor& result,
                const Window& window) {
  const KernelCall kernel(result.device());
  const CaptureAllows allows;  // handles, code and memory of MIOpen's that a first call asks for
  auto* const stream = static_cast<hipStream_t>(kernel.stream());
  const auto handle = handles().take(result.device().index(), stream, make_handle);
  if (!handle) return "miopenCreateWithStream makes no handle";
  Call call;
  const Object a = call.describe(first), b = call.describe(second), c = call.describe(result),
               how = call.describe(window);
  if (!call.good()) return call.refusal();

  const std::string prefix = std::string("miopenConvolution") + direction.name;
  std::size_t count = 0;
  call.check(direction.solution_count(handle.get(), a.get(), b.get(), how.get(), c.get(), &count),
             prefix + "GetSolutionCount");
  if (call.good() && count == 0) return "it has no solution for these types, sizes and strides on this GPU";
  std::vector<Solution> found(count);
  if (call.good()) {
    call.check(
        direction.solutions(handle.get(), a.get(), b.get(), how.get(), c.get(), count, &count, found.data()),
        prefix + "GetSolution");
  }
  if (!call.good()) return call.refusal();
  found.resize(std::min(count, found.size()));

  std::string refusal = "it has no solution for these types, sizes and strides on this GPU";
  for (const Solution& each : found) {  // the fastest first; a build may lack the code of some
    Call tried;
    tried.check(direction.compile(handle.get(), a.get(), b.get(), how.get(), c.get(), each.id),
                prefix + "CompileSolution");
    if (tried.good()) {
      const auto memory = workspace(each.workspace);
      tried.check(
          direction.run(handle.get(), a.get(), first.const_data_ptr(), b.get(), second.const_data_ptr(),
                        how.get(), c.get(), result.data_ptr(), memory.get(), each.workspace, each.id),
          prefix + "Immediate");
    }
    if (tried.good()) return {};
    refusal = tried.refusal();
  }
  return refusal;
}

// What MIOpen has no way to be asked for; empty: nothing.
std::string not_asked(const Tensor& x, const Tensor& w, const Tensor& y, const Window& window) {
  if (!number_of(x.scalar_type())) return "its elements' type is not f32, f16 or bf16";
  if (x.dim() > 5) return "more than three dimensions in space";
  for (const Tensor& each : {x, w, y})
    if (each.numel() > std::numeric_limits<int>::max()) return "sizes beyond 32 bits";
  for (std::size_t each = 0; each < window.stride.size(); ++each) {
    const auto at = static_cast<std::int64_t>(each) + 2;
    const auto places =
        (x.size(at) + 2 * window.padding[each] - window.dilation[each] * (w.size(at) - 1) - 1) /
            window.stride[each] +
        1;
    if (places != y.size(at)) return "output padding that is not below the stride";
  }
  return {};
}

// MIOpen's convolutions are of two or three dimensions in space: one is of the second, and the first is 1.
Tensor seen(const Tensor& tensor) { return tensor.dim() == 3 ? tensor.unsqueeze(2) : tensor; }

Window seen(Window window) {
  if (window.stride.size() > 1) return window;
  window.stride.insert(window.stride.begin(), 1);
  window.padding.insert(window.padding.begin(), 0);
  window.dilation.insert(window.dilation.begin(), 1);
  return window;
}

// Computes the one of x, w and y that `result` is.
Tensor compute(const Direction Library::* direction, const Tensor& first, const Tensor& second,
               const Tensor& result, const Window& window, const std::string& refusal, const char* what) {
  const std::string why =
      !refusal.empty() ? refusal
                       : run(miopen().*direction, seen(first), seen(second), seen(result), seen(window));
  return computed(kTitle, what, why) ? result : Tensor();
}

bool is_asked(const Tensor& one, const Tensor& other, IntArrayRef result) {
  return prefers_miopen() && one.numel() > 0 && other.numel() > 0 && c10::multiply_integers(result) > 0;
}

std::vector<std::int64_t> result_of(const Tensor& input, const Tensor& weight, const Window& window) {
  std::vector<std::int64_t> sizes{input.size(0), weight.size(0)};
  for (std::size_t each = 0; each < window.stride.size(); ++each) {
    const auto at = static_cast<std::int64_t>(each) + 2;
    const auto reach =
        input.size(at) + 2 * window.padding[each] - window.dilation[each] * (weight.size(at) - 1);
    sizes.push_back(reach > 0 ? (reach - 1) / window.stride[each] + 1 : 0);
  }
  return sizes;
}

}  // namespace

std::string describe_miopen() {
  std::size_t major = 0, minor = 0, patch = 0;
  miopen().version(&major, &minor, &patch);
  return c10::str("MIOpen ", major, ".", minor, ".", patch, " (",
                  whose(reinterpret_cast<void*>(miopen().create)), ")");
}

Tensor convolve(const Tensor& input, const Tensor& weight, const Window& window, const char* what) {
  const auto sizes = result_of(input, weight, window);
  if (!is_asked(input, weight, sizes)) return {};
  const Tensor result = at::empty(sizes, input.options().memory_format(at::MemoryFormat::Contiguous));
  const Tensor x = input.contiguous(), w = weight.contiguous();
  return compute(&Library::forward, w, x, result, window, not_asked(x, w, result, window), what);
}

Tensor input_gradient(const Tensor& grad, const Tensor& weight, IntArrayRef input, const Window& window,
                      const char* what) {
  if (!is_asked(grad, weight, input)) return {};
  const Tensor result = at::empty(input, grad.options().memory_format(at::MemoryFormat::Contiguous));
  const Tensor y = grad.contiguous(), w = weight.contiguous();
  return compute(&Library::input_gradient, y, w, result, window, not_asked(result, w, y, window), what);
}

Tensor weight_gradient(const Tensor& grad, const Tensor& input, IntArrayRef weight, const Window& window,
                       const char* what) {
  if (!is_asked(grad, input, weight)) return {};
  const Tensor result = at::empty(weight, grad.options().memory_format(at::MemoryFormat::Contiguous));
  const Tensor y = grad.contiguous(), x = input.contiguous();
  return compute(&Library::weight_gradient, y, x, result, window, not_asked(x, result, y, window), what);
}

}  // namespace wavesmith::device::amd
