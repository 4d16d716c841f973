// What accesses to memory do to undefined bytes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "check/init/workgroup.h"
#include "check/runs.h"
#include "isa/coherence.h"

namespace wavesmith::check::init {
namespace {

using emulate::AddressSpace;
using isa::Direction;
using isa::RegisterRange;

constexpr uint32_t kMostBytes = 32;  ///< of a lane, that are followed

/// Calls `each` with the lanes of a mask.
template <class Each>
void for_lanes(uint64_t lanes, Each each) {
  for (; lanes; lanes &= lanes - 1) each(std::countr_zero(lanes));
}

/// Whether something is undefined where the lanes are, or between them where that is not far.
bool any_near(const GlobalShadow& global, const emulate::MemoryAccess& access) {
  constexpr uint64_t kNear = 16384;
  if (const auto runs = even_runs(access, true); runs && runs->end() - runs->begin <= kNear)
    return global.any(runs->begin, runs->end() - runs->begin);
  bool any = false;
  for_lanes(access.lanes, [&](int lane) { any = any || global.any(access.address[lane], access.bytes); });
  return any;
}

uint32_t low(uint32_t count) { return count >= 32 ? ~uint32_t{0} : (uint32_t{1} << count) - 1; }

/// The bits of a dword whose bytes these are.
uint32_t bits_of(uint32_t bytes) {
  uint32_t bits = 0;
  for (int i = 0; i < 4; ++i)
    if (bytes >> i & 1) bits |= 0xffu << (8 * i);
  return bits;
}
uint32_t bytes_of(uint32_t bits) {
  uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i)
    if (bits >> (8 * i) & 0xff) bytes |= 1u << i;
  return bytes;
}

}  // namespace

void Workgroup::access(const emulate::WaveView& view, const emulate::Site& site, const Access& access) {
  const Plan& plan = launch_.plan(site);
  if (plan.kind != Plan::Kind::Memory || !site.row) return;
  wave_ = waves_[view.index()].get();
  site_ = &site;
  number_ = view.index();
  exec_ = view.exec();
  if (plan.to_lds) return to_lds(access);
  if (access.direction == Direction::Atomic) return atomic(plan, access);
  static thread_local Lanes lanes;
  if (access.direction == Direction::Load) {
    if (loads(access, lanes)) access.scalar ? to_scalars(plan, lanes) : to_registers(plan, access, lanes);
    wave_->next_dword += (access.bytes + 3) / 4;
    return;
  }
  const RegisterRange data = wave_->next_place++ == 0 || plan.second.count == 0 ? plan.data : plan.second;
  const bool undefined = wave_->dirty(data) && from_registers(plan, access, data, lanes);
  if (undefined && access.space == AddressSpace::Global) check_output(access, lanes);
  stores(access, undefined && lanes.any ? &lanes : nullptr);
}

/// Data that goes from memory to LDS without registers in between: a load, then a store.
void Workgroup::to_lds(const Access& access) {
  static thread_local Lanes lanes;
  if (access.direction == Direction::Load) {
    wave_->any_in_flight = loads(access, lanes);
    if (!wave_->any_in_flight) return;
    std::copy_n(lanes.bytes, kLanes, wave_->in_flight.begin());
    wave_->in_flight_origin = lanes.origin;
    return;
  }
  if (!wave_->any_in_flight) return stores(access, nullptr);
  std::copy_n(wave_->in_flight.begin(), kLanes, lanes.bytes);
  lanes.any = lanes.computed = 0;
  for_lanes(access.lanes, [&](int lane) { lanes.any |= uint64_t{lanes.bytes[lane] != 0} << lane; });
  lanes.origin = wave_->in_flight_origin;
  stores(access, &lanes);
}

bool Workgroup::loads(const Access& access, Lanes& lanes) {
  switch (access.space) {
    case AddressSpace::Global:
      return loads_global(access, lanes);
    case AddressSpace::Lds:
      return loads_lds(access, lanes);
    case AddressSpace::Private:
      return loads_private(access, lanes);
  }
  return false;
}

