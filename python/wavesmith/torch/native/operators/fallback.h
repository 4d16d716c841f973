// For a kernel that serves some calls of an operator: has the others computed as operators without a kernel.
#pragma once

#include <utility>

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKeySet.h>

namespace wavesmith::device {

// `_register.py` registers the fallback of PrivateUse1 for this key too. Nothing else is registered for it,
// so that a call that is sent there does not come back.
inline constexpr c10::DispatchKeySet kFallback(c10::DispatchKey::PrivateUse3);

namespace detail {

// A number that PyTorch made a tensor of the device as one of the CPU, as PyTorch shows no others to Python.
at::Tensor shown(const at::Tensor& tensor);
template <typename Other>
Other&& shown(Other&& other) {
  return std::forward<Other>(other);
}

}  // namespace detail

// fall_back<at::_ops::mm_out>(self, other, out)
template <typename Operator, typename... Arguments>
decltype(auto) fall_back(Arguments&&... arguments) {
  return Operator::redispatch(kFallback, detail::shown(std::forward<Arguments>(arguments))...);
}

}  // namespace wavesmith::device
