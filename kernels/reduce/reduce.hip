#include "kernels/reduce/reduce.h"

#include "kernels/reduce/part.h"

using namespace wavesmith::kernels;

#define THREADS __attribute__((amdgpu_flat_work_group_size(kRowThreads, kRowThreads)))

#define KERNEL(lanes, parts, aligned, name, why)                           \
  TILE_KERNEL THREADS void reduce_##name(ReduceArguments arguments) {      \
    reduce<tile::RowShape<kRowThreads, lanes, parts, aligned>>(arguments); \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)

TILE_KERNEL THREADS void reduce_columns(ReducePartArguments arguments) { columns_of_part(arguments); }
TILE_KERNEL THREADS void reduce_matrix(ReducePartArguments arguments) { number_of_part(arguments); }