bool Workgroup::loads_global(const Access& access, Lanes& lanes) {
  const GlobalShadow& global = launch_.global;
  if (!global.used()) return false;
  if (!any_near(global, access)) return false;
  lanes.any = lanes.computed = 0;
  std::fill_n(lanes.bytes, kLanes, 0);
  uint64_t where = 0;
  if (access.scalar) {
    // A byte of this mask stands for a dword, of which there may be 16.
    for (uint32_t at = 0; at < access.bytes; at += 4)
      if (global.any(access.address[0] + at, std::min(4u, access.bytes - at))) {
        lanes.bytes[0] |= 1u << (at / 4);
        if (!where) where = access.address[0] + at;
      }
    lanes.any = 1;
  } else {
    for_lanes(access.lanes, [&](int lane) {
      const auto bytes =
          static_cast<uint32_t>(global.at(access.address[lane], std::min(access.bytes, kMostBytes)));
      lanes.bytes[lane] = bytes;
      if (!bytes) return;
      if (!lanes.any) where = access.address[lane] + static_cast<uint64_t>(std::countr_zero(bytes));
      lanes.any |= uint64_t{1} << lane;
      if (launch_.handed_over.any(access.address[lane], access.bytes)) lanes.computed |= uint64_t{1} << lane;
    });
  }
  if (!lanes.any) return false;
  lanes.origin = loaded(Origin::Kind::Global, where, access.scalar ? 0 : lanes.any);
  return true;
}

bool Workgroup::loads_lds(const Access& access, Lanes& lanes) {
  uint64_t any = 0;
  const uint32_t count = std::min(access.bytes, kMostBytes);
  for_lanes(access.lanes, [&](int lane) {
    const uint8_t* const states = lds_->at(access.address[lane], count);
    if (!states) return;
    if (count % 4 == 0)
      for (uint32_t i = 0; i < count; i += 4) {
        uint32_t four;
        std::memcpy(&four, states + i, 4);
        any |= four;
      }
    else
      for (uint32_t i = 0; i < count; ++i) any |= states[i];
  });
  if (!any) return false;
  lanes.any = lanes.computed = 0;
  std::fill_n(lanes.bytes, kLanes, 0);
  uint64_t where = 0;
  for_lanes(access.lanes, [&](int lane) {
    const uint8_t* const states = lds_->at(access.address[lane], count);
    if (!states) return;
    for (uint32_t i = 0; i < count; ++i) {
      if (states[i] == LdsShadow::kDefined) continue;
      if (!lanes.any) where = access.address[lane] + i;
      lanes.bytes[lane] |= 1u << i;
      lanes.any |= uint64_t{1} << lane;
      if (states[i] == LdsShadow::kComputed) lanes.computed |= uint64_t{1} << lane;
    }
  });
  const auto written = lds_->origins.find(where / 4);
  lanes.origin =
      written == lds_->origins.end() ? loaded(Origin::Kind::Lds, where, lanes.any) : written->second;
  return lanes.any != 0;
}

bool Workgroup::loads_private(const Access& access, Lanes& lanes) {
  lanes.any = lanes.computed = 0;
  std::fill_n(lanes.bytes, kLanes, 0);
  uint64_t where = 0;
  PrivateShadow& scratch = wave_->scratch;
  const auto add = [&](uint64_t offset, uint32_t i, uint64_t of) {
    const PrivateShadow::Byte& byte = scratch.at(offset + i);
    const uint64_t undefined = byte.undefined & of;
    if (!undefined) return;
    if (!lanes.any) where = offset + i;
    lanes.any |= undefined;
    lanes.computed |= byte.computed & undefined;
    for_lanes(undefined, [&](int lane) { lanes.bytes[lane] |= 1u << i; });
  };
  const uint32_t count = std::min(access.bytes, kMostBytes);
  for (uint64_t left = access.lanes; left;) {
    const uint64_t offset = access.address[std::countr_zero(left)];
    uint64_t same = 0;
    for_lanes(left, [&](int lane) { same |= uint64_t{access.address[lane] == offset} << lane; });
    left &= ~same;
    if (offset + count > PrivateShadow::kMost) continue;
    for (uint32_t i = 0; i < count; ++i) add(offset, i, same);
  }
  if (!lanes.any) return false;
  const auto written = scratch.origins.find(where / 4);
  lanes.origin =
      written == scratch.origins.end() ? loaded(Origin::Kind::Private, where, lanes.any) : written->second;
  return true;
}

