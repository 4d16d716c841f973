#include "kernels/sampling/shared_row.h"
#include "kernels/sampling/verify.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_token(SampleArguments arguments) {
  TILE_SHARED static SampleShared shared;
  sample(argument_in_place(arguments), (TILE_IN_SHARED SampleShared&)shared);
}
TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_range(SampleArguments arguments) {
  TILE_SHARED static RangeShared shared;
  find_range(shared_row(argument_in_place(arguments)), (TILE_IN_SHARED RangeShared&)shared);
}
TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_weigh(SampleArguments arguments) {
  TILE_SHARED static SampleShared shared;
  weigh_part(shared_row(argument_in_place(arguments)), (TILE_IN_SHARED SampleShared&)shared);
}
TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_list(SampleArguments arguments) {
  TILE_SHARED static FilterShared shared;
  list_part(shared_row(argument_in_place(arguments)), (TILE_IN_SHARED FilterShared&)shared);
}
TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_end(SampleArguments arguments) {
  TILE_SHARED static SampleShared shared;
  end_row(shared_row(argument_in_place(arguments)), (TILE_IN_SHARED SampleShared&)shared);
}
TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_probabilities(SampleArguments arguments) {
  store_part(shared_row(argument_in_place(arguments)));
}
TILE_KERNEL TILE_THREADS(kSampleThreads) void sampling_verify(VerifyArguments arguments) {
  TILE_SHARED static VerifyShared shared;
  verify(argument_in_place(arguments), (TILE_IN_SHARED VerifyShared&)shared);
}
