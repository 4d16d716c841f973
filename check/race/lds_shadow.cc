#include "check/race/lds_shadow.h"

namespace wavesmith::check {

void LdsShadow::refine(Chunk& chunk, uint32_t shift) {
  const auto spread = [&](auto& all, size_t count, uint32_t by) {
    std::remove_reference_t<decltype(all)> finer(count);
    for (size_t i = 0; i < count && !all.empty(); ++i) finer[i] = all[i >> by];
    all = std::move(finer);
  };
  const size_t count = kChunk >> shift;
  const uint32_t by = chunk.shift - shift;
  spread(chunk.cells, count, by);
  if (!chunk.clocks.empty()) spread(chunk.clocks, count, by);
  chunk.shift = shift;
}

}  // namespace wavesmith::check
