#include "emulate/run/listeners.h"

#include <optional>
#include <utility>

namespace wavesmith::emulate {
namespace {

class Several final : public WorkgroupListener {
 public:
  explicit Several(std::vector<std::unique_ptr<WorkgroupListener>> listeners)
      : listeners_(std::move(listeners)) {}
  void wave_begins(const WaveView& wave) override {
    for (const auto& one : listeners_) one->wave_begins(wave);
  }
  void wave_ends(const WaveView& wave) override {
    for (const auto& one : listeners_) one->wave_ends(wave);
  }
  void instruction(const WaveView& wave, const Site& site) override {
    for (const auto& one : listeners_) one->instruction(wave, site);
  }
  void access(const WaveView& wave, const Site& site, const MemoryAccess& access) override {
    for (const auto& one : listeners_) one->access(wave, site, access);
  }
  void refused(const WaveView& wave, const Site& site, const MemoryAccess& access) override {
    for (const auto& one : listeners_) one->refused(wave, site, access);
  }
  void barrier_completes() override {
    for (const auto& one : listeners_) one->barrier_completes();
  }
  void ends() override {
    for (const auto& one : listeners_) one->ends();
  }
  std::optional<uint64_t> cycles(const WaveView& wave) override {
    for (const auto& one : listeners_)
      if (const auto cycles = one->cycles(wave)) return cycles;
    return std::nullopt;
  }

 private:
  std::vector<std::unique_ptr<WorkgroupListener>> listeners_;
};

}  // namespace

std::unique_ptr<WorkgroupListener> together(std::vector<std::unique_ptr<WorkgroupListener>> listeners) {
  std::erase(listeners, nullptr);
  if (listeners.empty()) return nullptr;
  if (listeners.size() == 1) return std::move(listeners.front());
  return std::make_unique<Several>(std::move(listeners));
}

}  // namespace wavesmith::emulate
