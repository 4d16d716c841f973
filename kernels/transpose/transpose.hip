#include "kernels/transpose/transpose.h"

using namespace wavesmith::kernels;

#define KERNEL(threads, name) TILE_KERNEL TILE_THREADS(threads) void transpose_##name
#define SQUARES(T, bytes) \
  KERNEL(kSquareThreads, bytes)(TransposeArguments arguments) { transpose_tiles<T>(arguments); }

SQUARES(tile::u8, 1)
SQUARES(tile::u16, 2)
SQUARES(tile::u32, 4)
KERNEL(kTransposeThreads, elements)(TransposeArguments arguments) { transpose_any(arguments); }
KERNEL(kRowThreads, copy)(TransposeArguments arguments) { copy_eights(arguments); }
