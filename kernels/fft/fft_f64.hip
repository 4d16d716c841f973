#include "kernels/fft/lines.h"

using namespace wavesmith::kernels;

namespace {
extern TILE_SHARED char memory[];
}

// Of up to kFftThreads threads, as is every kernel without a number.
TILE_KERNEL void fft_f64(FftArguments arguments) {
  transform_lines<double>(argument_in_place(arguments), (TILE_IN_SHARED char*)memory);
}
