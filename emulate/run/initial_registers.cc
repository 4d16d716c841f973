#include "emulate/run/initial_registers.h"

#include <algorithm>
#include <cstring>

#include "emulate/run/dispatch.h"

namespace wavesmith::emulate {
namespace {

namespace index = scalar_index;

/// MODE as the kernel descriptor asks for it: rounding and denormals, and, where these exist, DX10_CLAMP and
/// IEEE.
uint32_t initial_mode(const object::Descriptor& descriptor, const isa::Target& target) {
  const uint32_t settings = descriptor.compute_pgm_rsrc1;
  uint32_t mode = descriptor.float_mode() | (settings >> 26 & 1) << 23;
  if (target.has_ieee_mode()) mode |= (settings >> 21 & 1) << 8 | (settings >> 23 & 1) << 9;
  return mode;
}

/// Puts each lane's position in the workgroup into v0. Returns the lanes that have a work-item: the last
/// workgroup of an axis may be smaller than the others.
uint64_t place_lanes(Wave& wave, const Dispatch& dispatch, const Workgroup& group) {
  const Extent3& full = dispatch.workgroup;
  Extent3 size;
  for (size_t axis = 0; axis < 3; ++axis)
    size[axis] = std::min(full[axis], dispatch.grid[axis] - group.id[axis] * full[axis]);
  const uint32_t first = wave.index * wave.lanes;
  uint32_t x = first % full[0], y = first / full[0] % full[1], z = first / full[0] / full[1];
  uint64_t mask = 0;
  // Row by row of the workgroup: of a short kernel's time, going lane by lane would be a half.
  for (uint32_t lane = 0; lane < wave.lanes;) {
    const uint32_t row = std::min(full[0] - x, wave.lanes - lane);
    uint32_t* const places = wave.vgpr(0) + lane;
    for (uint32_t i = 0; i < row; ++i) places[i] = (x | y << 10 | z << 20) + i;
    if (y < size[1] && z < size[2] && x < size[0])
      mask |= ~uint64_t{0} >> (64 - std::min(row, size[0] - x)) << lane;
    lane += row;
    x = 0;
    if (++y < full[1]) continue;
    y = 0;
    ++z;
  }
  return mask;
}

/// The SGPRs that the descriptor asks for, in the order that it has them in.
class ScalarRegisters {
 public:
  explicit ScalarRegisters(Wave& wave) : wave_(wave) {}
  void put(uint64_t value, int dwords) {
    for (int i = 0; i < dwords; ++i) wave_.s[next_++] = static_cast<uint32_t>(i < 2 ? value >> (32 * i) : 0);
  }
  void put(const void* pointer) { put(reinterpret_cast<uint64_t>(pointer), 2); }
  void skip_to(uint32_t number) { next_ = std::max(next_, number); }

 private:
  Wave& wave_;
  uint32_t next_ = 0;
};

/// Those of a user's, and kernel arguments that are loaded before the wave begins.
void put_user_registers(ScalarRegisters& registers, const Wave& wave, const Dispatch& dispatch) {
  const object::Descriptor& descriptor = dispatch.kernel->fields;
  if (descriptor.private_segment_buffer()) {
    // A swizzled buffer over this wave's private memory, dwords interleaved by lane; so its wave offset is 0.
    registers.put(reinterpret_cast<uint64_t>(wave.scratch) | uint64_t{1} << 63, 2);
    registers.put(0xffffffffu | uint64_t{3u << 21 | 1u << 23} << 32, 2);
  }
  if (descriptor.dispatch_ptr()) registers.put(dispatch.packet);
  if (descriptor.queue_ptr()) registers.put(dispatch.queue);
  if (descriptor.kernarg_segment_ptr()) registers.put(dispatch.kernarg);
  if (descriptor.dispatch_id()) registers.put(dispatch.dispatch_id, 2);
  if (descriptor.flat_scratch_init()) registers.put(0, 2);
  if (descriptor.private_segment_size()) registers.put(wave.scratch_size, 1);
  // Kernel arguments preloaded to SGPRs: count in bits 0-6, offset in dwords in bits 7-15.
  const uint32_t preloaded = descriptor.kernarg_preload & 0x7fu, offset = descriptor.kernarg_preload >> 7;
  for (uint32_t i = 0; i < preloaded; ++i) {
    uint32_t word;
    std::memcpy(&word, static_cast<const uint8_t*>(dispatch.kernarg) + 4 * (offset + i), 4);
    registers.put(word, 1);
  }
}

}  // namespace

bool set_initial_registers(Wave& wave, const Workgroup& group) {
  const Dispatch& dispatch = *group.dispatch;
  const object::Kernel& kernel = *dispatch.kernel;
  const object::Descriptor& descriptor = kernel.fields;
  const isa::Target& target = dispatch.program->target();
  std::memset(wave.s, 0, sizeof wave.s);
  const uint32_t vgprs = std::min<uint32_t>(kVgprRows, std::max(1u, kernel.vgpr_count));
  std::memset(wave.vgpr(0), 0, size_t{kRowBytes} * vgprs);
  if (kernel.agpr_count)
    std::memset(wave.agpr(0), 0, size_t{kRowBytes} * std::min<uint32_t>(kAgprRows, kernel.agpr_count));
  wave.exec() = place_lanes(wave, dispatch, group);
  if (wave.exec() == 0) return false;

  ScalarRegisters registers(wave);
  put_user_registers(registers, wave, dispatch);
  if (target.is(isa::kRdna4)) {
    wave.s[index::kTtmp + 9] = group.id[0];
    wave.s[index::kTtmp + 7] = group.id[1] | group.id[2] << 16;
    // The wave's number in its workgroup: bits 29:25 (LLVM, SIISelLowering.cpp, lowerWaveID).
    wave.s[index::kTtmp + 8] = wave.index << 25;
  } else {
    registers.skip_to(descriptor.user_sgprs());
    for (int axis = 0; axis < 3; ++axis)
      if (descriptor.workgroup_id(axis)) registers.put(group.id[axis], 1);
    if (descriptor.workgroup_info()) registers.put(0, 1);
  }
  wave.set_apertures();
  wave.s[index::kMode] = initial_mode(descriptor, target);
  return true;
}

}  // namespace wavesmith::emulate
