// The C API of attention: checks one, chooses its kernel, and launches it.
#include <cstdint>
#include <string>

#include "kernels/attention/choice.h"
#include "kernels/attention/dropout_rules.h"
#include "kernels/attention/tensors.h"
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
  const size_t bytes =
      attention->dropout != 0 ? sizeof(AttentionDropoutArguments) : sizeof(AttentionArguments);
  return launch(*device, choice.kernel.c_str(), grid, &choice.arguments, bytes, stream);
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

wavesmith_kernels_status wavesmith_kernels_attention_dropout(
    const wavesmith_kernels_attention_description* attention, int64_t batch, int64_t head, int64_t query,
    int64_t first_key, int64_t keys, uint8_t* kept, float* factor) {
  constexpr const char* kName = "attention_dropout";
  if (!attention) return invalid(kName, "the description is null");
  if (const auto status = check_dropout(kName, *attention)) return status;
  const struct {
    const char* name;
    int64_t value, end;
  } all[] = {{"batch", batch, kLongestSequence},
             {"head", head, attention->heads_q},
             {"query", query, kLongestSequence},
             {"first_key", first_key, kLongestSequence},
             {"keys", keys, kLongestSequence}};
  for (const auto& one : all)
    if (one.value < 0 || one.value >= one.end)
      return invalid(kName, std::string(one.name) + " is " + std::to_string(one.value) + ", not in [0, " +
                                std::to_string(one.end) + ")");
  if (keys > 0 && !kept) return invalid(kName, "kept is null");
  const AttentionDropout dropout = dropout_of(*attention);
  if (factor) *factor = dropout.by;
  const uint64_t of_head = dropout.block + static_cast<uint64_t>(batch * attention->heads_q + head);
  for (int64_t i = 0; i < keys; ++i) {
    const auto key = static_cast<int>(first_key + i);
    const auto bits = dropout_bits(dropout.seed, of_head, static_cast<int>(query), dropout_block(key));
    const unsigned byte = bits.words[dropout_word(key)] >> (8 * dropout_byte(key)) & 0xff;
    kept[i] = byte >= (dropout.dropped & 0xff) ? 1 : 0;
  }
  return succeed();
}
