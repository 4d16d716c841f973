#include "memory/host_view.h"

#include <c10/core/CPUAllocator.h>
#include <torch/library.h>

#include <ATen/ops/empty.h>

#include "device/generator.h"
#include "device/streams.h"
#include "memory/allocator.h"

namespace wavesmith::device {
namespace {

// A tensor over that storage with the type, sizes, strides and offset of another.
at::Tensor with_layout_of(const at::Tensor& tensor, c10::Storage storage, c10::DispatchKey key) {
  auto made =
      at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), tensor.dtype());
  auto* impl = made.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  if (tensor.is_conj()) made._set_conj(true);
  if (tensor.is_neg()) made._set_neg(true);
  return made;
}

void wait_for(const at::Tensor& tensor) {
  const auto stream = current_stream(tensor.device().index());
  TORCH_CHECK(!is_capturing(stream),
              "what the host computes or reads cannot be captured in a graph; the operators that the host "
              "computes are said on stderr and in wavesmith.torch.fallback_counts()");
  const OnDevice on(tensor.device().index());
  check(hipStreamSynchronize(native(stream)), "hipStreamSynchronize");
}

// A tensor over the storage of `base`, which is the device's or a host view of it, with the type, sizes,
// strides and offset of `layout`.
at::Tensor view_of(const at::Tensor& base, const at::Tensor& layout) {
  return with_layout_of(layout, c10::Storage(base.storage()), on_device(base) ? kKey : c10::DispatchKey::CPU);
}

// Gives a device tensor the sizes and strides that an operation gave its host view, and new memory where it
// grew.
void take_layout(const at::Tensor& tensor, const at::Tensor& layout) {
  auto* impl = tensor.unsafeGetTensorImpl();
  if (layout.storage().data() != tensor.storage().data()) {
    const auto& storage = tensor.storage();
    const OnDevice on(tensor.device().index());
    auto data = storage.allocator()->allocate(layout.storage().nbytes());
    if (data.get() != nullptr) std::memcpy(data.get(), layout.storage().data(), layout.storage().nbytes());
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(data));
    storage.unsafeGetStorageImpl()->set_nbytes(layout.storage().nbytes());
  }
  impl->set_sizes_and_strides(layout.sizes(), layout.strides(), layout.storage_offset());
}

std::optional<at::Generator> host_generator_of(const std::optional<at::Generator>& generator,
                                               std::int64_t device) {
  return host_generator(generator.has_value() && generator->defined()
                            ? *generator
                            : default_generator(static_cast<c10::DeviceIndex>(device)));
}

std::optional<at::Generator> default_generator_of(std::int64_t device) {
  return default_generator(static_cast<c10::DeviceIndex>(device));
}

}  // namespace

at::Tensor host_view(const at::Tensor& tensor) {
  wait_for(tensor);
  const auto& storage = tensor.storage();
  TORCH_CHECK(tensor.numel() == 0 || storage.data() != nullptr, "a tensor of ", tensor.sizes(),
              " whose storage has 0 bytes");
  auto* owner = new c10::Storage(storage);
  c10::DataPtr data(
      storage.mutable_data(), owner, [](void* kept) { delete static_cast<c10::Storage*>(kept); },
      c10::Device(c10::kCPU));
  c10::Storage seen(c10::Storage::use_byte_size_t{}, storage.nbytes(), std::move(data),
                    c10::GetCPUAllocator(),
                    /*resizable=*/true);
  return with_layout_of(tensor, std::move(seen), c10::DispatchKey::CPU);
}

TORCH_LIBRARY(wavesmith_device, m) {
  m.def("host_view(Tensor tensor) -> Tensor");
  m.def("view_of(Tensor base, Tensor layout) -> Tensor");
  m.def("take_layout(Tensor tensor, Tensor layout) -> ()");
  m.def("default_generator(int device) -> Generator?", &default_generator_of);
  m.def("host_generator(Generator? generator, int device) -> Generator?", &host_generator_of);
}

WAVESMITH_OPERATORS(wavesmith_device, m) {
  m.impl("host_view", &host_view);
  m.impl("view_of", &view_of);
  m.impl("take_layout", &take_layout);
}

// Views keep these bits: nothing is to be resolved before, which would take a view itself.
TORCH_LIBRARY_IMPL(wavesmith_device, Conjugate, m) {
  for (const char* name : {"host_view", "view_of", "take_layout"})
    m.impl(name, torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(wavesmith_device, Negative, m) {
  for (const char* name : {"host_view", "view_of", "take_layout"})
    m.impl(name, torch::CppFunction::makeFallthrough());
}

}  // namespace wavesmith::device
