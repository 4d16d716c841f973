// Which weights of attention dropout keeps: for the host and the device.
#pragma once

#include "kernels/attention/arguments.h"
#include "kernels/random/philox.h"

namespace wavesmith::kernels {

/// Of what kernels with dropout are given.
struct AttentionDropout {
  unsigned long seed, block;   ///< Philox's key, and the lower half of the first head's counters
  const unsigned long* state;  ///< null, or what is the seed, and 4 times what comes to the block
  int heads;                   ///< of q
  unsigned dropped;            ///< of 256, in each byte
  float by;                    ///< by which weights that are kept grow
};
struct AttentionDropoutArguments : AttentionArguments {
  AttentionDropout dropout;
};

/// Rounds after which Philox4x32 passes all tests: table 2 of the paper that philox.h names.
inline constexpr int kDropoutRounds = 7;

/// Decisions of a block, a byte each, about keys of 32 that follow each other: of the first and the third
/// eight, or of the second and the fourth. Lanes have scores in such eights (tile::ChainOrder).
inline constexpr int kDropoutKeys = 16, kDropoutSpan = 32;

/// The number of a key's block in its row.
constexpr unsigned dropout_block(int key) { return static_cast<unsigned>(key / 32 * 2 + key / 8 % 2); }
/// Where a key's byte is in its block: the word, and the byte in it.
constexpr int dropout_word(int key) { return key % 4; }
constexpr int dropout_byte(int key) { return key / 16 % 2 * 2 + key / 4 % 2; }

/// The bits of a block of a query's row.
__attribute__((always_inline)) constexpr PhiloxBlock dropout_bits(unsigned long seed, unsigned long head,
                                                                  int query, unsigned block) {
  return philox(seed, head, static_cast<unsigned long>(query) << 32 | block, kDropoutRounds);
}

}  // namespace wavesmith::kernels
