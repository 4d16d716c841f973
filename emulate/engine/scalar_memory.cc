// Scalar loads and stores: a = base (64 bits), b = offset register or a constant 0, imm = offset, d or c =
// data.
#include "isa/memory/scalar_memory.h"

#include "emulate/engine/access.h"
#include "emulate/engine/collect.h"

namespace wavesmith::emulate {
namespace {

/// Dword accesses ignore the two lowest bits of each part of the address.
template <class E>
[[gnu::always_inline]] inline uint64_t scalar_address(const Uop* uop, Wave* wave) {
  const uint64_t address = at<uint64_t>(wave, uop->a) + at<uint32_t>(wave, uop->b) + uop->imm;
  return E::kBytes < 4 ? address : address & ~uint64_t{3};
}

template <class E>
void scalar_load(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->access.lanes = 0;
  wave->access.word = E::kBytes;
  const uint64_t address = scalar_address<E>(uop, wave);
  if (!inside(*wave->memory, address, E::kBytes) && !admit_scalar(uop, wave, address, E::kBytes)) [[unlikely]]
    return;
  if constexpr (E::kBytes < 4) {
    std::conditional_t<E::kBytes == 1, std::conditional_t<E::kSigned, int8_t, uint8_t>,
                       std::conditional_t<E::kSigned, int16_t, uint16_t>>
        value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    at<uint32_t>(wave, uop->d) = static_cast<uint32_t>(static_cast<int32_t>(value));
  } else {
    std::memcpy(base(wave) + uop->d, reinterpret_cast<const void*>(address), E::kBytes);
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

template <class E>
void scalar_store(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->access.lanes = 0;
  wave->access.word = E::kBytes | AddressWord::kWrite;
  const uint64_t address = scalar_address<E>(uop, wave);
  if (!inside(*wave->memory, address, E::kBytes) && !admit_scalar(uop, wave, address, E::kBytes)) [[unlikely]]
    return;
  fence_streams(wave);
  std::memcpy(reinterpret_cast<void*>(address), base(wave) + uop->c, E::kBytes);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// The same through a buffer resource: bytes beyond it read as 0 and are not written.
template <class E, bool kStore>
void scalar_buffer(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->access.lanes = 0;
  wave->access.word = 4 | (kStore ? AddressWord::kWrite : 0);
  const auto* const words = reinterpret_cast<const uint32_t*>(base(wave) + uop->a);
  const uint64_t start = words[0] | uint64_t{words[1] & 0xffff} << 32, stride = words[1] >> 16 & 0x3fff;
  const uint64_t size = stride ? stride * words[2] : words[2];
  uint64_t offset = at<uint32_t>(wave, uop->b) + uop->imm;
  if constexpr (E::kBytes >= 4) offset &= ~uint64_t{3};
  constexpr uint32_t kUnit = E::kBytes < 4 ? E::kBytes : 4;
  uint32_t values[(E::kBytes + 3) / 4] = {};
  for (uint32_t done = 0; done < E::kBytes; done += kUnit) {
    if (offset + done + kUnit > size) break;
    const uint64_t address = start + offset + done;
    if (!inside(*wave->memory, address, kUnit) && !admit_scalar(uop, wave, address, kUnit)) [[unlikely]]
      return;
    if constexpr (kStore)
      std::memcpy(reinterpret_cast<void*>(address), base(wave) + uop->c + done, kUnit);
    else
      std::memcpy(reinterpret_cast<std::byte*>(values) + done, reinterpret_cast<const void*>(address), kUnit);
  }
  if constexpr (!kStore) {
    if constexpr (E::kSigned)
      values[0] = static_cast<uint32_t>(static_cast<int32_t>(values[0] << (32 - 8 * E::kBytes)) >>
                                        (32 - 8 * E::kBytes));
    std::memcpy(base(wave) + uop->d, values, sizeof values);
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

}  // namespace

template <class E>
void Collector::operator()(isa::ScalarLoadSignature<E>, std::string_view names, isa::Facts facts) {
  Implementation implementation{
      isa::make_memory_row(names, isa::make_scalar_access<E>(isa::Direction::Load), facts)};
  implementation.handlers[0][0] = implementation.handlers[1][0] = scalar_load<E>;
  implementation.handlers[0][1] = implementation.handlers[1][1] = scalar_buffer<E, false>;
  table.push_back(implementation);
}

template <class E>
void Collector::operator()(isa::ScalarStoreSignature<E>, std::string_view names, isa::Facts facts) {
  Implementation implementation{
      isa::make_memory_row(names, isa::make_scalar_access<E>(isa::Direction::Store), facts)};
  implementation.handlers[0][0] = implementation.handlers[1][0] = scalar_store<E>;
  implementation.handlers[0][1] = implementation.handlers[1][1] = scalar_buffer<E, true>;
  table.push_back(implementation);
}

void add_scalar_memory(Collector& collector) { isa::scalar_memory(collector); }

}  // namespace wavesmith::emulate
