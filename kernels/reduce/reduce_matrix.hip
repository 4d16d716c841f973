#include "kernels/reduce/part.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kRowThreads) void reduce_matrix(ReducePartArguments arguments) {
  number_of_part(arguments);
}
