#include "check/race/lds/shadow.h"

#include <bit>
#include <optional>

namespace wavesmith::check {

using emulate::MemoryAccess;

bool LdsShadow::note(const WaveAccesses& made, const WaveClocks& clocks) {
  const MemoryAccess& access = made.access;
  const std::optional<Runs> runs = even_runs(access, true);
  if (!claims_.add(made.kind, made.wave, access, runs)) return false;
  if (noted_.size() == kMostNoted) catch_up(clocks);
  Noted& noted = noted_.emplace_back(Noted{.time = time_of(made.wave, clocks),
                                           .bytes = access.bytes,
                                           .first = static_cast<uint32_t>(addresses_.size()),
                                           .stride = kScattered,
                                           .wave = made.wave,
                                           .lanes = access.lanes,
                                           .kind = made.kind,
                                           .flag = made.flag,
                                           .waited = made.waited,
                                           .site = made.site});
  if (runs) {
    noted.first = static_cast<uint32_t>(runs->begin);
    noted.stride = runs->count > 1 ? runs->stride : runs->bytes == access.bytes ? 0 : access.bytes;
    return true;
  }
  addresses_.resize(addresses_.size() + emulate::kRowLanes);
  std::ranges::transform(access.address, addresses_.data() + noted.first,
                         [](uint64_t address) { return static_cast<uint32_t>(address); });
  return true;
}

void LdsShadow::catch_up(const WaveClocks& clocks) {
  MemoryAccess access{.space = emulate::AddressSpace::Lds};
  const auto nothing = [](const LdsConflict&) {};
  for (const Noted& noted : noted_) {
    access.bytes = noted.bytes;
    access.lanes = noted.lanes;
    const int lowest = std::countr_zero(noted.lanes);
    for (int lane = lowest; lane < emulate::kRowLanes; ++lane)
      access.address[lane] =
          noted.stride == kScattered
              ? addresses_[noted.first + static_cast<uint32_t>(lane)]
              : noted.first + uint64_t{noted.stride} * static_cast<uint32_t>(lane - lowest);
    visit_all({.wave = noted.wave,
               .kind = noted.kind,
               .site = noted.site,
               .flag = noted.flag,
               .waited = noted.waited,
               .access = access},
              noted.time, clocks, nothing);
  }
  noted_.clear();
  addresses_.clear();
}

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
