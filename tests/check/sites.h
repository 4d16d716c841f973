// What a launch does, instruction by instruction, as mutants.cc tells it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulate/run/events.h"
#include "isa/cost/cost.h"
#include "isa/each_counter.h"
#include "isa/effects.h"
#include "tests/check/bytes_of_waves.h"

namespace wavesmith::mutants {

struct Buffer {
  uint8_t* at;
  size_t size;
};

/// Which instructions are executed, how much was under way before each wait, and which buffers are accessed.
class Sites : public emulate::Listener {
 public:
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override {
    return std::make_unique<OfWorkgroup>(*this, view.id);
  }
  using Counts = std::map<isa::Counter, uint32_t>;
  std::set<uint64_t> pcs;
  std::set<std::pair<uint64_t, uint64_t>> jumps;  ///< branches that were taken, and to where
  std::map<uint64_t, std::set<int>> read;  ///< by pc of s_wait_alu, scalar registers that the VALU had read
  std::map<uint64_t, Counts> waits;        ///< the most, by counter
  std::map<uint64_t, std::set<int>> accesses;  ///< by pc, the buffers
  std::set<uint64_t> resets;                   ///< that write to LDS where something was written before
  std::set<uint64_t> early;  ///< that use what is under way: registers, or LDS behind a barrier
  Sites(const isa::Target& target, std::span<const Buffer> buffers) : target_(target), buffers_(buffers) {}
  /// Loads of device memory that are under way at a barrier, of what another wave writes.
  [[nodiscard]] std::set<uint64_t> overwritten() const {
    std::set<uint64_t> found;
    for (const LateLoad& load : late_loads_)
      if (std::ranges::any_of(load.bytes,
                              [&](uint64_t byte) { return writers_.by_another(byte, load.wave); }))
        found.insert(load.pc);
    return found;
  }

