// The hot path looks at the two ends of an access, and at the allocation that its instruction went to last.
// All else happens where these do not fit: an access of another allocation, or a wrong one.
#include "check/memory/listener.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "check/memory/report.h"

namespace wavesmith::check {
namespace {

using emulate::AddressSpace;
using emulate::MemoryAccess;
using emulate::Site;
using emulate::WaveView;
using isa::Direction;

/// What the addresses of an access have in common.
struct Extent {
  uint64_t low = ~uint64_t{0}, high = 0;  ///< up to the byte behind the last one
  uint64_t bits = 0;                      ///< that are set in any of the addresses
};

Extent extent_of(const MemoryAccess& access, uint32_t lanes) {
  const int first = std::countr_zero(access.lanes), last = 63 - std::countl_zero(access.lanes);
  const uint64_t* const at = access.address;
  if (access.side_by_side || first == last)
    return {at[first], at[last] + access.bytes, first == last ? at[first] : at[first] | access.bytes};
  Extent extent;
  if (access.lanes == (lanes == 64 ? ~uint64_t{0} : 0xffffffffu)) {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      extent.low = std::min(extent.low, at[lane]);
      extent.high = std::max(extent.high, at[lane]);
      extent.bits |= at[lane];
    }
  } else {
    for (uint64_t left = access.lanes; left; left &= left - 1) {
      const uint64_t address = at[std::countr_zero(left)];
      extent.low = std::min(extent.low, address);
      extent.high = std::max(extent.high, address);
      extent.bits |= address;
    }
  }
  extent.high += access.bytes;
  return extent;
}

template <class Is>
uint64_t lanes_where(uint64_t lanes, Is is) {
  uint64_t found = 0;
  for (; lanes; lanes &= lanes - 1)
    if (is(std::countr_zero(lanes))) found |= lanes & -lanes;
  return found;
}

}  // namespace

class MemoryListener::Workgroup final : public emulate::WorkgroupListener {
 public:
  Workgroup(MemoryListener& launch, const emulate::WorkgroupView& view)
      : launch_(launch),
        cache_(launch.take_cache()),
        reporter_(launch.findings_, launch.launch_, launch.releases_, view),
        private_bytes_(reporter_.private_bytes()) {}
  void ends() override { launch_.give_back(std::move(cache_)); }
  void access(const WaveView& wave, const Site& site, const MemoryAccess& access) override {
    ++event_;
    switch (access.space) {
      case AddressSpace::Global:
        if (access.lanes) global(wave, site, access);
        break;
      case AddressSpace::Lds:
        if (access.dropped) reporter_.beyond_lds({wave, site, access, access.dropped, event_});
        if (access.lanes) lds(wave, site, access);
        break;
      case AddressSpace::Private:
        own(wave, site, access);
        break;
    }
  }

  void refused(const WaveView& wave, const Site& site, const MemoryAccess& access) override {
    ++event_;
    launch_.found_ = true;
    if (told_ == std::pair(&site, wave.index())) return;
    const FaultyAccess faulty{wave, site, access, access.lanes, event_};
    if (access.space == AddressSpace::Private)
      reporter_.beyond_private(faulty);
    else
      reporter_.out_of_bounds(faulty);
  }

 private:
  void global(const WaveView& wave, const Site& site, const MemoryAccess& access) {
    if (cache_->releases != launch_.releases_.count()) [[unlikely]]
      *cache_ = {.releases = launch_.releases_.count()};
    const Extent extent = extent_of(access, wave.lanes());
    Span& known = cache_->spans[site.number % Cache::kSites];
    if (!known.holds(extent.low, extent.high)) [[unlikely]]
      look_up(wave, site, access, extent, known);
    if (access.direction != Direction::Load && known.guarded) [[unlikely]]
      guarded(wave, site, access);
    if (access.direction == Direction::Atomic && extent.bits & (access.bytes - 1)) [[unlikely]]
      misaligned(wave, site, access);
    if (access.ignored) [[unlikely]]
      reporter_.misaligned_scalar({wave, site, access, 1, event_});
  }

