// Layouts: AMD ISA manuals of each generation, "Wave state registers" (MODE, STATUS, GPR_ALLOC, LDS_ALLOC,
// HW_ID, SH_MEM_BASES). The emulator has no placement; what tells of it is made from the workgroup's number.
#include "emulate/run/hardware_registers.h"

#include <array>
#include <chrono>

#include "emulate/run/dispatch.h"
#include "emulate/run/host_mode.h"
#include "emulate/run/workgroup.h"

namespace wavesmith::emulate {
namespace {

namespace index = scalar_index;
using Register = HardwareRegister;

struct Name {
  std::string_view name;
  Register which;
};
constexpr std::array kNames = {
    Name{"HW_REG_MODE", Register::Mode},
    Name{"HW_REG_WAVE_MODE", Register::Mode},
    Name{"HW_REG_STATUS", Register::Status},
    Name{"HW_REG_WAVE_STATUS", Register::Status},
    Name{"HW_REG_STATE_PRIV", Register::Zero},
    Name{"HW_REG_WAVE_STATE_PRIV", Register::Zero},
    Name{"HW_REG_TRAPSTS", Register::TrapStatus},
    Name{"HW_REG_EXCP_FLAG_PRIV", Register::Zero},
    Name{"HW_REG_WAVE_EXCP_FLAG_PRIV", Register::Zero},
    Name{"HW_REG_EXCP_FLAG_USER", Register::TrapStatus},
    Name{"HW_REG_WAVE_EXCP_FLAG_USER", Register::TrapStatus},
    Name{"HW_REG_TRAP_CTRL", Register::Zero},
    Name{"HW_REG_WAVE_TRAP_CTRL", Register::Zero},
    Name{"HW_REG_HW_ID", Register::HardwareId},
    Name{"HW_REG_HW_ID1", Register::HardwareId1},
    Name{"HW_REG_WAVE_HW_ID1", Register::HardwareId1},
    Name{"HW_REG_HW_ID2", Register::HardwareId2},
    Name{"HW_REG_WAVE_HW_ID2", Register::HardwareId2},
    Name{"HW_REG_GPR_ALLOC", Register::GprAllocation},
    Name{"HW_REG_WAVE_GPR_ALLOC", Register::GprAllocation},
    Name{"HW_REG_LDS_ALLOC", Register::LdsAllocation},
    Name{"HW_REG_WAVE_LDS_ALLOC", Register::LdsAllocation},
    Name{"HW_REG_IB_STS", Register::Waits},
    Name{"HW_REG_IB_STS2", Register::Zero},
    Name{"HW_REG_SH_MEM_BASES", Register::MemoryBases},
    Name{"HW_REG_TBA_LO", Register::Zero},
    Name{"HW_REG_TBA_HI", Register::Zero},
    Name{"HW_REG_TMA_LO", Register::Zero},
    Name{"HW_REG_TMA_HI", Register::Zero},
    Name{"HW_REG_FLAT_SCR_LO", Register::FlatScratchLow},
    Name{"HW_REG_FLAT_SCR_HI", Register::FlatScratchHigh},
    Name{"HW_REG_SCRATCH_BASE_LO", Register::FlatScratchLow},
    Name{"HW_REG_SCRATCH_BASE_HI", Register::FlatScratchHigh},
    Name{"HW_REG_WAVE_SCRATCH_BASE_LO", Register::FlatScratchLow},
    Name{"HW_REG_WAVE_SCRATCH_BASE_HI", Register::FlatScratchHigh},
    Name{"HW_REG_XNACK_MASK", Register::XnackMask},
    Name{"HW_REG_POPS_PACKER", Register::Zero},
    Name{"HW_REG_XCC_ID", Register::ComplexId},
    Name{"HW_REG_SHADER_CYCLES", Register::ShaderCycles},
    Name{"HW_REG_SHADER_CYCLES_LO", Register::ShaderCycles},
    Name{"HW_REG_SHADER_CYCLES_HI", Register::ShaderCyclesHigh},
    Name{"HW_REG_SCHED_MODE", Register::SchedulerMode},
    Name{"HW_REG_WAVE_SCHED_MODE", Register::SchedulerMode},
};

constexpr uint32_t kModeWritable =
    0x3f'ffff | 1u << 23;  // rounding, denormals, clamp, IEEE, exceptions, FP16_OVFL

uint32_t group_number(const Wave& wave) {
  const Workgroup& group = *wave.group;
  const Dispatch* const dispatch = group.dispatch;
  if (!dispatch) return group.id[0];
  return static_cast<uint32_t>(workgroups_of(dispatch->grid, dispatch->workgroup).number_at(group.id));
}

uint32_t status(Wave& wave) {
  const uint64_t lanes = wave.lanes == 64 ? ~uint64_t{0} : 0xffffffffu;
  const bool no_exec = (wave.exec() & lanes) == 0, no_vcc = (wave.scalar64(index::kVcc) & lanes) == 0;
  const bool in_group = wave.group->waves.size() > 1;
  return wave.s[index::kScc] | uint32_t{no_exec} << 9 | uint32_t{no_vcc} << 10 | uint32_t{in_group} << 11 |
         1u << 16;
}

}  // namespace

std::optional<HardwareRegister> hardware_register(std::string_view name) {
  for (const Name& known : kNames)
    if (known.name == name) return known.which;
  return std::nullopt;
}

uint32_t read_register(Wave& wave, HardwareRegister which) {
  switch (which) {
    case Register::Mode:
      return wave.s[index::kMode];
    case Register::Status:
      return status(wave);
    case Register::TrapStatus:
      return wave.s[index::kTrapStatus];
    case Register::HardwareId: {
      // WAVE_ID, SIMD_ID, CU_ID, SE_ID
      const uint32_t group = group_number(wave);
      return (wave.index / 4 & 15) | (wave.index & 3) << 4 | (group / 8 & 15) << 8 | (group / 128 & 7) << 13;
    }
    case Register::HardwareId1: {
      // WAVE_ID, SIMD_ID, WGP_ID, SE_ID
      const uint32_t group = group_number(wave);
      return (wave.index / 4 & 31) | (wave.index & 3) << 8 | (group & 15) << 10 | (group / 16 & 7) << 18;
    }
    case Register::ComplexId:
      // Workgroups go to the compute dies in turn.
      return group_number(wave) & 7;
    case Register::GprAllocation: {
      const Dispatch* const dispatch = wave.group->dispatch;
      const uint32_t vgprs =
          dispatch ? dispatch->kernel->vgpr_count + dispatch->kernel->agpr_count : kVgprRows;
      return ((vgprs + 7) / 8 - (vgprs > 0)) << 8;
    }
    case Register::LdsAllocation:
      return (wave.lds_size + 511) / 512 << 12;
    case Register::MemoryBases:
      return wave.s[index::kPrivateBase + 1] >> 16 | (wave.s[index::kSharedBase + 1] & 0xffff0000u);
    case Register::FlatScratchLow:
      return wave.s[index::kFlatScratch];
    case Register::FlatScratchHigh:
      return wave.s[index::kFlatScratch + 1];
    case Register::XnackMask:
      return wave.s[index::kXnackMask];
    case Register::ShaderCycles:
      return static_cast<uint32_t>(shader_clock(wave));
    case Register::ShaderCyclesHigh:
      return static_cast<uint32_t>(shader_clock(wave) >> 32);
    case Register::HardwareId2:
    case Register::Waits:  // no counter is ever above 0
    case Register::SchedulerMode:
    case Register::Zero:
      return 0;
  }
  return 0;
}

void write_register(Wave& wave, HardwareRegister which, uint32_t value, uint32_t mask) {
  const auto put = [&](int scalar, uint32_t writable) {
    const uint32_t bits = mask & writable;
    wave.s[scalar] = (wave.s[scalar] & ~bits) | (value & bits);
  };
  if (which == Register::Mode) {
    put(index::kMode, kModeWritable);
    set_host_mode(wave.s[index::kMode], HostMode{});
  }
  if (which == Register::TrapStatus) put(index::kTrapStatus, ~0u);
  if (which == Register::FlatScratchLow) put(index::kFlatScratch, ~0u);
  if (which == Register::FlatScratchHigh) put(index::kFlatScratch + 1, ~0u);
  if (which == Register::XnackMask) put(index::kXnackMask, ~0u);
}

namespace {

/// The host's time as a counter of that many MHz, unless a listener has a clock of its own. The GPU's clocks
/// run as fast as the host's time does: a kernel that waits for so many of hipDeviceAttributeClockRate's
/// cycles waits for as long as it would on the GPU.
uint64_t counter(Wave& wave, uint32_t Dispatch::* mhz, uint32_t otherwise) {
  const Dispatch* const dispatch = wave.group->dispatch;
  if (dispatch && wave.group->listener)
    if (const auto cycles = wave.group->listener->cycles(WaveView(wave)))
      return static_cast<uint64_t>(static_cast<double>(*cycles) * dispatch->*mhz / dispatch->shader_mhz);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto nanoseconds =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  const uint64_t rate = dispatch ? dispatch->*mhz : otherwise;
  // In two steps: the product would overflow after some weeks.
  return nanoseconds / 1000 * rate + nanoseconds % 1000 * rate / 1000;
}

}  // namespace

uint64_t realtime_clock(Wave& wave) {
  // Who reads the time again and again waits for it to pass; others may run meanwhile.
  wave.may_wait = 1;
  return counter(wave, &Dispatch::realtime_mhz, 100);
}

uint64_t shader_clock(Wave& wave) {
  wave.may_wait = 1;
  return counter(wave, &Dispatch::shader_mhz, 1000);
}

}  // namespace wavesmith::emulate