 private:
  struct LateLoad {
    uint64_t pc, wave;
    std::vector<uint64_t> bytes;
  };
  struct UnderWay {
    const emulate::Site* site;
    isa::Counter counter;
    bool scalar;
    uint64_t exec;
    std::vector<isa::RegisterRange> into;
    bool used = false;  ///< of two queues of a flat access the one of the memory that it is of
    std::vector<uint64_t> reads = {}, writes = {};  ///< bytes of LDS, or, of loads alone, of device memory
    std::vector<uint64_t> fills = {};  ///< bytes of LDS that a load from device memory will write
    [[nodiscard]] bool of_lds() const {
      return !scalar && (counter == isa::Counter::Lgkm || counter == isa::Counter::Ds);
    }
    /// others: registers that lanes use.
    [[nodiscard]] bool meets(std::span<const isa::RegisterRange> others, uint64_t lanes) const {
      return std::ranges::any_of(others, [&](const isa::RegisterRange& other) {
        return std::ranges::any_of(into, [&](const isa::RegisterRange& own) {
          return own.overlaps(other) && (own.first >= isa::reg::kSgpr || (exec & lanes));
        });
      });
    }
  };
  struct OfWorkgroup : emulate::WorkgroupListener {
    OfWorkgroup(Sites& all, const Extent3& id) : all(all), id(id) {}
    ~OfWorkgroup() override {
      const std::scoped_lock lock(all.mutex_);
      all.pcs.insert(pcs.begin(), pcs.end());
      all.jumps.insert(jumps.begin(), jumps.end());
      for (const auto& [pc, registers] : read) all.read[pc].insert(registers.begin(), registers.end());
      for (const auto& [pc, counts] : waits)
        for (const auto& [counter, count] : counts) raise(all.waits[pc][counter], count);
      for (const auto& [pc, buffers] : accesses) all.accesses[pc].insert(buffers.begin(), buffers.end());
      all.early.insert(early.begin(), early.end());
      all.resets.insert(resets.begin(), resets.end());
    }
    /// What is under way to registers, and uses of these before it has come. Vector memory and LDS come back
    /// in order, scalar loads in any.
    void follow_loads(const emulate::WaveView& view, const emulate::Site& site) {
      const std::string_view mnemonic = site.instruction.mnemonic;
      auto [found, fresh] = effects.try_emplace(&site);
      if (fresh)
        found->second =
            isa::effects_of(site.instruction, site.row, all.target_, static_cast<int>(view.lanes()));
      const auto touches = [&](const UnderWay& one) {
        // Of LDS a later load comes later, into whatever register.
        const bool behind = one.of_lds() && mnemonic.starts_with("ds_");
        const isa::Effects& effects = found->second;
        constexpr uint64_t kAll = ~uint64_t{0};
        return one.meets(effects.reads, effects.all_lanes ? kAll : view.exec()) ||
               (!behind && one.meets(effects.writes, effects.masked ? view.exec() : kAll));
      };
      std::map<isa::Counter, std::deque<UnderWay>>& mine = loads[view.index()];
      for (auto& [counter, under_way] : mine)
        if (std::ranges::any_of(under_way, touches)) early.insert(site.instruction.pc);
      if (mnemonic.starts_with("s_barrier") && !mnemonic.ends_with("wait")) meet(view.index(), site);
      if (site.wait.waits())
        isa::each_counter(site.wait, [&](isa::Counter counter, uint16_t limit) {
          std::deque<UnderWay>& under_way = mine[counter];
          if (limit && std::ranges::any_of(under_way, &UnderWay::scalar)) return;
          for (; under_way.size() > limit; under_way.pop_front())
            for (const uint64_t byte : under_way.front().fills) --filling[view.index()][byte];
        });
      for (const isa::Counter counter : isa::counters_of(site.instruction, site.row, all.target_))
        if (counter != isa::Counter::Vs && counter != isa::Counter::Store)
          mine[counter].push_back(
              {&site, counter, mnemonic.starts_with("s_"), view.exec(), found->second.writes});
    }
    /// Behind a barrier others may use what has been accessed, but not while the accesses are under way.
    void meet(uint32_t wave, const emulate::Site& site) {
      const uint32_t next = ++meetings[wave];
      for (auto& [counter, under_way] : loads[wave])
        for (UnderWay& one : under_way) {
          const uint64_t pc = site.instruction.pc;
          for (const uint64_t byte : one.fills) late_writes[{next, byte}][wave] = pc;
          if (one.of_lds()) {
            for (const uint64_t byte : one.reads) late_reads[{next, byte}][wave] = pc;
            for (const uint64_t byte : one.writes) late_writes[{next, byte}][wave] = pc;
          } else if (!one.scalar && !one.reads.empty()) {
            const std::scoped_lock lock(all.mutex_);
            all.late_loads_.push_back(
                {one.site->instruction.pc, number_of(id, wave), std::exchange(one.reads, {})});
          }
        }
    }
    using Place = std::pair<uint32_t, uint64_t>;                 ///< behind so many barriers, a byte of LDS
    using Late = std::map<Place, std::map<uint32_t, uint64_t>>;  ///< by wave, the last barrier's pc
    /// What was under way at the last barrier and is used now, by another wave.
    void look_for(const Late& late, uint64_t byte, uint32_t wave) {
      const auto found = late.find({meetings[wave], byte});
      if (found == late.end()) return;
      for (const auto& [other, pc] : found->second)
        if (other != wave) early.insert(pc);
    }
    /// Notes which bytes are accessed, and by what is under way.
    void follow_bytes(uint32_t wave, const emulate::Site& site, const emulate::MemoryAccess& access) {
      const bool lds = access.space == emulate::AddressSpace::Lds;
      // What a load brings to LDS from memory comes later than what LDS has in its queue by then.
      const bool from_memory = isa::loads_to_lds(site.instruction);
      const bool loads_it = access.direction != isa::Direction::Store;
      const bool stores_it = access.direction != isa::Direction::Load;
      UnderWay* own = nullptr;
      for (auto& [counter, under_way] : loads[wave]) {
        if (under_way.empty() || under_way.back().site != &site) continue;
        UnderWay& one = under_way.back();
        if (one.of_lds() == lds) {
          own = &one;
          own->used = true;
          own->into = effects.at(&site).writes;
        } else if (lds && from_memory) {
          each_byte(access, [&](uint64_t byte) {
            one.fills.push_back(byte);
            ++filling[wave][byte];
          });
        } else if (!one.used) {
          one.into.clear();
        }
      }
      const auto is_filling = [&, &bytes = filling[wave]](uint64_t byte) {
        const auto found = bytes.find(byte);
        return found != bytes.end() && found->second > 0;
      };
      each_byte(access, [&](uint64_t byte) {
        if (lds && !from_memory && is_filling(byte)) early.insert(site.instruction.pc);
        if (lds) look_for(late_writes, byte, wave);
        if (lds && stores_it && !from_memory) look_for(late_reads, byte, wave);
        if (own && loads_it && (lds || !stores_it))
          own->reads.push_back(byte);  // memory does atomics at once
        if (own && stores_it) own->writes.push_back(byte);
      });
      if (lds || !stores_it) return;
      const std::scoped_lock lock(all.mutex_);
      all.writers_.add(access, number_of(id, wave));
    }
    /// Which scalar registers a wave's vector instructions have read, VCC's among them.
    void follow_scalars(const emulate::WaveView& view, const emulate::Site& site) {
      std::set<int>& mine = scalars[view.index()];
      if (site.instruction.mnemonic == "s_wait_alu")
        read[site.instruction.pc].insert(mine.begin(), mine.end());
      if (!site.instruction.mnemonic.starts_with("v_")) return;
      for (const isa::RegisterRange range : effects.at(&site).reads)
        for (int r = range.first; r < range.first + range.count; ++r)
          if (r >= isa::reg::kSgpr) mine.insert(r - isa::reg::kSgpr);
    }
    void look(const emulate::Site& site, const emulate::MemoryAccess& access) {
      if (access.space == emulate::AddressSpace::Lds && access.direction == isa::Direction::Store)
        for (size_t lane = 0; lane < emulate::kRowLanes; ++lane)
          if (access.lanes >> lane & 1)
            if (!lds_written.insert(access.address[lane]).second) resets.insert(site.instruction.pc);
      if (access.space != emulate::AddressSpace::Global || access.scalar) return;
      for (size_t lane = 0; lane < emulate::kRowLanes; ++lane)
        if (access.lanes >> lane & 1)
          accesses[site.instruction.pc].insert(all.buffer_of(access.address[lane], access.bytes));
    }
    void access(const emulate::WaveView& view, const emulate::Site& site,
                const emulate::MemoryAccess& access) override {
      look(site, access);
      if (access.space != emulate::AddressSpace::Private) follow_bytes(view.index(), site, access);
    }
    void refused(const emulate::WaveView&, const emulate::Site& site,
                 const emulate::MemoryAccess& access) override {
      look(site, access);
    }
    void instruction(const emulate::WaveView& view, const emulate::Site& site) override {
      const uint64_t pc = site.instruction.pc;
      pcs.insert(pc);
      follow_loads(view, site);
      const isa::Instruction*& before = last[view.index()];
      if (before && before->pc + before->size != pc) jumps.emplace(before->pc, pc);
      before = &site.instruction;
      follow_scalars(view, site);
      Counts& mine = outstanding[view.index()];
      if (site.wait.waits())
        isa::each_counter(site.wait, [&](isa::Counter counter, uint16_t limit) {
          raise(waits[site.instruction.pc][counter], mine[counter]);
          mine[counter] = std::min<uint32_t>(mine[counter], limit);
        });
      for (const isa::Counter counter : isa::counters_of(site.instruction, site.row, all.target_))
        ++mine[counter];
    }
    static void raise(uint32_t& most, uint32_t count) { most = std::max(most, count); }
    Sites& all;
    Extent3 id;
    std::set<uint64_t> pcs;
    std::set<std::pair<uint64_t, uint64_t>> jumps;
    std::map<uint32_t, const isa::Instruction*> last;  ///< by wave
    std::map<uint32_t, std::set<int>> scalars;         ///< by wave, that vector instructions have read
    std::map<uint64_t, std::set<int>> read;
    std::map<uint32_t, Counts> outstanding;  ///< by wave
    std::map<uint64_t, Counts> waits;
    std::map<uint64_t, std::set<int>> accesses;
    std::map<uint32_t, std::map<isa::Counter, std::deque<UnderWay>>> loads;  ///< by wave, the oldest first
    std::map<const emulate::Site*, isa::Effects> effects;
    std::map<uint32_t, uint32_t> meetings;  ///< by wave, the barriers that it came to
    Late late_reads, late_writes;
    /// By wave, how many loads from device memory under way will write a byte of LDS.
    std::map<uint32_t, std::unordered_map<uint64_t, int>> filling;
    std::set<uint64_t> early, resets, lds_written;
  };
  [[nodiscard]] int buffer_of(uint64_t address, uint32_t bytes) const {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const auto begin = reinterpret_cast<uint64_t>(buffers_[i].at);
      if (address >= begin && address + bytes <= begin + buffers_[i].size) return static_cast<int>(i);
    }
    return -1;
  }
  const isa::Target& target_;
  std::span<const Buffer> buffers_;
  std::mutex mutex_;
  std::vector<LateLoad> late_loads_;
  BytesOfWaves writers_;
};

}  // namespace wavesmith::mutants
