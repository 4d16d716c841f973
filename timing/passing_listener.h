// A listener of a workgroup that stands before another one.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "emulate/run/events.h"

namespace wavesmith::timing {

/// Passes on what it hears. Who overrides a function calls this one's from there.
class PassingListener : public emulate::WorkgroupListener {
 public:
  /// `next`: who hears everything, too; nullptr: nobody does.
  explicit PassingListener(std::unique_ptr<emulate::WorkgroupListener> next) : next_(std::move(next)) {}
  void wave_begins(const emulate::WaveView& wave) override {
    if (next_) next_->wave_begins(wave);
  }
  void wave_ends(const emulate::WaveView& wave) override {
    if (next_) next_->wave_ends(wave);
  }
  void instruction(const emulate::WaveView& wave, const emulate::Site& site) override {
    if (next_) next_->instruction(wave, site);
  }
  void access(const emulate::WaveView& wave, const emulate::Site& site,
              const emulate::MemoryAccess& access) override {
    if (next_) next_->access(wave, site, access);
  }
  void barrier_completes() override {
    if (next_) next_->barrier_completes();
  }
  void ends() override {
    if (next_) next_->ends();
  }
  std::optional<uint64_t> cycles(const emulate::WaveView& wave) override {
    return next_ ? next_->cycles(wave) : std::nullopt;
  }

 private:
  std::unique_ptr<emulate::WorkgroupListener> next_;
};

}  // namespace wavesmith::timing
