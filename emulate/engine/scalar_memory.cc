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
  std::memcpy(reinterpret_cast<void*>(address), base(wave) + uop->c, E::kBytes);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

}  // namespace

template <class E>
void Collector::operator()(isa::ScalarLoadSignature<E>, std::string_view names, isa::Facts facts) {
  Implementation implementation{
      isa::make_memory_row(names, isa::make_access<E>(isa::Direction::Load), facts)};
  implementation.handlers[0][0] = implementation.handlers[1][0] = scalar_load<E>;
  table.push_back(implementation);
}

template <class E>
void Collector::operator()(isa::ScalarStoreSignature<E>, std::string_view names, isa::Facts facts) {
  Implementation implementation{
      isa::make_memory_row(names, isa::make_access<E>(isa::Direction::Store), facts)};
  implementation.handlers[0][0] = implementation.handlers[1][0] = scalar_store<E>;
  table.push_back(implementation);
}

void add_scalar_memory(Collector& collector) { isa::scalar_memory(collector); }

}  // namespace wavesmith::emulate
