// Assertions about a number of the device, which nothing waits for (kernels/assertion).
#include <ATen/ops/_assert_async_ops.h>
#include <wavesmith_assertion.h>

#include "device/assertions.h"
#include "operators/served.h"
#include "order/order.h"

namespace wavesmith::device {
namespace {

void assert_async_saying(const at::Tensor& self, c10::string_view text) {
  TORCH_CHECK(self.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
  TORCH_CHECK(self.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  if (!number_type(self.scalar_type())) {
    TORCH_CHECK(self.is_nonzero(), text);
    return;
  }
  const wavesmith_assertion_description one{
      .x = operand_of(self.reshape({})), .failed = failed_assertion(), .number = number_of_assertion(text)};
  const KernelCall on(self.device());
  serve(wavesmith_kernels_assert_nonzero(&one, on.stream()), "_assert_async");
}
void assert_async(const at::Tensor& self) {
  assert_async_saying(self, "Expected Tensor with single nonzero value, but got zero");
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&assert_async, at::_ops::_assert_async>(m);
  plain<&assert_async_saying, at::_ops::_assert_async_msg>(m);
}

}  // namespace wavesmith::device
