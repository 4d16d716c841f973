#include "kernels/fft/lines.h"

using namespace wavesmith::kernels;

namespace {
extern TILE_SHARED char memory[];
}

// Of up to kFftThreads threads, as is every kernel that says nothing.
TILE_KERNEL void fft_f32(FftArguments arguments) {
  transform_lines<float>(argument_in_place(arguments), (TILE_IN_SHARED char*)memory);
}
