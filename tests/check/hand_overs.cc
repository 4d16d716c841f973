#include "tests/check/hand_overs.h"

#include <algorithm>

#include "isa/coherence.h"

namespace wavesmith::mutants {

class HandOvers::OfWorkgroup : public emulate::WorkgroupListener {
 public:
  OfWorkgroup(HandOvers& all, const Extent3& id) : all_(all), id_(id) {}

  void access(const emulate::WaveView& view, const emulate::Site& site,
              const emulate::MemoryAccess& access) override {
    if (access.space != emulate::AddressSpace::Global) return;
    const bool load = access.direction == isa::Direction::Load;
    if (load && isa::reaches_other_workgroups(site.instruction)) return;
    const std::scoped_lock lock(all_.mutex_);
    (load ? all_.readers_ : all_.writers_).add(access, number_of(id_, view.index()));
  }

 private:
  HandOvers& all_;
  Extent3 id_;
};

std::unique_ptr<emulate::WorkgroupListener> HandOvers::workgroup(const emulate::WorkgroupView& view) {
  return std::make_unique<OfWorkgroup>(*this, view.id);
}

bool HandOvers::any() const {
  return std::ranges::any_of(readers_.all(),
                             [&](const auto& read) { return writers_.by_another(read.first, read.second); });
}

}  // namespace wavesmith::mutants
