#include "kernels/loss/loss_known.h"

using namespace wavesmith::kernels;

#define KERNELS(type, threads)                                                           \
  TILE_KERNEL TILE_THREADS(threads) void loss_cross_entropy_##type##_##threads(          \
      CrossEntropyArguments arguments) {                                                 \
    cross_entropy_known<tile::type, threads>(argument_in_place(arguments));              \
  }                                                                                      \
  TILE_KERNEL TILE_THREADS(threads) void loss_cross_entropy_gradient_##type##_##threads( \
      CrossEntropyArguments arguments) {                                                 \
    cross_entropy_gradient_known<tile::type, threads>(argument_in_place(arguments));     \
  }
KERNELS(f16, 256)
KERNELS(f16, 1024)
KERNELS(bf16, 256)
KERNELS(bf16, 1024)
