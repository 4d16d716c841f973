#include "kernels/loss/loss.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kListThreads) void name
KERNEL(loss_cross_entropy)(CrossEntropyArguments arguments) { cross_entropy(argument_in_place(arguments)); }
KERNEL(loss_cross_entropy_gradient)(CrossEntropyArguments arguments) {
  cross_entropy_gradient(argument_in_place(arguments));
}
