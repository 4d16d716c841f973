#include "kernels/loss/margin.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kMarginThreads) void loss_margin_##name
KERNEL(f32)(MarginArguments arguments) { margin<float>(arguments); }
KERNEL(f64)(MarginArguments arguments) { margin<double>(arguments); }
KERNEL(gradient_f32)(MarginArguments arguments) { margin_gradient<float>(arguments); }
KERNEL(gradient_f64)(MarginArguments arguments) { margin_gradient<double>(arguments); }
