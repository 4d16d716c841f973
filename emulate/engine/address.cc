// Address generation: from registers to Wave::access, one micro-operation a kind of address. What an access
// may do fast (all lanes side by side, all on one place) is found here, once, so that accesses only have
// their element to care for.
#include "emulate/engine/access.h"
#include "emulate/engine/collect.h"
#include "isa/memory/format.h"

namespace wavesmith::emulate {
namespace {

/// Lanes whose 32-bit offsets are not first + (lane - first's lane) * step.
template <int kLanes>
[[gnu::always_inline]] inline uint64_t unlike(const uint32_t* offsets, uint32_t start, uint32_t step) {
  uint64_t different = 0;
#pragma clang loop unroll(full)
  for (int pack = 0; pack < kLanes / kPackLanes; ++pack) {
    const auto expected = kIota * step + (start + step * kPackLanes * static_cast<uint32_t>(pack));
    different |=
        bits_of(isa::lanes(reinterpret_cast<const Pack<uint32_t>*>(offsets)[pack] != expected), pack);
  }
  return different;
}

/// Whether each of the lanes has its place: start + lane * step.
template <int kLanes>
[[gnu::always_inline]] inline bool in_steps(const uint32_t* offsets, uint32_t start, uint32_t step,
                                            uint64_t lanes) {
  if (lanes != kEveryLane<kLanes>) return (unlike<kLanes>(offsets, start, step) & lanes) == 0;
  Pack<uint32_t> expected = kIota * step + start, difference(0);
#pragma clang loop unroll(full)
  for (int pack = 0; pack < kLanes / kPackLanes; ++pack) {
    difference |= reinterpret_cast<const Pack<uint32_t>*>(offsets)[pack] ^ expected;
    expected += step * kPackLanes;
  }
  return bits_of(isa::lanes(difference != 0), 0) == 0;
}

/// Lanes whose addresses in Wave::address leave the device's range.
template <int kLanes>
[[gnu::always_inline]] inline uint64_t outside(const Wave* wave, uint32_t bytes) {
  const MemoryMap& map = *wave->memory;
  const Pack<uint64_t> begin(map.begin), most(map.end - map.begin - bytes);
  uint64_t lanes = 0;
#pragma clang loop unroll(full)
  for (int pack = 0; pack < kLanes / kPackLanes; ++pack)
    lanes |= bits_of(isa::lanes(reinterpret_cast<const Pack<uint64_t>*>(wave->address)[pack] - begin > most),
                     pack);
  return lanes;
}

/// base + offset, where offsets are 32 bits and the host's memory is linear: global with a scalar base,
/// buffers, LDS. LDS needs no check against the device's range, but has a size; lanes `beyond` it, or beyond
/// a buffer, are out of range.
template <int kLanes, bool kLds>
[[gnu::always_inline]] inline bool linear(const Uop* uop, Wave* wave, uint64_t start, const uint32_t* offsets,
                                          uint32_t word, uint64_t beyond = 0) {
  const uint32_t bytes = AddressWord::bytes(word);
  const uint64_t wanted = wave->exec(), exec = wanted & ~beyond;
  WaveAccess& access = wave->access;
  access.word = word;
  access.lanes = exec;
  access.zero = wanted & beyond;
  if (exec == 0 || access.zero) [[unlikely]] {
    access.pattern = Pattern::Gather;
    if (exec == 0) return true;
  }
  const int first = std::countr_zero(exec), last = 63 - std::countl_zero(exec);
  const uint64_t low = offsets[first], high = offsets[last];
  const auto fits = [&](uint64_t from, uint64_t to) {
    if constexpr (kLds)
      return to + bytes <= wave->lds_size;
    else
      return inside(*wave->memory, start + from, to - from + bytes);
  };
  if (access.zero == 0 && high - low == static_cast<uint64_t>(last - first) * bytes &&
      (exec == kEveryLane<kLanes> || masks(bytes)) &&
      in_steps<kLanes>(offsets, static_cast<uint32_t>(low) - static_cast<uint32_t>(first) * bytes, bytes,
                       exec) &&
      fits(low, high)) {
    access.pattern = Pattern::Contiguous;
    access.base = start + low - static_cast<uint64_t>(first) * bytes;
    return true;
  }
  if (access.zero == 0 && low == high && in_steps<kLanes>(offsets, static_cast<uint32_t>(low), 0, exec) &&
      fits(low, low)) {
    access.pattern = Pattern::Uniform;
    access.base = start + low;
    return true;
  }
  access.pattern = Pattern::Gather;
  const Pack<uint64_t> from(start);
#pragma clang loop unroll(full)
  for (int pack = 0; pack < kLanes / kPackLanes; ++pack) {
    const auto offset = convert<uint64_t>(reinterpret_cast<const Pack<uint32_t>*>(offsets)[pack]);
    reinterpret_cast<Pack<uint64_t>*>(wave->address)[pack] = from + offset;
    if constexpr (kLds) beyond |= bits_of(isa::lanes(offset + bytes > wave->lds_size), pack);
  }
  if constexpr (kLds) {
    access.zero = exec & beyond;
    access.lanes = exec & ~beyond;
    return true;
  } else {
    const uint64_t stray = outside<kLanes>(wave, bytes) & exec;
    return stray == 0 || admit(uop, wave, stray, bytes);
  }
}

template <int kLanes>
void address_saddr(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->may_wait |= uop->d & AddressWord::kMayWait;
  if (!linear<kLanes, false>(uop, wave, at<uint64_t>(wave, uop->b) + uop->imm, row_at(wave, uop->a), uop->d))
      [[unlikely]]
    return;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// 64-bit addresses from a pair of rows.
template <int kLanes>
[[gnu::always_inline]] inline bool wide(const Uop* uop, Wave* wave, const uint32_t* low,
                                        const uint32_t* high) {
  const uint32_t word = uop->d, bytes = AddressWord::bytes(word);
  const uint64_t exec = wave->exec();
  WaveAccess& access = wave->access;
  access.word = word;
  access.lanes = exec;
  access.zero = 0;
  access.pattern = Pattern::Gather;
  if (exec == 0) [[unlikely]]
    return true;
  const int first = std::countr_zero(exec), last = 63 - std::countl_zero(exec);
  // Side by side within four GiB: the high halves agree, the low halves step.
  if (in_steps<kLanes>(high, high[first], 0, exec)) {
    const uint64_t start = low[first], end = low[last];
    const uint64_t at = (uint64_t{high[first]} << 32 | start) + uop->imm;
    if (end - start == static_cast<uint64_t>(last - first) * bytes &&
        (exec == kEveryLane<kLanes> || masks(bytes)) &&
        in_steps<kLanes>(low, low[first] - static_cast<uint32_t>(first) * bytes, bytes, exec) &&
        inside(*wave->memory, at, end - start + bytes)) {
      access.pattern = Pattern::Contiguous;
      access.base = at - static_cast<uint64_t>(first) * bytes;
      return true;
    }
    if (start == end && in_steps<kLanes>(low, low[first], 0, exec) && inside(*wave->memory, at, bytes)) {
      access.pattern = Pattern::Uniform;
      access.base = at;
      return true;
    }
  }
  const Pack<uint64_t> offset(uop->imm);
#pragma clang loop unroll(full)
  for (int pack = 0; pack < kLanes / kPackLanes; ++pack)
    reinterpret_cast<Pack<uint64_t>*>(wave->address)[pack] =
        join(reinterpret_cast<const Pack<uint32_t>*>(low)[pack],
             reinterpret_cast<const Pack<uint32_t>*>(high)[pack]) +
        offset;
  const uint64_t stray = outside<kLanes>(wave, bytes) & exec;
  return stray == 0 || admit(uop, wave, stray, bytes);
}

template <int kLanes>
void address_vaddr(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->may_wait |= uop->d & AddressWord::kMayWait;
  const uint32_t* low = row_at(wave, uop->a);
  if (!wide<kLanes>(uop, wave, low, low + kRowLanes)) [[unlikely]]
    return;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// Private memory whose lanes all want the same dword is a row of the host's; all else is translated lane by
/// lane.
template <int kLanes>
[[gnu::always_inline]] inline bool private_offsets(const Uop* uop, Wave* wave, const uint32_t* offsets,
                                                   uint32_t constant, uint32_t word) {
  const uint32_t bytes = AddressWord::bytes(word);
  const uint64_t exec = wave->exec();
  WaveAccess& access = wave->access;
  access.word = word;
  access.lanes = exec;
  access.zero = 0;
  access.pattern = Pattern::Translated;
  if (exec == 0) [[unlikely]]
    return true;
  const int first = std::countr_zero(exec);
  const uint32_t offset = offsets[first] + constant;
  const bool whole = bytes < 4 ? offset % 4 + bytes <= 4 : offset % 4 == 0;
  if (whole && uint64_t{offset} + bytes <= wave->scratch_size &&
      in_steps<kLanes>(offsets, offsets[first], 0, exec)) {
    access.pattern = Pattern::Interleaved;
    access.base = reinterpret_cast<uint64_t>(wave->scratch) + uint64_t{offset / 4} * 4 * kLanes + offset % 4;
    return true;
  }
  const uint64_t aperture = wave->scalar64(scalar_index::kPrivateBase);
  for (int lane = 0; lane < kLanes; ++lane) wave->address[lane] = aperture + (offsets[lane] + constant);
  for (uint64_t left = exec; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((wave->address[lane] & 0xffffffffu) + bytes > wave->scratch_size) [[unlikely]] {
      stray_access(uop, wave, lane, wave->address[lane], bytes);
      return false;
    }
  }
  return true;
}

template <int kLanes>
void address_scratch(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  const uint32_t constant = at<uint32_t>(wave, uop->b) + static_cast<uint32_t>(uop->imm);
  if (!private_offsets<kLanes>(uop, wave, row_at(wave, uop->a), constant, uop->d)) [[unlikely]]
    return;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// Flat addresses whose upper half is an aperture's mean LDS or private memory.
/// Source: LLVM, "User Guide for AMDGPU Backend", section "Address Spaces".
template <int kLanes>
void address_flat(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->may_wait |= uop->d & AddressWord::kMayWait;
  const uint64_t exec = wave->exec();
  const uint32_t* const low = row_at(wave, uop->a);
  const uint32_t* const high = low + kRowLanes;
  const uint32_t shared = wave->s[scalar_index::kSharedBase + 1],
                 own = wave->s[scalar_index::kPrivateBase + 1];
  const uint64_t in_lds = ~unlike<kLanes>(high, shared, 0) & exec,
                 in_private = ~unlike<kLanes>(high, own, 0) & exec;
  bool good = false;
  if ((in_lds | in_private) == 0) [[likely]] {
    good = wide<kLanes>(uop, wave, low, high);
  } else if (in_private == exec) {
    good = private_offsets<kLanes>(uop, wave, low, static_cast<uint32_t>(uop->imm), uop->d);
  } else {
    const uint32_t bytes = AddressWord::bytes(uop->d);
    WaveAccess& access = wave->access;
    access.word = uop->d;
    access.lanes = exec;
    access.zero = 0;
    access.pattern = in_private ? Pattern::Translated : Pattern::Gather;
    for (int lane = 0; lane < kLanes; ++lane)
      wave->address[lane] = (uint64_t{high[lane]} << 32 | low[lane]) + uop->imm;
    good = true;
    uint64_t global = exec;
    for (uint64_t left = exec & (in_lds | in_private); left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t offset = (wave->address[lane] & 0xffffffffu) + 0;
      global &= ~(uint64_t{1} << lane);
      if (in_lds >> lane & 1) {
        if (offset + bytes > wave->lds_size) {
          access.lanes &= ~(uint64_t{1} << lane);
          access.zero |= uint64_t{1} << lane;
        } else {
          wave->address[lane] = reinterpret_cast<uint64_t>(wave->lds) + offset;
        }
      } else if (offset + bytes > wave->scratch_size) {
        stray_access(uop, wave, lane, wave->address[lane], bytes);
        return;
      }
    }
    const uint64_t stray = outside<kLanes>(wave, bytes) & global;
    if (stray) good = admit(uop, wave, stray, bytes);
  }
  if (!good) [[unlikely]]
    return;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

template <int kLanes>
void address_lds(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  const uint32_t* offsets = row_at(wave, uop->a);
  alignas(64) uint32_t moved[kLanes];
  const auto constant = static_cast<uint32_t>(uop->imm);
  if (constant) {
    for (int pack = 0; pack < kLanes / kPackLanes; ++pack)
      reinterpret_cast<Pack<uint32_t>*>(moved)[pack] =
          reinterpret_cast<const Pack<uint32_t>*>(offsets)[pack] + constant;
    offsets = moved;
  }
  linear<kLanes, true>(uop, wave, reinterpret_cast<uint64_t>(wave->lds), offsets, uop->d);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// A buffer resource, as four SGPRs hold it. Sources: CDNA3 ISA manual, section "Memory Buffer Resource
/// Descriptor"; RDNA3 ISA manual, section "Buffer Resource".
struct Resource {
  uint64_t base;
  uint32_t stride, records, index_stride, bounds;
  bool swizzled, by_lane;

  Resource(const uint32_t* words, bool newer)
      : base(words[0] | uint64_t{words[1] & 0xffff} << 32),
        stride(words[1] >> 16 & 0x3fff),
        records(words[2]),
        index_stride(8u << (words[3] >> 21 & 3)),
        bounds(words[3] >> 28 & 3),
        swizzled(newer ? words[1] >> 30 : words[1] >> 31),
        by_lane(words[3] >> 23 & 1) {
    if (by_lane && !newer) stride |= (words[3] >> 15 & 15) << 14;  // the data format's place
  }
};

/// Raw buffers check each dword on its own (CDNA3 and RDNA3 ISA manuals, "Buffer Addressing", range
/// checking): lanes beyond the end whose first dword isn't. The access takes them back from Wave::access and
/// clears `part`.
template <int kLanes>
[[gnu::noinline]] bool cross_the_end(const Uop* uop, Wave* wave, uint64_t lanes, uint64_t start,
                                     const uint32_t* offsets, uint64_t end) {
  WaveAccess& access = wave->access;
  access.part = 0;
  access.end = end;
  for (; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    const uint64_t at = start + offsets[lane], bytes = (end - at) & ~uint64_t{3};
    wave->address[lane] = at;
    access.part |= uint64_t{1} << lane;
    if (!inside(*wave->memory, at, bytes) &&
        !admit(uop, wave, uint64_t{1} << lane, static_cast<uint32_t>(bytes)))
      return false;
  }
  return true;
}

/// a = offset row, e = index row, b = resource, c = scalar offset, f = immediate and BufferWord.
template <int kLanes, bool kDwords>
[[gnu::always_inline]] inline bool buffer(const Uop* uop, Wave* wave, uint32_t word) {
  const uint32_t flags = uop->f, bytes = AddressWord::bytes(word);
  const bool newer = flags & BufferWord::kNewer, indexed = flags & BufferWord::kIndex;
  const Resource resource(row_at(wave, uop->b), newer);
  const uint32_t scalar = at<uint32_t>(wave, uop->c), immediate = flags & BufferWord::kImmediate;
  const uint32_t* const offsets = row_at(wave, uop->a);
  bool good = false;
  if (resource.swizzled && resource.by_lane && resource.base == reinterpret_cast<uint64_t>(wave->scratch)) {
    // The private segment of generations without scratch instructions; the scalar offset counts the whole
    // wave's bytes.
    alignas(64) static constexpr uint32_t kNone[kRowLanes] = {};
    good = private_offsets<kLanes>(uop, wave, flags & BufferWord::kOffset ? offsets : kNone,
                                   immediate + scalar / kLanes, word);
  } else {
    const uint32_t* const indices = row_at(wave, uop->e);
    alignas(64) uint32_t place[kLanes];
    uint64_t beyond = 0, partly = 0;
    // Raw: bytes are counted; structured: records. Older ones choose by the instruction, newer ones by the
    // resource.
    const bool structured = newer ? resource.bounds <= 1 : indexed && resource.stride != 0;
    const bool whole = newer && resource.bounds == 0 && resource.stride != 0;
    constexpr uint64_t kPack = 0xffff;
    const uint32_t room = scalar <= resource.records ? resource.records - scalar : 0;
    const bool by_dword = kDwords && bytes > 4 && !structured && !(newer && resource.bounds == 2) &&
                          !(word & AddressWord::kAtomic) && !resource.swizzled && room >= 4;
    for (int pack = 0; pack < kLanes / kPackLanes; ++pack) {
      Pack<uint32_t> index(0), offset(immediate);
      if (indexed) index = reinterpret_cast<const Pack<uint32_t>*>(indices)[pack];
      if (resource.by_lane) index += kIota + static_cast<uint32_t>(pack * kPackLanes);
      if (flags & BufferWord::kOffset) offset += reinterpret_cast<const Pack<uint32_t>*>(offsets)[pack];
      const Pack<uint32_t> straight = index * resource.stride + offset;
      auto where = straight;
      if (resource.swizzled) {
        const uint32_t unit = 4;
        const auto high = (index / resource.index_stride * resource.stride + (offset & ~(unit - 1))) *
                          resource.index_stride;
        where = high + index % resource.index_stride * unit + offset % unit;
      }
      reinterpret_cast<Pack<uint32_t>*>(place)[pack] = where;
      uint64_t out;
      if (newer && resource.bounds == 2)
        out = resource.records == 0 ? ~uint64_t{0} : 0;
      else if (structured)
        out = bits_of(isa::lanes(index >= resource.records), pack) |
              (whole ? bits_of(isa::lanes(offset + bytes > resource.stride), pack) : 0);
      else
        out = bytes > room ? kPack << pack * kPackLanes : bits_of(isa::lanes(straight > room - bytes), pack);
      if (by_dword && out) [[unlikely]]
        partly |= out & bits_of(isa::lanes(straight <= room - 4), pack);
      beyond |= out;
    }
    good = linear<kLanes, false>(uop, wave, resource.base + scalar, place, word, beyond);
    partly &= wave->exec();
    if (good && partly) [[unlikely]]
      good = cross_the_end<kLanes>(uop, wave, partly, resource.base + scalar, place,
                                   resource.base + scalar + room);
  }
  return good;
}

template <int kLanes>
void address_buffer(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->may_wait |= uop->d & AddressWord::kMayWait;
  if (!buffer<kLanes, true>(uop, wave, uop->d)) [[unlikely]]
    return;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// The format is the instruction's or the resource's. An invalid one reads 0 and writes nothing.
template <int kLanes>
void address_formatted(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->may_wait |= uop->d & AddressWord::kMayWait;
  const bool newer = uop->f & BufferWord::kNewer, typed = uop->d & AddressWord::kTyped;
  const uint32_t word3 = row_at(wave, uop->b)[3];
  WaveAccess& access = wave->access;
  access.format =
      typed ? uop->d >> AddressWord::kFormatAt & 0xff : isa::FormatCode::of_resource(word3, newer);
  constexpr uint32_t kXyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  access.select = typed ? kXyzw : word3 & 0xfff;
  const uint32_t flags = uop->d & 0xff00;
  if (const uint32_t bytes = isa::buffer_format(access.format).bytes(); bytes != 0) {
    if (!buffer<kLanes, false>(uop, wave, flags | bytes)) [[unlikely]]
      return;
  } else {
    access.word = flags;
    access.pattern = Pattern::Gather;
    access.lanes = 0;
    access.zero = wave->exec();
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// LDS at M0 + imm + lane * c: loads that go straight to LDS, and the forms with "addtid".
template <int kLanes>
void address_by_lane(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  alignas(64) uint32_t place[kLanes];
  // M0 holds a byte address in LDS: 16 bits, or 18 where LDS is larger than 64 KiB (CDNA4's 160 KiB).
  const uint32_t bits = wave->lds_size > 0x10000 ? 0x3ffff : 0xffff;
  const uint32_t start = (wave->s[scalar_index::kM0] & bits) + static_cast<uint32_t>(uop->imm);
  for (int pack = 0; pack < kLanes / kPackLanes; ++pack)
    reinterpret_cast<Pack<uint32_t>*>(place)[pack] =
        (kIota + static_cast<uint32_t>(pack * kPackLanes)) * uop->c + start;
  linear<kLanes, true>(uop, wave, reinterpret_cast<uint64_t>(wave->lds), place, uop->d);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// Scalar base + imm + lane * 4: the forms with "addtid" in memory.
template <int kLanes>
void address_saddr_by_lane(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->may_wait |= uop->d & AddressWord::kMayWait;
  alignas(64) uint32_t place[kLanes];
  for (int pack = 0; pack < kLanes / kPackLanes; ++pack)
    reinterpret_cast<Pack<uint32_t>*>(place)[pack] = (kIota + static_cast<uint32_t>(pack * kPackLanes)) * 4;
  if (!linear<kLanes, false>(uop, wave, at<uint64_t>(wave, uop->b) + uop->imm, place, uop->d)) [[unlikely]]
    return;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

}  // namespace

void add_address(Engine& engine) {
  const auto set = [&](Address kind, Handler wave64, Handler wave32) {
    engine.address[static_cast<size_t>(kind)][0] = wave64;
    engine.address[static_cast<size_t>(kind)][1] = wave32;
  };
  set(Address::Saddr, address_saddr<64>, address_saddr<32>);
  set(Address::Vaddr, address_vaddr<64>, address_vaddr<32>);
  set(Address::Flat, address_flat<64>, address_flat<32>);
  set(Address::Scratch, address_scratch<64>, address_scratch<32>);
  set(Address::Buffer, address_buffer<64>, address_buffer<32>);
  set(Address::FormattedBuffer, address_formatted<64>, address_formatted<32>);
  set(Address::SaddrByLane, address_saddr_by_lane<64>, address_saddr_by_lane<32>);
  set(Address::ByLane, address_by_lane<64>, address_by_lane<32>);
  set(Address::Lds, address_lds<64>, address_lds<32>);
}

}  // namespace wavesmith::emulate
