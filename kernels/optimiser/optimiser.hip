#include "kernels/optimiser/adam.h"
#include "kernels/optimiser/functions.h"
#include "kernels/optimiser/norms.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kListThreads) void name
KERNEL(list_f32)(ListArguments arguments) { compute_list(argument_in_place(arguments)); }
KERNEL(norms_of_chunks)(NormArguments arguments) { norm_of_chunk(argument_in_place(arguments)); }
KERNEL(norms_of_arrays)(NormArguments arguments) { norm_of_parts(argument_in_place(arguments)); }
KERNEL(adam)(AdamArguments arguments) { take_step(argument_in_place(arguments)); }
