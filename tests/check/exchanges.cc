#include "tests/check/exchanges.h"

#include <algorithm>
#include <deque>
#include <string_view>

#include "isa/cost/cost.h"
#include "isa/each_counter.h"

namespace wavesmith::mutants {
namespace {

/// Not of LDS alone, as the other counter of flat accesses.
bool is_of_memory(isa::Counter counter) {
  return counter != isa::Counter::Lgkm && counter != isa::Counter::Ds;
}

}  // namespace

class Exchanges::OfWorkgroup : public emulate::WorkgroupListener {
 public:
  OfWorkgroup(Exchanges& all, Workgroup& workgroup) : all_(all), workgroup_(workgroup) {}

  void instruction(const emulate::WaveView& view, const emulate::Site& site) override {
    Wave& wave = waves_[view.index()];
    ++wave.now.instruction;
    if (site.barrier == emulate::BarrierStep::Arrive || site.barrier == emulate::BarrierStep::ArriveAndWait)
      ++wave.now.barriers;
    if (site.wait.waits())
      isa::each_counter(site.wait, [&](isa::Counter counter, uint16_t limit) {
        std::deque<Stored>& under_way = wave.under_way[counter];
        for (; under_way.size() > limit; under_way.pop_front())
          if (std::vector<uint64_t>& bytes = under_way.front().bytes; !bytes.empty())
            workgroup_.waited.push_back({site.instruction.pc, view.index(), wave.now, std::move(bytes)});
      });
    for (const isa::Counter counter : isa::counters_of(site.instruction, site.row, all_.target_))
      wave.under_way[counter].push_back({&site, {}});
  }

  void access(const emulate::WaveView& view, const emulate::Site& site,
              const emulate::MemoryAccess& access) override {
    if (access.space != emulate::AddressSpace::Global) return;
    Wave& wave = waves_[view.index()];
    const bool reads = access.direction != isa::Direction::Store;
    const bool writes = access.direction != isa::Direction::Load;
    Stored* under_way = nullptr;
    for (auto& [counter, all] : wave.under_way)
      if (is_of_memory(counter) && writes && !all.empty() && all.back().site == &site)
        under_way = &all.back();
    each_byte(access, [&](uint64_t byte) {
      Use& use = workgroup_.uses[{byte, view.index()}];
      if (reads) use.read = wave.now;
      if (writes) use.written = wave.now;
      use.reads |= reads;
      use.writes |= writes;
      if (under_way) under_way->bytes.push_back(byte);
    });
    const std::scoped_lock lock(all_.mutex_);
    if (reads) all_.readers_.add(access, number_of(workgroup_.id, 0));
    if (writes) all_.writers_.add(access, number_of(workgroup_.id, 0));
  }

 private:
  struct Stored {
    const emulate::Site* site;
    std::vector<uint64_t> bytes;
  };
  struct Wave {
    Moment now;
    std::map<isa::Counter, std::deque<Stored>> under_way;
  };
  Exchanges& all_;
  Workgroup& workgroup_;
  std::map<uint32_t, Wave> waves_;
};

std::unique_ptr<emulate::WorkgroupListener> Exchanges::workgroup(const emulate::WorkgroupView& view) {
  const std::scoped_lock lock(mutex_);
  workgroups_.push_back(std::make_unique<Workgroup>());
  workgroups_.back()->id = view.id;
  return std::make_unique<OfWorkgroup>(*this, *workgroups_.back());
}

bool Exchanges::is_needed(const Workgroup& workgroup, const Waited& waited) const {
  for (const uint64_t byte : waited.bytes)
    for (auto use = workgroup.uses.lower_bound({byte, 0}); use != workgroup.uses.end(); ++use) {
      if (use->first.first != byte) break;
      if (use->first.second != waited.wave) return true;
    }
  const uint64_t own = number_of(workgroup.id, 0);
  return std::ranges::any_of(workgroup.uses, [&](const auto& entry) {
    const auto& [place, use] = entry;
    const auto behind = [&, wave = place.second](const Moment& moment) {
      if (wave == waited.wave) return moment.instruction > waited.moment.instruction;
      return moment.barriers >= waited.moment.barriers;
    };
    const bool written_elsewhere = writers_.by_another(place.first, own);
    if (use.writes && behind(use.written) && (written_elsewhere || readers_.by_another(place.first, own)))
      return true;
    return use.reads && behind(use.read) && written_elsewhere;
  });
}

std::set<uint64_t> Exchanges::needed() const {
  std::set<uint64_t> pcs;
  for (const auto& workgroup : workgroups_)
    for (const Waited& waited : workgroup->waited)
      if (!pcs.contains(waited.pc) && is_needed(*workgroup, waited)) pcs.insert(waited.pc);
  return pcs;
}

}  // namespace wavesmith::mutants
