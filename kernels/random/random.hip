#include "kernels/random/random.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kRandomThreads) void random_##name
KERNEL(f32)(RandomArguments arguments) { draw_floats(argument_in_place(arguments)); }
KERNEL(f64)(RandomArguments arguments) { draw_doubles(argument_in_place(arguments)); }
KERNEL(i64)(RandomArguments arguments) { draw_integers(argument_in_place(arguments)); }
KERNEL(chances)(RandomArguments arguments) { draw_chances(argument_in_place(arguments)); }
KERNEL(dropout_f32)(RandomArguments arguments) { draw_dropout<float>(argument_in_place(arguments)); }
KERNEL(dropout_f64)(RandomArguments arguments) { draw_dropout<double>(argument_in_place(arguments)); }
KERNEL(rrelu_f32)(RandomArguments arguments) { draw_rrelu<float>(argument_in_place(arguments)); }
KERNEL(rrelu_f64)(RandomArguments arguments) { draw_rrelu<double>(argument_in_place(arguments)); }
KERNEL(shuffle)(ShuffleArguments arguments) { shuffle(arguments); }
TILE_KERNEL TILE_THREADS(kChoiceThreads) void random_choice(ChoiceArguments arguments) { choose(arguments); }
