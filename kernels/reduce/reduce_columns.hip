#include "kernels/reduce/part.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kRowThreads) void reduce_columns(ReducePartArguments arguments) {
  columns_of_part(arguments);
}
