// The C API of rotary position embeddings: checks one and launches it.
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/library/named_range.h"
#include "kernels/rope/arguments.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_attention.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_rope_description;
using Heads = wavesmith_kernels_token_heads;

constexpr const char* kName = "rope";

/// Largest distance between heads, for offsets within a token are 32 bits wide.
constexpr int64_t kLargestToken = int64_t{1} << 28;

int64_t token_elements(const Description& rope, const Heads& heads) {
  return (rope.heads - 1) * heads.head_stride + rope.elements;
}

wavesmith_kernels_status check_heads(const Description& rope, const char* argument, const Heads& heads) {
  const std::string name = argument;
  if (!heads.data) return invalid(kName, name + ".data is null");
  const auto status = check_vector(kName, argument, heads.data, heads.type);
  if (status) return status;
  if (rope.heads > 1 && heads.head_stride < rope.elements)
    return invalid(kName, name + ".head_stride is " + std::to_string(heads.head_stride) + ", less than the " +
                              std::to_string(rope.elements) + " elements of a head");
  if (rope.tokens > 1 && heads.token_stride < 0) return invalid(kName, name + ".token_stride is negative");
  if (token_elements(rope, heads) > kLargestToken)
    return fail(WAVESMITH_KERNELS_NOT_SUPPORTED, "rope: a token of " + name + " spans more than " +
                                                     std::to_string(kLargestToken) + " elements");
  return succeed();
}

ByteRange range_of(const Description& rope, const Heads& heads) {
  return ByteRange::of(heads.data, (rope.tokens - 1) * heads.token_stride + token_elements(rope, heads),
                       heads.type);
}

/// Checks that y is not written over the positions and the tables: those rows of them that are known.
wavesmith_kernels_status check_tables_apart(const Description& rope) {
  const int64_t last = rope.positions ? 0 : rope.first_position + rope.tokens - 1;
  const int64_t table = last * rope.table_stride + rope.rotated / 2;
  const int64_t words = rope.positions_are_64_bits ? 2 * rope.tokens : rope.tokens;
  const NamedRange read[] = {NamedRange::of("positions", rope.positions, words, WAVESMITH_KERNELS_I32),
                             NamedRange::of("cosines", rope.cosines, table, rope.table_type),
                             NamedRange::of("sines", rope.sines, table, rope.table_type)};
  return check_apart(kName, {"y", range_of(rope, rope.y)}, read);
}

wavesmith_kernels_status check(const Description& rope) {
  for (const auto& [name, size] : {std::pair{"tokens", rope.tokens},
                                   {"heads", rope.heads},
                                   {"elements", rope.elements},
                                   {"rotated", rope.rotated}})
    if (size < 0) return invalid(kName, std::string(name) + " is negative");
  if (rope.rotated > rope.elements)
    return invalid(kName, "rotated is " + std::to_string(rope.rotated) + ", more than the " +
                              std::to_string(rope.elements) + " elements of a head");
  if (rope.rotated % 2 != 0)
    return invalid(kName, "rotated is " + std::to_string(rope.rotated) + ", an odd number");
  if (rope.tokens > INT32_MAX / kRowThreads)
    return fail(WAVESMITH_KERNELS_NOT_SUPPORTED, "rope: tokens is too large");
  if (rope.tokens == 0 || rope.heads == 0 || rope.elements == 0) return succeed();
  if (const auto status = check_heads(rope, "x", rope.x)) return status;
  if (const auto status = check_heads(rope, "y", rope.y)) return status;
  if (rope.tokens > 1 && rope.heads > 0 && rope.y.token_stride < rope.elements)
    return invalid(kName, "y.token_stride is " + std::to_string(rope.y.token_stride) +
                              ": tokens would be written over each other");
  if (rope.rotated > 0) {
    if (!rope.cosines) return invalid(kName, "cosines is null");
    if (!rope.sines) return invalid(kName, "sines is null");
    if (const auto status = check_vector(kName, "cosines", rope.cosines, rope.table_type)) return status;
    if (const auto status = check_vector(kName, "sines", rope.sines, rope.table_type)) return status;
    if (!rope.positions && rope.first_position < 0)
      return invalid(kName, "first_position is negative, without positions");
    const int64_t position_bytes = rope.positions_are_64_bits ? 8 : 4;
    if (const auto status = check_aligned(kName, "positions", rope.positions, position_bytes)) return status;
    if (rope.table_stride < rope.rotated / 2)
      return invalid(kName, "table_stride is " + std::to_string(rope.table_stride) + ", less than the " +
                                std::to_string(rope.rotated / 2) + " columns of the tables");
  }
  const bool in_place = rope.x.data == rope.y.data && rope.x.type == rope.y.type &&
                        rope.x.token_stride == rope.y.token_stride &&
                        rope.x.head_stride == rope.y.head_stride;
  if (range_of(rope, rope.x).overlaps(range_of(rope, rope.y)) && !in_place)
    return invalid(kName, "y overlaps x");
  return rope.rotated > 0 ? check_tables_apart(rope) : succeed();
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_rope(const wavesmith_kernels_rope_description* rope,
                                                void* stream) {
  if (!rope) return invalid(kName, "the description is null");
  if (const auto status = check(*rope)) return status;
  if (rope->tokens == 0 || rope->heads == 0 || rope->elements == 0) return succeed();
  const RopeArguments arguments{.x = rope->x.data,
                                .y = rope->y.data,
                                .positions = rope->positions,
                                .cosines = rope->cosines,
                                .sines = rope->sines,
                                .token_x = rope->x.token_stride,
                                .head_x = rope->x.head_stride,
                                .token_y = rope->y.token_stride,
                                .head_y = rope->y.head_stride,
                                .stride_table = rope->table_stride,
                                .first_position = rope->first_position,
                                .tokens = static_cast<int>(rope->tokens),
                                .heads = static_cast<int>(rope->heads),
                                .elements = static_cast<int>(rope->elements),
                                .rotated = static_cast<int>(rope->rotated),
                                .type_x = rope->x.type,
                                .type_y = rope->y.type,
                                .type_table = rope->table_type,
                                .long_positions = rope->positions_are_64_bits,
                                .interleaved = rope->interleaved};
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  return launch(*device, kName, {static_cast<unsigned>(rope->tokens), 1, kRowThreads}, &arguments,
                sizeof(arguments), stream);
}