void Workgroup::to_registers(const Plan& plan, const Access& access, const Lanes& lanes) {
  const isa::Access& facts = site_->row->access;
  if (facts.masked || plan.result.count == 0) return;
  const auto set = [&](uint16_t r, int lane, uint32_t bits, uint32_t mask) {
    if (!(bits & mask)) return;
    wave_->set_bits(r, lane, wave_->bits(r, lane) | (bits & mask), mask);
    Row& row = wave_->row(r);
    const uint64_t bit = uint64_t{1} << lane;
    row.computed = (row.computed & ~bit) | (lanes.computed & bit);
    row.origin = lanes.origin;
  };
  const uint32_t first = plan.result.first + wave_->next_dword;
  const bool transposed = facts.transposes || facts.lane >= isa::LdsLane::Transpose16;
  const uint32_t dwords = facts.formatted ? plan.result.count : (access.bytes + 3) / 4;
  for (uint32_t d = 0; d < dwords && first + d < static_cast<uint32_t>(plan.result.first + plan.result.count);
       ++d) {
    const auto r = static_cast<uint16_t>(first + d);
    if (transposed) {
      // Who gets which element is not followed: only sixteen lanes that load nothing else count.
      for (int group = 0; group < kLanes; group += 16)
        if ((lanes.any >> group & 0xffff) == 0xffff)
          for (int lane = group; lane < group + 16; ++lane) set(r, lane, ~uint32_t{0}, ~uint32_t{0});
    } else {
      for_lanes(lanes.any, [&](int lane) {
        if (facts.formatted) return set(r, lane, ~uint32_t{0}, ~uint32_t{0});
        uint32_t bits = bits_of(lanes.bytes[lane] >> (4 * d) & 15);
        if (access.bytes < 4 && plan.sign && lanes.bytes[lane] >> (access.bytes - 1) & 1)
          bits |= ~low(8 * access.bytes);
        if (facts.high) bits <<= 16;
        set(r, lane, bits, !plan.merges ? ~uint32_t{0} : facts.high ? 0xffff0000u : 0xffffu);
      });
    }
    wave_->update(r);
  }
}

void Workgroup::to_scalars(const Plan& plan, const Lanes& lanes) {
  for (uint32_t d = 0; d < plan.result.count; ++d)
    if (lanes.bytes[0] >> d & 1)
      wave_->set_scalar(static_cast<uint16_t>(plan.result.first + d), ~uint32_t{0}, false, lanes.origin);
}

bool Workgroup::from_registers(const Plan&, const Access& access, RegisterRange data, Lanes& lanes) {
  const isa::Access& facts = site_->row->access;
  lanes.any = lanes.computed = 0;
  lanes.origin = kNeverWritten;
  std::fill_n(lanes.bytes, kLanes, 0);
  const uint32_t whole = low(std::min(access.bytes, kMostBytes));
  for (uint32_t d = 0; d < data.count && d < kMostBytes / 4; ++d) {
    const auto r = static_cast<uint16_t>(data.first + d);
    if (!wave_->dirty(r)) continue;
    if (!is_vector(r)) {
      if (!access.scalar) continue;
      lanes.bytes[0] |= bytes_of(wave_->scalar(r).bits) << (4 * d) & whole;
      lanes.origin = first_read(r, wave_->scalar(r).origin);
      if (lanes.bytes[0]) lanes.any = 1, lanes.computed |= wave_->scalar(r).computed;
      continue;
    }
    const uint64_t before = lanes.any;
    for_lanes(wave_->row(r).lanes() & access.lanes, [&](int lane) {
      const uint32_t bits = wave_->bits(r, lane) >> (facts.high ? 16 : 0);
      const uint32_t bytes = facts.formatted ? bytes_of(bits) : bytes_of(bits) << (4 * d) & whole;
      if (!bytes) return;
      lanes.bytes[lane] |= bytes;
      lanes.any |= uint64_t{1} << lane;
      lanes.computed |= wave_->row(r).computed & uint64_t{1} << lane;
    });
    if (lanes.any == before && lanes.origin != kNeverWritten) continue;
    wave_->row(r).origin = first_read(r, wave_->row(r).origin);
    lanes.origin = wave_->row(r).origin;
  }
  return lanes.any != 0;
}

/// Whether a store is for other workgroups, in memory that the host does not reach.
bool Workgroup::hands_over(const Access& access) const {
  if (access.direction != Direction::Store || !isa::reaches_other_workgroups(site_->instruction))
    return false;
  const Launch& launch = launch_.launch;
  const auto held =
      launch.memory.find(reinterpret_cast<const void*>(access.address[std::countr_zero(access.lanes)]));
  return held && (!launch.owner_of || launch.owner_of(held->use) == Launch::Owner::Program);
}

