#include "timing/memory/far_memory.h"

#include <algorithm>
#include <bit>

namespace wavesmith::timing {

const FarRegion* far_region(std::span<const FarRegion> regions, uint64_t address) {
  const auto after = std::ranges::upper_bound(regions, address, {}, &FarRegion::begin);
  if (after == regions.begin()) return nullptr;
  const FarRegion& found = *std::prev(after);
  return address < found.end ? &found : nullptr;
}

void add_far(std::vector<FarBytes>& sum, const FarPath* path, double read, double written) {
  auto found = std::ranges::find(sum, path, &FarBytes::path);
  if (found == sum.end()) found = sum.insert(sum.end(), FarBytes{.path = path});
  found->read += read;
  found->written += written;
}

FarCounter::FarCounter(std::span<const FarRegion> regions, uint32_t line, std::vector<FarBytes>& bytes)
    : regions_(regions), line_(line), bytes_(bytes) {}

void FarCounter::access(const emulate::WaveView&, const emulate::Site& site,
                        const emulate::MemoryAccess& access) {
  if (access.space != emulate::AddressSpace::Global || access.lanes == 0) return;
  const uint64_t first = access.address[std::countr_zero(access.lanes)];
  addresses_.clear();
  const FarRegion* region = nullptr;
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const uint64_t address = access.address[std::countr_zero(left)];
    if (!region || address < region->begin || address >= region->end) region = far_region(regions_, address);
    if (!region || !region->path) continue;
    auto found = std::ranges::find(addresses_, region->path, &decltype(addresses_)::value_type::first);
    if (found == addresses_.end()) found = addresses_.insert(found, {region->path, {}});
    found->second.push_back(address);
  }
  if (addresses_.empty()) return;
  // Who waits for a flag reads it as often as the host lets it.
  const bool reads = access.direction != isa::Direction::Store;
  if (reads) {
    const auto [asked, added] = asked_.try_emplace(&site, first);
    if (!added && asked->second == first) return;
    asked->second = first;
  }
  for (const auto& [path, addresses] : addresses_) {
    coalesce(addresses, access.bytes, line_, coalesced_);
    double bytes = 0;  // lanes may share them
    for (const LineUse& use : coalesced_.lines) bytes += std::popcount(use.parts) * line_ / 32.0;
    add_far(bytes_, path, reads ? bytes : 0, reads ? 0 : bytes);
  }
}

}  // namespace wavesmith::timing
