// The C API of attention: checks one, chooses its kernel, and launches it.
#include <cstdint>
#include <string>

#include "kernels/attention/choice.h"
#include "kernels/library/device.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_description;

/// Checks a description and chooses for the current device; of an empty one the choice has no kernel.
wavesmith_kernels_status choose(const Description* attention, const Device*& device,
                                AttentionChoice& choice) {
  if (!attention) return fail(WAVESMITH_KERNELS_INVALID_ARGUMENT, "attention: the description is null");
  if (const auto status = check_attention(*attention)) return status;
  if (is_empty(*attention)) return succeed();
  if (const auto status = current_device(device)) return status;
  return choose_attention(*attention, device->target, choice);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_attention(const wavesmith_kernels_attention_description* attention,
                                                     void* stream) {
  const Device* device = nullptr;
  AttentionChoice choice;
  const auto status = choose(attention, device, choice);
  if (status || !choice.configuration) return status;
  const Grid grid{static_cast<unsigned>(choice.arguments.dies * choice.arguments.per_die), 1,
                  static_cast<unsigned>(choice.configuration->threads)};
  return launch(*device, choice.kernel.c_str(), grid, &choice.arguments, sizeof(choice.arguments), stream);
}

wavesmith_kernels_status wavesmith_kernels_attention_check(
    const wavesmith_kernels_attention_description* attention, const char** name) {
  const Device* device = nullptr;
  AttentionChoice choice;
  if (const auto status = choose(attention, device, choice)) return status;
  thread_local std::string kernel;
  kernel = choice.kernel;
  if (name) *name = kernel.c_str();
  return succeed();
}