/// Copying is no use: what came from device memory may go back to it. Where only a part of a lane's data is
/// undefined, it may be a structure's padding.
void Workgroup::check_output(const Access& access, Lanes& lanes) {
  if (site_->row->access.masked) return;
  const bool copied = origins_.at(lanes.origin).kind == Origin::Kind::Global;
  const uint32_t whole = low(std::min(access.bytes, kMostBytes));
  uint64_t used = lanes.computed, partly = 0;
  if (!copied)
    for_lanes(lanes.any & ~lanes.computed,
              [&](int lane) { (lanes.bytes[lane] == whole ? used : partly) |= uint64_t{1} << lane; });
  if (used && hands_over(access)) {
    hand_over(access, used, lanes.origin);
    used = 0;
  }
  if (used) tell(Use::Output, access.scalar ? 0 : used, lanes.origin);
  if (partly) tell(Use::PartOfOutput, partly, lanes.origin);
  // What was told of once is not told of again.
  lanes.any &= ~used;
  for_lanes(used, [&](int lane) { lanes.bytes[lane] = 0; });
}

void Workgroup::stores(const Access& access, const Lanes* lanes) {
  if (access.space == AddressSpace::Lds) return stores_lds(access, lanes);
  if (access.space == AddressSpace::Private) return stores_private(access, lanes);
  GlobalShadow& global = launch_.global;
  if (lanes) {
    for_lanes(access.lanes, [&](int lane) {
      if (access.bytes <= kMostBytes)
        global.set(access.address[lane], access.bytes, lanes->bytes[lane]);
      else
        global.define(access.address[lane], access.bytes);
    });
  } else if (global.used()) {
    if (const auto runs = even_runs(access, true); runs && runs->count == 1)
      return global.define(runs->begin, runs->bytes);
    for_lanes(access.lanes, [&](int lane) { global.define(access.address[lane], access.bytes); });
  }
}

void Workgroup::stores_lds(const Access& access, const Lanes* lanes) {
  for_lanes(access.lanes, [&](int lane) {
    uint8_t* const states = lds_->at(access.address[lane], access.bytes);
    if (!states) return;
    const uint32_t undefined = lanes ? lanes->bytes[lane] : 0;
    if (!undefined) {
      if (access.bytes == 16)
        std::memset(states, 0, 16);
      else if (access.bytes == 8)
        std::memset(states, 0, 8);
      else if (access.bytes == 4)
        std::memset(states, 0, 4);
      else
        std::memset(states, 0, access.bytes);
      return;
    }
    const bool computed = lanes->computed >> lane & 1;
    for (uint32_t i = 0; i < access.bytes; ++i) {
      const bool here = i < kMostBytes && (undefined >> i & 1);
      states[i] = !here ? LdsShadow::kDefined : computed ? LdsShadow::kComputed : LdsShadow::kCopied;
      if (here) lds_->origins[(access.address[lane] + i) / 4] = lanes->origin;
    }
  });
}

void Workgroup::stores_private(const Access& access, const Lanes* lanes) {
  PrivateShadow& scratch = wave_->scratch;
  for (uint64_t left = access.lanes; left;) {
    const uint64_t offset = access.address[std::countr_zero(left)];
    uint64_t same = 0;
    for_lanes(left, [&](int lane) { same |= uint64_t{access.address[lane] == offset} << lane; });
    left &= ~same;
    if (offset + access.bytes > PrivateShadow::kMost) continue;
    for (uint32_t i = 0; i < access.bytes; ++i) {
      PrivateShadow::Byte& byte = scratch.at(offset + i);
      uint64_t undefined = 0;
      if (lanes && i < kMostBytes)
        for_lanes(same & lanes->any,
                  [&](int lane) { undefined |= static_cast<uint64_t>(lanes->bytes[lane] >> i & 1) << lane; });
      byte.undefined = (byte.undefined & ~same) | undefined;
      byte.computed = (byte.computed & ~same) | (lanes ? lanes->computed & undefined : 0);
      if (undefined) scratch.origins[(offset + i) / 4] = lanes->origin;
    }
  }
}

/// What an atomic makes of undefined memory is calculated, unless it exchanges.
void Workgroup::atomic(const Plan& plan, const Access& access) {
  static thread_local Lanes memory, data;
  const bool exchanges = site_->row->facts.exchanges;
  const bool undefined = loads(access, memory);
  bool given = wave_->dirty(plan.data) && from_registers(plan, access, plan.data, data);
  if (undefined && !exchanges && access.space == AddressSpace::Global) {
    tell(Use::Output, access.scalar ? 0 : memory.any, memory.origin);
    stores(access, nullptr);
    return;
  }
  if (undefined && !access.scalar) {
    if (!exchanges) memory.computed = memory.any;
    to_registers(plan, access, memory);
  }
  if (given && !exchanges) data.computed = data.any;
  if (given && access.space == AddressSpace::Global) {
    check_output(access, data);
    given = data.any != 0;
  }
  if (exchanges || !undefined)
    stores(access, given ? &data : nullptr);
  else
    stores(access, &memory);
}

}  // namespace wavesmith::check::init
