#include "kernels/indexed/indexed.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kIndexedThreads) void indexed_##name
KERNEL(move)(IndexedArguments arguments) { move_indexed(argument_in_place(arguments)); }
KERNEL(add_i64)(IndexedArguments arguments) { add_indexed<tile::i64>(argument_in_place(arguments)); }
KERNEL(add_f32)(IndexedArguments arguments) { add_indexed<float>(argument_in_place(arguments)); }
KERNEL(add_f64)(IndexedArguments arguments) { add_indexed<double>(argument_in_place(arguments)); }
KERNEL(combine_i64)(IndexedArguments arguments) { combine_indexed<tile::i64>(argument_in_place(arguments)); }
KERNEL(combine_f32)(IndexedArguments arguments) { combine_indexed<float>(argument_in_place(arguments)); }
KERNEL(combine_f64)(IndexedArguments arguments) { combine_indexed<double>(argument_in_place(arguments)); }
