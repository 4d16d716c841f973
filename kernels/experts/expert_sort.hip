#include "kernels/experts/expert_sort.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kExpertThreads) void experts_sort_few(ExpertSortArguments arguments) {
  TILE_SHARED static ExpertSortShared shared;
  sort_experts<ExpertSortKind::kFew>(arguments, (TILE_IN_SHARED ExpertSortShared&)shared);
}
TILE_KERNEL TILE_THREADS(kExpertThreads) void experts_sort(ExpertSortArguments arguments) {
  TILE_SHARED static ExpertSortShared shared;
  sort_experts<ExpertSortKind::kAlone>(arguments, (TILE_IN_SHARED ExpertSortShared&)shared);
}
TILE_KERNEL TILE_THREADS(kExpertThreads) void experts_count(ExpertSortArguments arguments) {
  TILE_SHARED static ExpertCountShared shared;
  count_experts(arguments, (TILE_IN_SHARED ExpertCountShared&)shared);
}
TILE_KERNEL TILE_THREADS(kExpertThreads) void experts_place(ExpertSortArguments arguments) {
  TILE_SHARED static ExpertSortShared shared;
  sort_experts<ExpertSortKind::kShared>(arguments, (TILE_IN_SHARED ExpertSortShared&)shared);
}
