#include "kernels/segments/segments.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kSegmentsThreads) void segments_##name
KERNEL(f32)(SegmentsArguments arguments) { segments<float>(argument_in_place(arguments)); }
KERNEL(f64)(SegmentsArguments arguments) { segments<double>(argument_in_place(arguments)); }
KERNEL(gradient_f32)(SegmentsArguments arguments) { segments_gradient<float>(argument_in_place(arguments)); }
KERNEL(gradient_f64)(SegmentsArguments arguments) { segments_gradient<double>(argument_in_place(arguments)); }
