#include "operators/fallback.h"

#include <ATen/ScalarOps.h>

namespace wavesmith::device::detail {

at::Tensor shown(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.unsafeGetTensorImpl()->is_wrapped_number() || tensor.is_cpu())
    return tensor;
  return at::native::wrapped_scalar_tensor(tensor.item());
}

}  // namespace wavesmith::device::detail
