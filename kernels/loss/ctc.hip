#include "kernels/loss/ctc.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kCtcThreads) void ctc_##name
KERNEL(alphas_f32)(CtcArguments arguments) { ctc_alphas<float>(argument_in_place(arguments)); }
KERNEL(alphas_f64)(CtcArguments arguments) { ctc_alphas<double>(argument_in_place(arguments)); }
KERNEL(betas_f32)(CtcArguments arguments) { ctc_betas<float>(argument_in_place(arguments)); }
KERNEL(betas_f64)(CtcArguments arguments) { ctc_betas<double>(argument_in_place(arguments)); }
KERNEL(gradient_f32)(CtcArguments arguments) { ctc_gradient<float>(argument_in_place(arguments)); }
KERNEL(gradient_f64)(CtcArguments arguments) { ctc_gradient<double>(argument_in_place(arguments)); }
