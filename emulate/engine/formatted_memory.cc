// Formatted loads and stores: what happens once the address micro-operation has set Wave::access and its
// format.
#include "isa/memory/formatted.h"

#include "emulate/engine/access.h"
#include "emulate/engine/collect.h"
#include "isa/memory/format_values.h"

namespace wavesmith::emulate {
namespace {

using isa::BufferFormat;
using isa::Direction;
using isa::Number;
using isa::Part;

/// An element's bytes, and its components in them.
struct FormattedElement {
  unsigned __int128 bits = 0;

  [[nodiscard]] uint32_t component(const BufferFormat& format, int i) const {
    unsigned at = 0;
    for (int before = 0; before < i; ++before) at += format.bits[static_cast<size_t>(before)];
    return static_cast<uint32_t>(bits >> at) & isa::formats::mask_of(format.bits[static_cast<size_t>(i)]);
  }
  void add(const BufferFormat& format, int i, uint32_t code) {
    unsigned at = 0;
    for (int before = 0; before < i; ++before) at += format.bits[static_cast<size_t>(before)];
    bits |= static_cast<unsigned __int128>(code) << at;
  }
};

/// Which component (4 to 7), or 0 or 1, a destination gets: three bits each of the resource's DST_SEL.
uint32_t selected(const FormattedElement& element, const BufferFormat& format, uint32_t select) {
  const uint32_t one = format.is_integer() ? 1 : 0x3f800000u;
  if (select < 4) return select == 1 ? one : 0;
  const int i = static_cast<int>(select) - 4;
  if (i >= format.components) return i == 3 ? one : 0;
  return isa::formats::load_component(element.component(format, i), format.bits[static_cast<size_t>(i)],
                                      format.number);
}

uint32_t narrowed(uint32_t word, const BufferFormat& format) {
  return format.is_integer() ? word & 0xffff : encode<kF16>(std::bit_cast<float>(word));
}
uint32_t widened(uint32_t half, const BufferFormat& format) {
  if (format.number == Number::Uint) return half;
  if (format.number == Number::Sint) return static_cast<uint32_t>(isa::formats::sign_extended(half, 16));
  return std::bit_cast<uint32_t>(decode<kF16>(half));
}

void put_half(uint32_t& word, uint32_t half, bool high) {
  word = high ? (word & 0xffffu) | half << 16 : (word & 0xffff0000u) | half;
}

/// `kClears`: halves that no component fills become 0, as with SRAM-ECC; else they stay.
template <int kComponents, Part kPart, bool kClears = false>
void formatted_load(const Uop* uop, Wave* wave) {
  const WaveAccess& access = wave->access;
  const BufferFormat& format = isa::buffer_format(access.format);
  const uint32_t bytes = format.bytes();
  uint32_t* const to = row_at(wave, uop->d);
  for (uint64_t left = access.lanes | access.zero; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const bool zero = (access.zero >> lane & 1) != 0;
    FormattedElement element;
    for (uint32_t i = 0; !zero && i < bytes; ++i)
      element.bits |= static_cast<unsigned __int128>(*byte_of(wave, lane, bytes, i)) << (8 * i);
    for (int i = 0; i < kComponents; ++i) {
      const uint32_t word = zero ? 0 : selected(element, format, access.select >> (3 * i) & 7);
      if constexpr (kPart == Part::Whole) {
        to[i * kRowLanes + lane] = word;
      } else {
        if constexpr (kClears && kPart == Part::High) to[lane] = 0;
        if constexpr (kClears && kPart == Part::Low)
          if (i % 2 == 0) to[i / 2 * kRowLanes + lane] = 0;
        put_half(to[i / 2 * kRowLanes + lane], narrowed(word, format), kPart == Part::High || i % 2 == 1);
      }
    }
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

template <int kComponents, Part kPart>
void formatted_store(const Uop* uop, Wave* wave) {
  const WaveAccess& access = wave->access;
  const BufferFormat& format = isa::buffer_format(access.format);
  const uint32_t bytes = format.bytes();
  const uint32_t* const from = row_at(wave, uop->a);
  fence_streams(wave);
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    FormattedElement element;
    for (int i = 0; i < kComponents && i < format.components; ++i) {
      uint32_t word;
      if constexpr (kPart == Part::Whole)
        word = from[i * kRowLanes + lane];
      else
        word = widened(
            from[i / 2 * kRowLanes + lane] >> (kPart == Part::High || i % 2 == 1 ? 16 : 0) & 0xffff, format);
      element.add(format, i,
                  isa::formats::store_component(word, format.bits[static_cast<size_t>(i)], format.number));
    }
    for (uint32_t i = 0; i < bytes; ++i)
      *byte_of(wave, lane, bytes, i) = static_cast<std::byte>(element.bits >> (8 * i) & 0xff);
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

template <int kComponents>
Handler handler_of(const isa::FormattedSignature& signature) {
  const bool load = signature.direction == Direction::Load;
  switch (signature.part) {
    case Part::Whole:
      return load ? formatted_load<kComponents, Part::Whole> : formatted_store<kComponents, Part::Whole>;
    case Part::Low:
      return load ? formatted_load<kComponents, Part::Low> : formatted_store<kComponents, Part::Low>;
    case Part::High:
      return load ? formatted_load<1, Part::High> : formatted_store<1, Part::High>;
  }
  return nullptr;
}

/// The load of an odd number of halves where SRAM-ECC is on; nullptr for what leaves no half alone.
Handler clearing_handler_of(const isa::FormattedSignature& signature) {
  if (signature.direction != Direction::Load || signature.components % 2 == 0) return nullptr;
  if (signature.part == Part::High) return formatted_load<1, Part::High, true>;
  if (signature.part == Part::Whole) return nullptr;
  return signature.components == 1 ? formatted_load<1, Part::Low, true> : formatted_load<3, Part::Low, true>;
}

}  // namespace

void Collector::operator()(isa::FormattedSignature signature, std::string_view names, isa::Facts facts) {
  Implementation implementation{isa::make_memory_row(names, isa::make_formatted_access(signature), facts)};
  const Handler handlers[] = {handler_of<1>(signature), handler_of<2>(signature), handler_of<3>(signature),
                              handler_of<4>(signature)};
  implementation.handlers[0][0] = implementation.handlers[1][0] = handlers[signature.components - 1];
  implementation.handlers[0][1] = clearing_handler_of(signature);
  table.push_back(implementation);
}

void add_formatted_memory(Collector& collector) { isa::formatted_memory(collector); }

}  // namespace wavesmith::emulate
