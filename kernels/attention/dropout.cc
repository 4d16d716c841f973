#include "kernels/attention/dropout_rules.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_description;

/// Of the 256 values of a byte those for which a weight is dropped.
int dropped_of(float dropout) {
  return dropout == 0 ? 0 : std::clamp(static_cast<int>(std::lround(dropout * 256)), 1, 255);
}

}  // namespace

wavesmith_kernels_status check_dropout(std::string_view operation, const Description& a) {
  if (!(a.dropout >= 0 && a.dropout < 1))
    return invalid(operation, "dropout is " + std::to_string(a.dropout) + ", not in [0, 1)");
  if (a.dropout == 0) return succeed();
  if (a.dropout_offset % 4 != 0)
    return invalid(operation, "dropout_offset is " + std::to_string(a.dropout_offset) + ", no multiple of 4");
  return check_aligned(operation, "dropout_state", a.dropout_state, 8);
}

wavesmith_kernels_status check_dropout_size(std::string_view operation, int size_of_kernels,
                                            const Description& a) {
  if (size_of_kernels <= kLargestDropoutHead) return succeed();
  const bool of_values = a.head_size <= kLargestDropoutHead;
  return not_supported(operation, std::string(of_values ? "head_size_v" : "head_size") + " is " +
                                      std::to_string(of_values ? a.head_size_v : a.head_size) +
                                      ", and the kernels with dropout go to " +
                                      std::to_string(kLargestDropoutHead));
}

AttentionDropout dropout_of(const Description& a) {
  const int dropped = dropped_of(a.dropout);
  return {.seed = a.dropout_seed,
          .block = a.dropout_offset / 4,
          .state = a.dropout_state,
          .heads = static_cast<int>(a.heads_q),
          .dropped = static_cast<unsigned>(dropped) * 0x01010101U,
          .by = 256.0F / static_cast<float>(256 - dropped)};
}

}  // namespace wavesmith::kernels
