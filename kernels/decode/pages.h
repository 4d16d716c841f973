// Where the keys and values of a sequence lie: in pages of a cache, which a table names.
#pragma once

#include "kernels/decode/arguments.h"
#include "tile/arch/device.h"

namespace wavesmith::kernels {

/// The pages of a sequence of at least one key. Keys behind its last one count as the last.
struct Pages {
  const int* table;
  int shift, mask;
  int first_block, last_block;  ///< that the table may name
  int last;                     ///< key

  TILE_DEVICE Pages(const DecodeArguments& g, int batch, int last_key)
      : table(g.table + batch * g.table_stride),
        shift(g.page_shift),
        mask(g.page_mask),
        first_block(g.blocks > 0 ? 0 : batch),
        last_block(g.blocks > 0 ? g.blocks - 1 : batch),
        last(last_key) {}

  /// What the table has for a key: asked for early, as it comes from memory.
  TILE_DEVICE int entry(int key) const {
    return tile::arch::load_at<int>(reinterpret_cast<tile::u64>(table + (limited(key) >> shift)));
  }
  /// Where in its page a key is.
  TILE_DEVICE int row(int key) const { return limited(key) & mask; }
  /// Whatever the table says, the block is one of the cache's.
  TILE_DEVICE int block(int entry) const {
    return entry < first_block ? first_block : entry < last_block ? entry : last_block;
  }

 private:
  TILE_DEVICE int limited(int key) const { return key < last ? key : last; }
};

/// A head of keys or values in all pages.
struct PagedHead {
  tile::u64 base;
  tile::i64 block_bytes;
  tile::u32 row_bytes;
  float scale;  ///< of the head; where positions have scales of their own, that of the first block's first

  TILE_DEVICE PagedHead(const PagedArguments& of, int head)
      : base(reinterpret_cast<tile::u64>(of.data) + head * of.head),
        block_bytes(of.block),
        row_bytes(static_cast<tile::u32>(of.row)),
        scale(of.scale ? of.scale[head * of.scale_head / static_cast<long>(sizeof(float))] : 1) {}

  TILE_DEVICE tile::u64 page(int block) const { return base + block * block_bytes; }
  TILE_DEVICE tile::u64 at(tile::u64 page, int row) const {
    return page + static_cast<tile::u64>(static_cast<tile::u32>(row)) * row_bytes;
  }
};

}  // namespace wavesmith::kernels
