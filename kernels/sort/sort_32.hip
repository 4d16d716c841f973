#include "kernels/sort/sort_kernels.h"

using namespace wavesmith::kernels;

SORT_KERNELS(32, tile::u32)

TILE_KERNEL TILE_THREADS(kOffsetThreads) void radix_place(RadixArguments arguments) {
  TILE_SHARED static OffsetShared shared;
  place_digits(argument_in_place(arguments), (TILE_IN_SHARED OffsetShared&)shared);
}
