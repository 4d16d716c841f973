// Making, viewing and resizing tensors of the device: what has no kernel.
#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ResizeCommon.h>
#include <ATen/native/TensorFactories.h>
#include <torch/library.h>

#include <ATen/ops/_nested_tensor_size_native.h>
#include <ATen/ops/_nested_tensor_storage_offsets_native.h>
#include <ATen/ops/_nested_tensor_strides_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/is_set_to_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>

#include "device/streams.h"
#include "memory/allocator.h"

namespace wavesmith::device {
namespace {

const c10::DispatchKeySet kKeys(kKey);

c10::DeviceIndex checked(std::optional<c10::Device> device, std::optional<c10::Layout> layout,
                         std::optional<bool> pinned) {
  TORCH_CHECK(c10::layout_or_default(layout) == c10::kStrided, "the device has strided tensors only, not ",
              c10::layout_or_default(layout));
  TORCH_CHECK(!c10::pinned_memory_or_default(pinned), "Only dense CPU tensors can be pinned");
  const auto where = c10::device_or_default(device);
  return where.has_index() ? where.index() : current_device();
}

// Whether memory that nobody has written yet is to be always the same.
bool fills() {
  const auto& context = at::globalContext();
  return context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory();
}

at::Tensor filled(at::Tensor made) {
  if (fills() && made.numel() != 0) at::native::fill_empty_deterministic_(made);
  return made;
}

at::Tensor empty(c10::IntArrayRef size, std::optional<c10::ScalarType> type,
                 std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                 std::optional<bool> pinned, std::optional<c10::MemoryFormat> format) {
  const OnDevice on(checked(device, layout, pinned));
  return filled(at::detail::empty_generic(size, c10::GetAllocator(kDevice), kKeys,
                                          c10::dtype_or_default(type), format));
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<c10::ScalarType> type,
                         std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                         std::optional<bool> pinned) {
  const OnDevice on(checked(device, layout, pinned));
  return filled(at::detail::empty_strided_generic(size, stride, c10::GetAllocator(kDevice), kKeys,
                                                  c10::dtype_or_default(type)));
}

// Gives the tensor other sizes, and strides where there are some, and its storage what memory they need more.
void resize_to(const at::Tensor& self, c10::IntArrayRef size, at::OptionalIntArrayRef stride) {
  auto* impl = self.unsafeGetTensorImpl();
  if (stride.has_value()) {
    impl->set_sizes_and_strides(size, *stride);
  } else {
    impl->set_sizes_contiguous(size);
  }
  const auto item = self.dtype().itemsize();
  const auto offset = static_cast<std::size_t>(self.storage_offset());
  const auto bytes = stride.has_value() ? at::detail::computeStorageNbytes(size, *stride, item, offset)
                                        : at::detail::computeStorageNbytesContiguous(size, item, offset);
  if (impl->numel() != 0 && bytes > self.storage().nbytes()) resize_storage(self.storage(), bytes);
}

const at::Tensor& resize(const at::Tensor& self, c10::IntArrayRef size,
                         std::optional<c10::MemoryFormat> format) {
  const auto bytes = self.storage().nbytes();
  if (self.sizes() != size) resize_to(self, size, std::nullopt);
  if (format.has_value()) {
    TORCH_CHECK(*format != c10::MemoryFormat::Preserve, "Unsupported memory format", *format);
    self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  }
  if (fills()) at::native::fill_resize_deterministic_(self, static_cast<std::int64_t>(bytes));
  return self;
}

at::Tensor view(const at::Tensor& self, c10::IntArrayRef size) { return at::native::view(self, size); }

at::Tensor reshape_alias(const at::Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride) {
  return at::native::_reshape_alias(self, size, stride);
}

at::Tensor as_strided(const at::Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride,
                      std::optional<std::int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source, std::int64_t offset, c10::IntArrayRef size,
                        c10::IntArrayRef stride) {
  at::native::checkSetStorage(self, std::move(source), offset, size, stride);
  self.unsafeGetTensorImpl()->set_storage_offset(offset);
  resize_to(self, size,
            stride.data() == nullptr ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(stride));
  return self;
}

// Zeros without memory, of which forward differentiation makes its tangents.
at::Tensor efficient_zeros(c10::IntArrayRef size, std::optional<c10::ScalarType> type,
                           std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                           std::optional<bool> pinned) {
  at::native::ZeroTensorAllocator none(c10::Device(kDevice, checked(device, layout, pinned)));
  return at::detail::empty_generic(size, &none, kKeys | c10::DispatchKeySet(c10::DispatchKey::ZeroTensor),
                                   c10::dtype_or_default(type), std::nullopt);
}

void record(at::Tensor& self, c10::Stream stream) { record_stream(self.storage().data_ptr(), stream); }

void resize_storage_of(const at::Tensor& self, std::int64_t bytes) {
  resize_storage(self.storage(), static_cast<std::size_t>(bytes));
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(wavesmith_device, m) { m.def("resize_storage(Tensor self, int bytes) -> ()"); }

WAVESMITH_OPERATORS(wavesmith_device, m) { m.impl("resize_storage", &resize_storage_of); }

WAVESMITH_OPERATORS(aten, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("resize_", &resize);
  m.impl("view", &view);
  m.impl("_reshape_alias", &reshape_alias);
  m.impl("as_strided", &as_strided);
  m.impl("unfold", &at::native::unfold);
  m.impl("view_as_real", &at::native::view_as_real);
  m.impl("view_as_complex", &at::native::view_as_complex);
  m.impl("set_.source_Storage", static_cast<at::Tensor& (*)(at::Tensor&, at::Storage)>(&at::native::set_));
  m.impl("set_.source_Tensor", &at::native::set_tensor_);
  m.impl("set_.source_Storage_storage_offset", &set_storage);
  m.impl("is_set_to", &at::native::is_set_to);
  m.impl("_efficientzerotensor", &efficient_zeros);
  m.impl("record_stream", &record);
}

// What PyTorch asks of a nested tensor while it makes one, and ends the process where there is no answer. All
// else of nested tensors but those with jagged layout is refused.
TORCH_LIBRARY_IMPL(aten, NestedTensorPrivateUse1, m) {
  m.impl("_nested_tensor_size", &at::native::_nested_tensor_size);
  m.impl("_nested_tensor_strides", &at::native::_nested_tensor_strides);
  m.impl("_nested_tensor_storage_offsets", &at::native::_nested_tensor_storage_offsets);
}

}  // namespace wavesmith::device
