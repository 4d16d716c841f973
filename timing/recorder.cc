#include "timing/recorder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "timing/memory/line_map.h"
#include "timing/memory/shape_map.h"

namespace wavesmith::timing {

/// One workgroup's part; its calls come from one thread at a time.
class RecordingGroup final : public emulate::WorkgroupListener {
 public:
  RecordingGroup(Recorder& recorder, WorkgroupRecord& record) : recorder_(recorder), record_(record) {
    record.waves.clear();  // of a run that was stopped
  }

  void wave_begins(const emulate::WaveView& wave) override {
    if (record_.waves.size() <= wave.index()) record_.waves.resize(wave.index() + 1);
    record_.waves[wave.index()].index = wave.index();
  }

  void instruction(const emulate::WaveView& view, const emulate::Site& site) override {
    WaveRecord& wave = of(view);
    ++wave.executed;
    recording_ = wave.sites.size() < recorder_.most_;
    if (!recording_) return;
    now_ = &known_of(site);
    wave.sites.push_back(now_->number);
    if (now_->memory) wave.access_counts.push_back(0);
  }

  void access(const emulate::WaveView& view, const emulate::Site&,
              const emulate::MemoryAccess& access) override {
    WaveRecord& wave = of(view);
    if (!recording_ || wave.access_counts.empty() || !now_ || !now_->memory) return;
    AccessRecord record;
    record.space = now_->scalar                                     ? AccessSpace::Scalar
                   : access.space == emulate::AddressSpace::Lds     ? AccessSpace::Lds
                   : access.space == emulate::AddressSpace::Private ? AccessSpace::Private
                                                                    : AccessSpace::Global;
    record.kind = access.direction == isa::Direction::Store    ? AccessKind::Store
                  : access.direction == isa::Direction::Atomic ? AccessKind::Atomic
                                                               : AccessKind::Load;
    record.bytes = static_cast<uint16_t>(access.bytes);
    record.lanes = access.scalar ? 1 : access.lanes & ~access.dropped;
    record.bypasses = now_->bypasses;
    if (record.lanes == 0 && !access.scalar) return;
    const auto address = [&](int lane) -> uint64_t {
      const uint64_t at = access.address[lane];
      if (record.space != AccessSpace::Private) return at;
      // Private memory is interleaved by dwords; each wave has its own.
      return emulate::kPrivateAperture + (uint64_t{serial(view)} << 32) +
             ((at / 4) * view.lanes() + static_cast<uint64_t>(lane)) * 4 + at % 4;
    };
    const int first = std::countr_zero(record.lanes);
    // Mostly it is all lanes up to one: loops without a branch for each.
    const auto count = static_cast<size_t>(std::popcount(record.lanes));
    const bool all = record.space != AccessSpace::Private && (record.lanes & (record.lanes + 1)) == 0;
    record.base = address(first);
    record.affine = true;
    uint64_t rest = record.lanes & (record.lanes - 1);
    if (rest != 0) {
      const int second = std::countr_zero(rest);
      const auto distance = static_cast<int64_t>(address(second) - record.base);
      record.affine = distance % (second - first) == 0;
      record.stride = distance / (second - first);
      if (all && record.affine) {
        uint64_t differ = 0;
        for (size_t lane = 0; lane < count; ++lane)
          differ |= access.address[lane] ^ (record.base + lane * static_cast<uint64_t>(record.stride));
        record.affine = differ == 0;
        rest = 0;
      }
      for (; record.affine && rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        record.affine = address(lane) == record.base + static_cast<uint64_t>(record.stride * (lane - first));
      }
      if (record.affine) record.base -= static_cast<uint64_t>(record.stride * first);
    }
    bool may_come_again = true;
    if (!record.affine) {
      // A loop comes to the same shape again and again.
      std::array<uint64_t, emulate::kRowLanes> offsets{};
      if (all) {
        for (size_t lane = 0; lane < count; ++lane) offsets[lane] = access.address[lane] - record.base;
      } else {
        size_t next = 0;
        for (uint64_t lanes = record.lanes; lanes != 0; lanes &= lanes - 1)
          offsets[next++] = address(std::countr_zero(lanes)) - record.base;
      }
      if (now_->offsets.size() <= view.index()) now_->offsets.resize(view.index() + 1);
      std::vector<uint32_t>& known = now_->offsets[view.index()];
      const auto same = [&](uint32_t at) {
        return at + count <= wave.offsets.size() &&
               std::equal(offsets.begin(), offsets.begin() + static_cast<ptrdiff_t>(count),
                          wave.offsets.begin() + static_cast<ptrdiff_t>(at));
      };
      const auto found = std::find_if(known.begin(), known.end(), same);
      if (found != known.end()) {
        record.first = *found;
      } else {
        record.first = static_cast<uint32_t>(wave.offsets.size());
        wave.offsets.insert(wave.offsets.end(), offsets.begin(),
                            offsets.begin() + static_cast<ptrdiff_t>(count));
        may_come_again = known.size() < 4;
        if (may_come_again) known.push_back(record.first);
      }
    }
    if (now_->neighbours && wave.access_counts.back() == 1 && beside(wave, wave.accesses.back(), record)) {
      AccessRecord& both = wave.accesses.back();
      both.base = std::min(both.base, record.base);
      both.bytes = static_cast<uint16_t>(2 * both.bytes);
      if (both.shape != AccessRecord::kNoShape) both.shape = shape_of(view.index(), wave, both);
      return;
    }
    if (wave.access_counts.back() == 0xff) return;
    ++wave.access_counts.back();
    if (may_come_again && record.space != AccessSpace::Scalar)
      record.shape = shape_of(view.index(), wave, record);
    wave.accesses.push_back(record);
  }

