// One workgroup whose undefined values are followed.
#pragma once

#include <memory>
#include <vector>

#include "check/init/flow.h"
#include "check/init/listener.h"
#include "check/init/origin.h"

namespace wavesmith::check::init {

class Workgroup final : public emulate::WorkgroupListener, private Origins {
 public:
  Workgroup(LaunchListener& launch, const emulate::WorkgroupView& view);

  void wave_begins(const emulate::WaveView& view) override;
  void instruction(const emulate::WaveView& view, const emulate::Site& site) override;
  void access(const emulate::WaveView& view, const emulate::Site& site,
              const emulate::MemoryAccess& access) override;
  void ends() override;

 private:
  using Access = emulate::MemoryAccess;
  /// Undefined bytes of each lane's part of an access, at most 32 bytes, and where they come from.
  struct Lanes {
    uint32_t bytes[kLanes];
    uint64_t any = 0;       ///< lanes that have some
    uint64_t computed = 0;  ///< of these
    uint32_t origin = kNeverWritten;
  };

  uint32_t first_read(uint16_t r, uint32_t origin) override;
  void follow(const emulate::WaveView& view, const Plan& plan);
  void check_addresses(const emulate::WaveView& view, const Plan& plan);
  void check_branch(const emulate::WaveView& view, const Plan& plan);
  void define_result(const emulate::WaveView& view, const Plan& plan);
  void tell(Use use, uint64_t lanes, uint32_t origin);
  /// A store to the lanes' places that becomes a finding if the host reads them.
  void hand_over(const Access& access, uint64_t lanes, uint32_t origin);
  uint32_t loaded(Origin::Kind kind, uint64_t where, uint64_t lanes);

  // What memory holds.
  bool loads(const Access& access, Lanes& lanes);
  bool loads_global(const Access& access, Lanes& lanes);
  bool loads_lds(const Access& access, Lanes& lanes);
  bool loads_private(const Access& access, Lanes& lanes);
  /// `lanes` nullptr: all is defined.
  void stores(const Access& access, const Lanes* lanes);
  void stores_lds(const Access& access, const Lanes* lanes);
  void stores_private(const Access& access, const Lanes* lanes);
  // What registers hold.
  void to_registers(const Plan& plan, const Access& access, const Lanes& lanes);
  void to_scalars(const Plan& plan, const Lanes& lanes);
  bool from_registers(const Plan& plan, const Access& access, isa::RegisterRange data, Lanes& lanes);
  void check_output(const Access& access, Lanes& lanes);
  [[nodiscard]] bool hands_over(const Access& access) const;
  void atomic(const Plan& plan, const Access& access);
  void to_lds(const Access& access);

  LaunchListener& launch_;
  Extent3 id_;
  uint64_t event_ = 0;
  std::vector<std::unique_ptr<WaveShadow>> waves_;
  std::unique_ptr<LdsShadow> lds_;
  OriginTable origins_;
  // The instruction under way.
  WaveShadow* wave_ = nullptr;
  const emulate::Site* site_ = nullptr;
  uint32_t number_ = 0;  ///< of its wave
  uint64_t exec_ = 0;
};

}  // namespace wavesmith::check::init
