// For a kernel that serves some calls of an operator: has the others computed as operators without a kernel.
#pragma once

#include <utility>

#include <c10/core/DispatchKeySet.h>

namespace wavesmith::device {

// `_register.py` registers the fallback of PrivateUse1 for this key too. Nothing else is registered for it,
// so that a call that is sent there does not come back.
inline constexpr c10::DispatchKeySet kFallback(c10::DispatchKey::PrivateUse3);

// fall_back<at::_ops::mm_out>(self, other, out)
template <typename Operator, typename... Arguments>
decltype(auto) fall_back(Arguments&&... arguments) {
  return Operator::redispatch(kFallback, std::forward<Arguments>(arguments)...);
}

}  // namespace wavesmith::device
