// What the cache's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// New keys, or values, and where they go. Strides are elements.
struct CacheWrite {
  const void* from;
  void* to;
  const float* scale;                       ///< null: 1
  float* token_scales;                      ///< null: none are written
  long token, head;                         ///< of what is read
  long block, row, to_head;                 ///< of the cache
  long scale_block, scale_row, scale_head;  ///< of the token scales
  int type_from, type_to;                   ///< tile::Type
  int scale_per_head;
  int by_words;  ///< heads of the cache are whole words of four bytes, and begin with one
};

struct CacheArguments {
  CacheWrite k, v;
  const long* slots;
  long positions;  ///< of the cache: slots beyond them are left out
  long page_size;
  int heads, head_size;
};

}  // namespace wavesmith::kernels
