#include "kernels/pointwise/reduction/reduction.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kReductionThreads) void reduction_f64(ReductionArguments arguments) {
  TILE_SHARED static ReductionShared<double> shared;
  reduce<double>(argument_in_place(arguments), (TILE_IN_SHARED ReductionShared<double>&)shared);
}
TILE_KERNEL TILE_THREADS(kReductionThreads) void reduction_f64_parts(ReductionArguments arguments) {
  combine_parts<double>(argument_in_place(arguments));
}
