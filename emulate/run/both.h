// Two listeners that hear the same launch.
#pragma once

#include <memory>
#include <utility>

#include "emulate/run/events.h"

namespace wavesmith::emulate {

class Both final : public Listener {
 public:
  Listener *first = nullptr, *second = nullptr;  ///< nullptr: nobody

  std::unique_ptr<WorkgroupListener> workgroup(const WorkgroupView& group) override {
    auto a = first ? first->workgroup(group) : nullptr, b = second ? second->workgroup(group) : nullptr;
    if (!a || !b) return a ? std::move(a) : std::move(b);
    return std::make_unique<Pair>(std::move(a), std::move(b));
  }

 private:
  class Pair final : public WorkgroupListener {
   public:
    Pair(std::unique_ptr<WorkgroupListener> a, std::unique_ptr<WorkgroupListener> b)
        : a_(std::move(a)), b_(std::move(b)) {}
    void wave_begins(const WaveView& wave) override { a_->wave_begins(wave), b_->wave_begins(wave); }
    void wave_ends(const WaveView& wave) override { a_->wave_ends(wave), b_->wave_ends(wave); }
    void instruction(const WaveView& wave, const Site& site) override {
      a_->instruction(wave, site), b_->instruction(wave, site);
    }
    void access(const WaveView& wave, const Site& site, const MemoryAccess& access) override {
      a_->access(wave, site, access), b_->access(wave, site, access);
    }
    void barrier_completes() override { a_->barrier_completes(), b_->barrier_completes(); }
    void ends() override { a_->ends(), b_->ends(); }
    std::optional<uint64_t> cycles(const WaveView& wave) override {
      const auto first = a_->cycles(wave);
      return first ? first : b_->cycles(wave);
    }

   private:
    std::unique_ptr<WorkgroupListener> a_, b_;
  };
};

}  // namespace wavesmith::emulate
