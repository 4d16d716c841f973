#include "emulate/translate/observe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "emulate/run/workgroup.h"
#include "emulate/translate/emitter.h"
#include "isa/control/row.h"
#include "isa/mnemonic.h"

namespace wavesmith::emulate {
namespace {

using isa::Direction;
using Pattern = WaveAccess::Pattern;

uint32_t dword(const Wave* wave, uint32_t offset) {
  return *reinterpret_cast<const uint32_t*>(reinterpret_cast<const std::byte*>(wave) + offset);
}
uint64_t quadword(const Wave* wave, uint32_t offset) {
  return dword(wave, offset) | uint64_t{dword(wave, offset + 4)} << 32;
}

bool note_site(const Uop* uop, Wave* wave) {
  wave->site = reinterpret_cast<const Site*>(uop->d | uint64_t{uop->a} << 32);
  return true;
}

bool tell_instruction(const Uop* uop, Wave* wave) {
  note_site(uop, wave);
  wave->group->listener->instruction(WaveView(*wave), *wave->site);
  return true;
}

void tell(Wave* wave, const MemoryAccess& access) {
  wave->group->listener->access(WaveView(*wave), *wave->site, access);
}

/// A loaded value goes to LDS by a store, and back from it by a load: the word of the address says which.
Direction direction_of(uint32_t word) {
  return word & AddressWord::kAtomic  ? Direction::Atomic
         : word & AddressWord::kWrite ? Direction::Store
                                      : Direction::Load;
}

/// Lanes of each space, by what made their address.
struct Spaces {
  uint64_t lds = 0, own = 0;  ///< LDS, private memory; the others are global
};

/// The addresses of lanes that lie anywhere: those of flat instructions may be in several spaces.
Spaces gather(const Wave* wave, uint64_t lanes, bool translated, MemoryAccess& access) {
  Spaces spaces;
  const auto lds = reinterpret_cast<uint64_t>(wave->lds);
  const auto own = static_cast<uint32_t>(kPrivateAperture >> 32);
  std::copy(wave->address, wave->address + wave->lanes, access.address);
  bool in_lds = false;
  if (wave->lds_size != 0)
    for (uint32_t lane = 0; lane < wave->lanes; ++lane) in_lds |= wave->address[lane] - lds < wave->lds_size;
  if (!translated && !in_lds) return spaces;
  for (uint64_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    uint64_t& address = access.address[lane];
    if (translated && static_cast<uint32_t>(address >> 32) == own) {
      address &= 0xffffffffu;
      spaces.own |= uint64_t{1} << lane;
    } else if (address - lds < wave->lds_size) {
      address -= lds;
      spaces.lds |= uint64_t{1} << lane;
    }
  }
  return spaces;
}

/// Lanes of a flat instruction whose address lies beyond LDS; their addresses become offsets.
uint64_t beyond_lds(const Wave* wave, uint64_t lanes, MemoryAccess& access) {
  uint64_t beyond = 0;
  for (; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    if (wave->address[lane] >> 32 != kSharedAperture >> 32) continue;
    access.address[lane] = wave->address[lane] & 0xffffffffu;
    beyond |= uint64_t{1} << lane;
  }
  return beyond;
}

/// The addresses that an address micro-operation found.
Spaces find_addresses(const Wave* wave, MemoryAccess& access) {
  const WaveAccess& made = wave->access;
  const bool is_lds = made.word & AddressWord::kOwn;
  const uint64_t start = is_lds ? reinterpret_cast<uint64_t>(wave->lds) : 0;
  switch (made.pattern) {
    case Pattern::Contiguous:
    case Pattern::Uniform: {
      access.side_by_side = made.pattern == Pattern::Contiguous;
      const uint64_t step = access.side_by_side ? access.bytes : 0;
      uint64_t next = made.base - start;
      for (uint64_t& address : access.address) {
        address = next;
        next += step;
      }
      break;
    }
    case Pattern::Interleaved: {
      const uint64_t from = made.base - reinterpret_cast<uint64_t>(wave->scratch),
                     row = uint64_t{wave->lanes} * 4;
      std::fill(access.address, access.address + kRowLanes, from / row * 4 + from % row);
      return {.own = made.lanes};
    }
    case Pattern::Gather:
    case Pattern::Translated:
      if (!is_lds) return gather(wave, made.lanes, made.pattern == Pattern::Translated, access);
      for (int lane = 0; lane < kRowLanes; ++lane) access.address[lane] = wave->address[lane] - start;
      break;
  }
  return {.lds = is_lds ? made.lanes : 0};
}

/// Tells what an address micro-operation found, as one access a space.
bool tell_access(const Uop*, Wave* wave) {
  const WaveAccess& made = wave->access;
  if ((made.lanes | made.zero) == 0) return true;
  MemoryAccess access;  // the addresses of lanes that access nothing stay as they are
  access.scalar = access.side_by_side = false;
  access.ignored = 0;
  access.bytes = AddressWord::bytes(made.word);
  access.direction = direction_of(made.word);
  if (wave->site->row && wave->site->row->access.direction == Direction::Atomic)
    access.direction = Direction::Atomic;
  const Spaces spaces = find_addresses(wave, access);
  const bool is_lds = made.word & AddressWord::kOwn;
  const uint64_t beyond = is_lds ? made.zero : beyond_lds(wave, made.zero, access);
  const auto of_space = [&](AddressSpace space, uint64_t lanes, uint64_t dropped) {
    access.space = space;
    access.lanes = lanes;
    access.dropped = dropped;
    if (lanes | dropped) tell(wave, access);
  };
  of_space(AddressSpace::Lds, spaces.lds, beyond);
  of_space(AddressSpace::Private, spaces.own, 0);
  of_space(AddressSpace::Global, made.lanes & ~spaces.lds & ~spaces.own, made.zero & ~beyond);
  return true;
}

/// What the accesses that make their own address need to know, in the word b of their event.
struct OwnAddress {
  static constexpr uint32_t kBuffer = 1u << 16, kAtomic = 1u << 17, kStore = 1u << 18;
};

/// a = base (64 bits, or a resource), c = dword of the offset, d = immediate, b = bytes and OwnAddress.
bool tell_scalar(const Uop* uop, Wave* wave) {
  MemoryAccess access{};
  access.space = AddressSpace::Global;
  access.direction = uop->b & OwnAddress::kAtomic  ? Direction::Atomic
                     : uop->b & OwnAddress::kStore ? Direction::Store
                                                   : Direction::Load;
  access.scalar = true;
  access.bytes = uop->b & 0xffff;
  uint64_t base = quadword(wave, uop->a);
  const uint64_t offset = dword(wave, uop->c) + static_cast<uint64_t>(int64_t{static_cast<int32_t>(uop->d)});
  access.lanes = 1;
  if (uop->b & OwnAddress::kBuffer) {
    const uint64_t stride = base >> 48 & 0x3fff, records = dword(wave, uop->a + 8);
    const uint64_t size = stride ? stride * records : records;
    base &= 0xffff'ffff'ffff;
    if (offset >= size)
      access.lanes = 0, access.dropped = 1;
    else
      access.bytes = static_cast<uint32_t>(std::min<uint64_t>(access.bytes, size - offset));
  }
  access.address[0] = base + offset;
  if ((uop->b & 0xffff) >= 4) {
    access.ignored = access.address[0] & 3;
    access.address[0] &= ~uint64_t{3};
  }
  tell(wave, access);
  return true;
}

/// ds_append and ds_consume: one counter at M0 + c.
bool tell_counter(const Uop* uop, Wave* wave) {
  MemoryAccess access{};
  access.space = AddressSpace::Lds;
  access.direction = Direction::Atomic;
  access.scalar = true;
  access.bytes = 4;
  access.address[0] = (wave->s[scalar_index::kM0] & 0xffff) + uop->c;
  (access.address[0] + 4 <= wave->lds_size ? access.lanes : access.dropped) = 1;
  tell(wave, access);
  return true;
}

/// Transposed reads of LDS: a = row of addresses, c = offset, b = bytes. All lanes read, whatever EXEC says.
bool tell_transposed(const Uop* uop, Wave* wave) {
  MemoryAccess access{};
  access.space = AddressSpace::Lds;
  access.direction = Direction::Load;
  access.bytes = uop->b;
  for (uint32_t lane = 0; lane < wave->lanes; ++lane) {
    access.address[lane] = uint64_t{dword(wave, uop->a + 4 * lane)} + uop->c;
    const bool inside = access.address[lane] + access.bytes <= wave->lds_size;
    (inside ? access.lanes : access.dropped) |= uint64_t{1} << lane;
  }
  tell(wave, access);
  return true;
}

Uop call(Emitter& emitter, ControlFunction function, uint32_t d = 0, uint32_t a = 0, uint32_t b = 0,
         uint32_t c = 0) {
  Uop uop{engine().micro[static_cast<size_t>(Micro::Call)][emitter.wave32()], d, a, b, c};
  uop.pointer = reinterpret_cast<const void*>(function);
  return uop;
}

Uop call_of(Emitter& emitter, ControlFunction function, const Site& site) {
  const auto pointer = reinterpret_cast<uint64_t>(&site);
  return call(emitter, function, static_cast<uint32_t>(pointer), static_cast<uint32_t>(pointer >> 32));
}

bool makes_address(const Uop& uop, bool wave32) {
  return std::any_of(std::begin(engine().address), std::end(engine().address),
                     [&](const Handler(&kind)[2]) { return kind[wave32] == uop.handler; });
}

BarrierStep barrier_step(std::string_view name) {
  switch (isa::operation_of(name)) {
    case isa::Operation::Barrier:
      return BarrierStep::ArriveAndWait;
    case isa::Operation::BarrierSignal:
    case isa::Operation::BarrierSignalFirst:
      return BarrierStep::Arrive;
    case isa::Operation::BarrierWait:
      return BarrierStep::Wait;
    case isa::Operation::GridBarrier:
      return BarrierStep::Grid;
    default:
      return BarrierStep::None;
  }
}

}  // namespace

Site make_site(const isa::Instruction& instruction, const isa::Target& target) {
  const Implementation* const implementation =
      instruction.second.empty() ? find_implementation(instruction.mnemonic, target) : nullptr;
  return {instruction, implementation ? &implementation->row : nullptr, wait_counters(instruction),
          barrier_step(instruction.mnemonic)};
}

void emit_instruction_event(Emitter& emitter, const Site& site) {
  emitter.emit(call_of(emitter, tell_instruction, site));
}

void insert_access_events(Emitter& emitter, std::vector<Uop>& uops, size_t start, const Site& site,
                          bool site_is_noted) {
  const Implementation* const implementation =
      find_implementation(site.instruction.mnemonic, emitter.target());
  const auto is_handler = [&](const Uop& uop) {
    return implementation && std::any_of(std::begin(implementation->handlers),
                                         std::end(implementation->handlers), [&](const auto& handlers) {
                                           return std::find(std::begin(handlers), std::end(handlers),
                                                            uop.handler) != std::end(handlers);
                                         });
  };
  const uint32_t buffer = isa::is_scalar_buffer(site.instruction.mnemonic) ? OwnAddress::kBuffer : 0;
  const size_t before = uops.size();
  for (size_t i = start; i < uops.size(); ++i) {
    const Uop uop = uops[i];
    const auto insert = [&](size_t position, const Uop& event) {
      uops.insert(uops.begin() + static_cast<std::ptrdiff_t>(position), event);
      ++i;
    };
    if (makes_address(uop, emitter.wave32())) {
      insert(i + 1, call(emitter, tell_access));
    } else if (uop.pointer == reinterpret_cast<const void*>(control::scalar_atomic)) {
      const auto how = control::ScalarAtomic::unpack(uop.c);
      insert(i, call(emitter, tell_scalar, static_cast<uint32_t>(how.immediate), uop.a,
                     (how.wide ? 8u : 4u) | OwnAddress::kAtomic | (how.buffer ? OwnAddress::kBuffer : 0u),
                     uop.b));
    } else if (site.row && site.row->shape == isa::Shape::Memory && is_handler(uop)) {
      const isa::Access& access = site.row->access;
      if (access.scalar) {
        const uint32_t store = access.direction == Direction::Store ? OwnAddress::kStore : 0;
        insert(i, call(emitter, tell_scalar, static_cast<uint32_t>(uop.imm), uop.a,
                       access.bytes | buffer | store, uop.b));
      } else if (access.lane == isa::LdsLane::Append || access.lane == isa::LdsLane::Consume) {
        insert(i, call(emitter, tell_counter, 0, 0, 0, static_cast<uint32_t>(uop.imm)));
      } else if (access.lane >= isa::LdsLane::Transpose16) {
        insert(i, call(emitter, tell_transposed, 0, uop.a, access.bytes, static_cast<uint32_t>(uop.imm)));
      }
    }
  }
  if (!site_is_noted && uops.size() != before)
    uops.insert(uops.begin() + static_cast<std::ptrdiff_t>(start), call_of(emitter, note_site, site));
}

}  // namespace wavesmith::emulate
