#include "kernels/pointwise/reduction/reduction.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kReductionThreads) void reduction_i64(ReductionArguments arguments) {
  TILE_SHARED static ReductionShared<tile::i64> shared;
  reduce<tile::i64>(argument_in_place(arguments), (TILE_IN_SHARED ReductionShared<tile::i64>&)shared);
}
TILE_KERNEL TILE_THREADS(kReductionThreads) void reduction_i64_parts(ReductionArguments arguments) {
  combine_parts<tile::i64>(argument_in_place(arguments));
}
