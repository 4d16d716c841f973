#include "kernels/pointwise/reduction/reduction.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kReductionThreads) void reduction_f32(ReductionArguments arguments) {
  TILE_SHARED static ReductionShared<float> shared;
  reduce<float>(argument_in_place(arguments), (TILE_IN_SHARED ReductionShared<float>&)shared);
}
TILE_KERNEL TILE_THREADS(kReductionThreads) void reduction_f32_parts(ReductionArguments arguments) {
  combine_parts<float>(argument_in_place(arguments));
}
