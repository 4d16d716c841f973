// What a rotary embedding's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// Heads of tokens, of which the first `rotated` elements are rotated in pairs; the others are copied.
struct RopeArguments {
  const void* x;
  void* y;
  const void *positions, *cosines, *sines;  ///< no positions: a token's is its number
  long token_x, head_x, token_y, head_y;    ///< elements between tokens and between heads
  long stride_table;                        ///< elements between positions of the tables
  long first_position;                      ///< added to each position
  int tokens, heads, elements, rotated;     ///< elements per head
  int type_x, type_y, type_table;           ///< tile::Type
  int long_positions;                       ///< 64 bits each, otherwise 32
  int interleaved;  ///< pairs of neighbours; otherwise of elements that are half of `rotated` apart
};

}  // namespace wavesmith::kernels
