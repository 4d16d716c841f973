// The C API of assertions: checks a call and launches it.
#include "kernels/assertion/assertion_arguments.h"
#include "kernels/pointwise/strided_checks.h"
#include "kernels/wavesmith_assertion.h"

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_assert_nonzero(const wavesmith_assertion_description* assertion,
                                                          void* stream) {
  constexpr const char* kName = "assert_nonzero";
  if (!assertion) return invalid(kName, "the description is null");
  if (const auto status = check_operand(kName, assertion->x, "x", {})) return status;
  if (const auto status = check_aligned(kName, "failed", assertion->failed, sizeof(int64_t))) return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const AssertionArguments arguments{.x = assertion->x.data,
                                     .failed = reinterpret_cast<long*>(assertion->failed),
                                     .number = assertion->number,
                                     .type = assertion->x.type};
  return launch(*device, "assert_nonzero", {.x = 1, .y = 1, .threads = kAssertionThreads}, &arguments,
                sizeof(arguments), stream);
}
