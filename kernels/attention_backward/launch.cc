// The C API of attention's gradients: checks a description, chooses its kernels, and launches them.
#include <string>

#include "kernels/attention_backward/choice.h"
#include "kernels/library/device.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_backward_description;

wavesmith_kernels_status check(const Description* backward) {
  if (!backward)
    return fail(WAVESMITH_KERNELS_INVALID_ARGUMENT, "attention_backward: the description is null");
  return check_attention_backward(*backward);
}

/// Checks a description and chooses for the current device.
wavesmith_kernels_status choose(const Description* backward, const Device*& device,
                                AttentionBackwardChoice& choice) {
  if (const auto status = check(backward)) return status;
  if (const auto status = current_device(device)) return status;
  return choose_attention_backward(*backward, device->target, choice);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_attention_backward(
    const wavesmith_kernels_attention_backward_description* backward, void* stream) {
  const Device* device = nullptr;
  AttentionBackwardChoice choice;
  if (const auto status = choose(backward, device, choice)) return status;
  for (const AttentionBackwardKernel& one : choice) {
    const AttentionArguments& forward = one.arguments.forward;
    const Grid grid{static_cast<unsigned>(forward.dies * forward.per_die), 1,
                    static_cast<unsigned>(one.threads)};
    const size_t bytes = backward->forward.dropout != 0 ? sizeof(AttentionBackwardDropoutArguments)
                                                        : sizeof(AttentionBackwardArguments);
    if (const auto status = launch(*device, one.name.c_str(), grid, &one.arguments, bytes, stream))
      return status;
  }
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_attention_backward_workspace(
    const wavesmith_kernels_attention_backward_description* backward, size_t* bytes) {
  if (const auto status = check(backward)) return status;
  if (bytes) *bytes = workspace_of(*backward);
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_attention_backward_check(
    const wavesmith_kernels_attention_backward_description* backward, const char** name) {
  const Device* device = nullptr;
  AttentionBackwardChoice choice;
  if (const auto status = choose(backward, device, choice)) return status;
  thread_local std::string kernels;
  kernels.clear();
  for (const AttentionBackwardKernel& one : choice) kernels += (kernels.empty() ? "" : " ") + one.name;
  if (name) *name = kernels.c_str();
  return succeed();
}
