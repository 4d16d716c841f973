#include "kernels/gemm/choice/stream.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "kernels/gemm/choice/split.h"

namespace wavesmith::kernels {

GemmShare share_tiles(const GemmConfiguration& tile, int64_t tiles, int64_t k, int64_t workgroups,
                      int64_t sharing) {
  const int depth = 2 * tile.depth;  // kernels go by pairs of steps
  const int64_t steps = (k + depth - 1) / depth, shared = tiles % workgroups;
  GemmShare share{.whole = static_cast<int>(tiles - shared),
                  .workgroups = static_cast<int>(workgroups),
                  .depth = depth,
                  .steps = static_cast<int>(steps)};
  // A member has a step at the least.
  sharing = std::min(sharing, shared * steps);
  if (shared == 0 || sharing <= shared || shared * steps > INT32_MAX) return share;
  const int64_t teams = std::gcd(shared, sharing), members = sharing / teams;
  share.teams = static_cast<int>(teams);
  share.tiles = static_cast<int>(shared / teams);
  share.members = static_cast<int>(members);
  share.run = static_cast<int>(share.tiles * steps / members);
  share.longer = static_cast<int>(share.tiles * steps % members);
  if (share.whole == 0) share.workgroups = share.teams * share.members;  // others would have nothing to do
  return share;
}

int64_t bytes_of_parts(const GemmConfiguration& tile, const GemmShare& share) {
  return int64_t{4} * share.parts() * tile.rows * tile.columns;
}

int64_t rows_of_shared(const GemmConfiguration& tile, const GemmShare& share) {
  return int64_t{share.teams} * share.tiles * tile.rows;
}

void stream_gemm(GemmChoice& choice, const wavesmith_kernels_gemm_description& gemm, bool a_along_k,
                 bool b_along_k) {
  const GemmConfiguration& tile = *choice.configuration;
  GemmArguments& made = choice.arguments;
  choice.combine = name_of_combine(gemm);
  choice.workspace_bytes = static_cast<size_t>(bytes_of_parts(tile, choice.share));
  choice.combined = {.gemm = made,
                     .share = choice.share,
                     .parts = gemm.workspace,
                     .splits = 0,
                     .stride_parts = tile.columns,
                     .rows = tile.rows};
  // As wide as a band where that comes out even, so that rows of tiles are rows of the grid.
  const int workgroups = choice.share.workgroups;
  choice.share.width = workgroups % made.band == 0 ? made.band : workgroups;
  choice.grid = {choice.share.width, workgroups / choice.share.width};
  // What lies along K is the kernel's batch.
  made.batch_a = choice.share.depth * (a_along_k ? 1 : made.stride_a);
  made.batch_b = choice.share.depth * (b_along_k ? 1 : made.stride_b);
}

}  // namespace wavesmith::kernels
