#include "kernels/sampling/sample.h"
#include "kernels/sampling/verify.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_token(SampleArguments arguments) {
  TILE_SHARED static SampleShared shared;
  sample(argument_in_place(arguments), (TILE_IN_SHARED SampleShared&)shared);
}
TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_verify(VerifyArguments arguments) {
  TILE_SHARED static VerifyShared shared;
  verify(argument_in_place(arguments), (TILE_IN_SHARED VerifyShared&)shared);
}
