#include "kernels/grid_sample/grid_sample.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kGridSampleThreads) void grid_sample_##name
#define KERNELS(name, taps)                                                                               \
  KERNEL(name##_f32)(GridSampleArguments arguments) { sample<float, taps>(argument_in_place(arguments)); }  \
  KERNEL(name##_f64)(GridSampleArguments arguments) { sample<double, taps>(argument_in_place(arguments)); } \
  KERNEL(name##_gradient_f32)(GridSampleArguments arguments) {                                              \
    sample_gradient<float, taps>(argument_in_place(arguments));                                           \
  }                                                                                                       \
  KERNEL(name##_gradient_f64)(GridSampleArguments arguments) {                                              \
    sample_gradient<double, taps>(argument_in_place(arguments));                                          \
  }
KERNELS(linear, 2)
KERNELS(cubic, 4)