 private:
  struct Known {
    uint32_t number = 0;
    bool memory = false, scalar = false, bypasses = false, neighbours = false;
    std::vector<std::vector<uint32_t>> offsets;  ///< by wave: where those stand that its accesses have had
  };
  Known& known_of(const emulate::Site& site) {
    Recent& recent = recent_[reinterpret_cast<uint64_t>(&site) * kGolden >> (64 - kRecent)];
    if (recent.site != &site) {
      const auto [at, added] = known_.try_emplace(&site);
      if (added) {
        const uint32_t number = recorder_.number_of(site);
        const std::scoped_lock lock(recorder_.mutex_);
        const Op& op = recorder_.ops_[number];
        at->second = {number, op.memory, op.cost.pipe == isa::Pipe::Smem, op.bypasses, op.neighbours, {}};
      }
      recent = {&site, &at->second};
    }
    return *recent.known;
  }
  /// The number of an access's shape.
  uint32_t shape_of(uint32_t index, const WaveRecord& wave, const AccessRecord& access) {
    const AccessShape shape = AccessShape::of(index, access);
    if (const uint32_t* const known = numbers_.find(shape)) return *known;
    std::span<const uint64_t> offsets;
    if (!access.affine)
      offsets =
          std::span(wave.offsets).subspan(access.first, static_cast<size_t>(std::popcount(access.lanes)));
    const std::scoped_lock lock(recorder_.mutex_);
    const uint32_t number = recorder_.shapes_.number_of(access, offsets);
    if (number != AccessRecord::kNoShape) numbers_.insert(shape, number);
    return number;
  }
  /// Whether the access is of the same lanes as the one before, just behind or before what that took.
  static bool beside(const WaveRecord& wave, const AccessRecord& before, const AccessRecord& record) {
    const uint64_t distance =
        record.base > before.base ? record.base - before.base : before.base - record.base;
    if (distance != record.bytes || before.bytes != record.bytes || before.lanes != record.lanes ||
        before.affine != record.affine)
      return false;
    if (record.affine) return before.stride == record.stride;
    const auto first = wave.offsets.begin() + before.first, second = wave.offsets.begin() + record.first;
    return std::equal(first, first + std::popcount(record.lanes), second);
  }
  WaveRecord& of(const emulate::WaveView& view) {
    if (record_.waves.size() <= view.index()) record_.waves.resize(view.index() + 1);
    return record_.waves[view.index()];
  }
  uint32_t serial(const emulate::WaveView& view) const {
    return (record_.id[0] * 8191 + record_.id[1] * 127 + record_.id[2]) * 16 + view.index();
  }

  Recorder& recorder_;
  WorkgroupRecord& record_;
  std::unordered_map<const emulate::Site*, Known> known_;
  static constexpr int kRecent = 7;  ///< bits
  struct Recent {
    const emulate::Site* site = nullptr;
    Known* known = nullptr;
  };
  std::array<Recent, 1 << kRecent> recent_;  ///< of these, the one that each place had last
  ShapeMap<uint32_t> numbers_;               ///< of the shapes that this workgroup has had
  Known* now_ = nullptr;
  bool recording_ = false;
};

Recorder::Recorder(const isa::Target& target, int wave_lanes, const Extent3& extent,
                   const std::vector<uint64_t>& groups, uint64_t most)
    : extent_(extent), most_(most), ops_(target, wave_lanes) {
  for (const uint64_t group : groups) records_[group];
}

std::unique_ptr<emulate::WorkgroupListener> Recorder::workgroup(const emulate::WorkgroupView& group) {
  const auto at = records_.find(extent_.number_at(group.id));
  if (at == records_.end()) return nullptr;
  at->second.id = group.id;
  return std::make_unique<RecordingGroup>(*this, at->second);
}

uint32_t Recorder::number_of(const emulate::Site& site) {
  const std::scoped_lock lock(mutex_);
  const auto [at, added] = numbers_.try_emplace(site.instruction.pc, 0);
  if (added) at->second = ops_.add(site.instruction, site.row);
  return at->second;
}

}  // namespace wavesmith::timing
