#include "kernels/fft/lines.h"

using namespace wavesmith::kernels;

namespace {
extern TILE_SHARED char memory[];
}

// Shared memory has room for half as many numbers as of f32.
TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(1, kFftThreads / 2))) void fft_f64(
    FftArguments arguments) {
  transform_lines<double>(argument_in_place(arguments), (TILE_IN_SHARED char*)memory);
}
