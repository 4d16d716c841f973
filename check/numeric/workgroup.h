// One workgroup whose numbers are looked at.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "check/numeric/listener.h"

namespace wavesmith::check::numeric {

/// An instruction that made an infinity or a NaN out of finite numbers.
struct Maker {
  const emulate::Site* site = nullptr;
  uint32_t wave = 0;
  uint64_t lanes = 0, event = 0;
  bool nan = false, converts = false;
  bool single = false;  ///< of 32 bits
};

class Workgroup final : public emulate::WorkgroupListener {
 public:
  Workgroup(LaunchListener& launch, const emulate::WorkgroupView& view) : launch_(launch), id_(view.id) {}
  void wave_begins(const emulate::WaveView& view) override;
  void wave_ends(const emulate::WaveView& view) override { finish(view); }
  void instruction(const emulate::WaveView& view, const emulate::Site& site) override;
  void access(const emulate::WaveView& view, const emulate::Site& site,
              const emulate::MemoryAccess& access) override;

 private:
  static constexpr int kRegisters = isa::reg::kSgpr;
  static constexpr size_t kScalars = 106;
  /// Lanes of a register that hold what a Maker has made.
  struct Mark {
    uint64_t lanes = 0;
    uint32_t maker = 0;
  };
  struct Wave {
    // The instruction under way, whose results are there when the wave goes on.
    const emulate::Site* site = nullptr;
    const Plan* plan = nullptr;
    uint64_t exec = 0;
    uint64_t infinite = 0;  ///< lanes of sources that its results replace, which are not finite
    Mark marked;            ///< of its sources
    std::array<uint64_t, 2> beyond{}, other_than_0{};  ///< lanes of sources that become 8 bits
    std::array<uint32_t, kScalars> scalar_makers{};    ///< of what SGPRs hold
    bool any_scalar = false;                           ///< one of these is set
    std::array<uint64_t, kRegisters / 64> dirty{};
    std::array<Mark, kRegisters> marks{};
    uint32_t next_dword = 0, next_place = 0;
    std::unordered_map<uint64_t, uint32_t>
        scratch;  ///< makers of what private memory holds, by lane and dword
  };

  void begin(Wave& wave, const emulate::WaveView& view, const emulate::Site& site, const Plan& plan);
  void finish(const emulate::WaveView& view);
  void look_at_results(Wave& wave, const emulate::WaveView& view);
  [[nodiscard]] uint64_t infinite_sources(const Wave& wave, const emulate::WaveView& view,
                                          bool replaced) const;
  void look_at_scalar(Wave& wave, const emulate::WaveView& view, const Plan::Operand& result);
  /// The number of that maker among makers_.
  uint32_t number_of(const Maker& maker);
  void note_small(Wave& wave, const emulate::WaveView& view, const Plan& plan) const;
  void check_small(const Wave& wave, const emulate::WaveView& view);
  void mark(Wave& wave, uint16_t r, uint64_t lanes, const Mark& mark, uint64_t written);
  void check_range(const emulate::WaveView& view, const emulate::Site& site, const Plan& plan);
  void check_underflow(const Wave& wave, const emulate::WaveView& view);
  void check_cancellation(const emulate::WaveView& view, const emulate::Site& site, const Plan& plan);
  void store(Wave& wave, const emulate::WaveView& view, const emulate::Site& site, const Plan& plan,
             const emulate::MemoryAccess& access);
  void load(Wave& wave, const Plan& plan, const emulate::MemoryAccess& access);
  void tell(std::string_view rule, Severity severity, std::string_view what, std::string_view fix,
            const Maker& maker, const emulate::Site* stores, uint32_t wave, uint64_t lanes);
  [[nodiscard]] Maker here(const emulate::WaveView& view, const emulate::Site& site, uint64_t lanes) const {
    return {.site = &site, .wave = view.index(), .lanes = lanes, .event = event_};
  }

  LaunchListener& launch_;
  Extent3 id_;
  uint64_t event_ = 0;
  std::vector<std::unique_ptr<Wave>> waves_;
  std::vector<Maker> makers_{1};
  std::unordered_map<uint64_t, uint32_t> lds_;  ///< makers of what LDS holds, by dword
};

}  // namespace wavesmith::check::numeric
