#include "kernels/reduce/reduce.h"

#include "kernels/reduce/part.h"

using namespace wavesmith::kernels;

#define KERNEL(lanes, parts, aligned, name, why)                                        \
  TILE_KERNEL TILE_THREADS(kRowThreads) void reduce_##name(ReduceArguments arguments) { \
    reduce<tile::RowShape<kRowThreads, lanes, parts, aligned>>(arguments);              \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)

TILE_KERNEL TILE_THREADS(kRowThreads) void reduce_columns(ReducePartArguments arguments) {
  columns_of_part(arguments);
}
TILE_KERNEL TILE_THREADS(kRowThreads) void reduce_matrix(ReducePartArguments arguments) {
  number_of_part(arguments);
}