  /// An access that leaves what its instruction went to last: to another allocation, to several, or wrong.
  void look_up(const WaveView& wave, const Site& site, const MemoryAccess& access, const Extent& extent,
               Span& known) {
    reporter_.resource({wave, site, access, access.lanes, event_});
    known = launch_.spans_.around(extent.low);
    if (access.direction == Direction::Load && launch_.strays_.may_be_in(extent.low, extent.high)) {
      launch_.strays_.note_read(extent.low, extent.high);
      known = {};  // so that the next one comes here, too
      return;
    }
    if (known.holds(extent.low, extent.high)) return;
    const uint64_t wrong = lanes_where(access.lanes, [&](int lane) {
      const uint64_t low = access.address[lane], high = low + access.bytes;
      if (known.holds(low, high)) return false;
      if (low < known.begin || low >= known.end) known = launch_.spans_.around(low);
      return !known.holds(low, high) && !is_tail(access, known);
    });
    if (wrong == 0) return;
    launch_.found_ = true;
    told_ = {&site, wave.index()};
    reporter_.out_of_bounds({wave, site, access, wrong, event_});
  }

  /// Compilers make scalar loads of whole dwords, and of four for three, where their alignment keeps them in
  /// one page.
  static bool is_tail(const MemoryAccess& access, const Span& known) {
    if (!access.scalar || access.direction != Direction::Load) return false;
    const uint64_t low = access.address[0], inside = known.end - low;
    if (low < known.begin || low >= known.end) return false;
    return access.bytes <= 4 ? low % 4 == 0 : access.bytes == 16 && low % 16 == 0 && inside > 8;
  }

  void guarded(const WaveView& wave, const Site& site, const MemoryAccess& access) {
    const char* what = nullptr;
    const uint64_t wrong = lanes_where(access.lanes, [&](int lane) {
      const uint64_t low = access.address[lane];
      const char* const here = launch_.spans_.guarded_by(low, low + access.bytes);
      if (here) what = here;
      return here != nullptr;
    });
    if (wrong) reporter_.read_only({wave, site, access, wrong, event_}, what);
  }

  void misaligned(const WaveView& wave, const Site& site, const MemoryAccess& access) {
    launch_.found_ = true;
    told_ = {&site, wave.index()};
    const uint64_t wrong =
        lanes_where(access.lanes, [&](int lane) { return (access.address[lane] & (access.bytes - 1)) != 0; });
    reporter_.misaligned_atomic({wave, site, access, wrong, event_});
  }

  void lds(const WaveView& wave, const Site& site, const MemoryAccess& access) {
    const bool atomic = access.direction == Direction::Atomic;
    if (access.bytes < 8 && !atomic) return;
    // Two dwords that ds_read2_b32 takes side by side need the alignment of one.
    const uint32_t unit = site.row && site.row->access.places == 2 ? site.row->access.bytes : access.bytes;
    const uint32_t mask = unit == 12 ? 3 : unit - 1;
    if ((extent_of(access, wave.lanes()).bits & mask) == 0) [[likely]]
      return;
    if (atomic) return misaligned(wave, site, access);
    reporter_.misaligned_lds(
        {wave, site, access,
         lanes_where(access.lanes, [&](int lane) { return (access.address[lane] & mask) != 0; }), event_});
  }

  void own(const WaveView& wave, const Site& site, const MemoryAccess& access) {
    const uint64_t wrong = lanes_where(
        access.lanes, [&](int lane) { return access.address[lane] + access.bytes > private_bytes_; });
    if (wrong) [[unlikely]]
      reporter_.beyond_private({wave, site, access, wrong, event_});
  }

  MemoryListener& launch_;
  std::unique_ptr<Cache> cache_;
  MemoryReporter reporter_;
  uint64_t private_bytes_;
  uint64_t event_ = 0;
  std::pair<const Site*, uint32_t> told_ = {};  ///< the last wrong access that may fault, and its wave
};

std::unique_ptr<emulate::WorkgroupListener> MemoryListener::workgroup(const emulate::WorkgroupView& view) {
  return std::make_unique<Workgroup>(*this, view);
}

std::unique_ptr<MemoryListener::Cache> MemoryListener::take_cache() {
  const std::scoped_lock lock(mutex_);
  if (caches_.empty()) return std::make_unique<Cache>(Cache{.releases = releases_.count()});
  std::unique_ptr<Cache> cache = std::move(caches_.back());
  caches_.pop_back();
  return cache;
}

void MemoryListener::give_back(std::unique_ptr<Cache> cache) {
  const std::scoped_lock lock(mutex_);
  caches_.push_back(std::move(cache));
}

}  // namespace wavesmith::check
