// Transposing loads and blocks of registers.
#include "isa/memory/block.h"

#include "emulate/engine/access.h"
#include "emulate/engine/collect.h"

namespace wavesmith::emulate {
namespace {

/// The lane that has loaded element `j` of what `lane` receives.
///
/// The elements of 16 bits are exchanged among eight lanes. Those of 8 bits are among sixteen, so that a 16 x
/// 16 tile comes out as WMMA's operand: lanes 0-3 and 8-11 have loaded rows 0 to 7 of columns 0 to 7, lanes
/// 4-7 and 12-15 those of columns 8 to 15, and the other sixteen lanes rows 8 to 15. That is how hipBLASLt's
/// kernels address what they load (Tensile, DirectToVgpr; gfx1201).
template <int kBits>
constexpr uint32_t loading_lane(uint32_t lane, uint32_t j) {
  if constexpr (kBits == 16) return (lane & ~7u) + j;
  return (lane & 16) | (j & 4) << 1 | (lane & 8) >> 1 | (j & 3);
}

/// d = rows a, transposed between lanes.
template <int kBits>
void transpose(const Uop* uop, Wave* wave) {
  constexpr uint32_t kMask = (1u << kBits) - 1, kInDword = 32 / kBits;
  const uint32_t* const from = row_at(wave, uop->a);
  uint32_t* const to = row_at(wave, uop->d);
  for (uint64_t left = wave->exec(); left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left)), column = lane & 7;
    uint32_t words[8 / kInDword] = {};
    for (uint32_t j = 0; j < 8; ++j) {
      const uint32_t word = from[column / kInDword * kRowLanes + loading_lane<kBits>(lane, j)];
      words[j / kInDword] |= (word >> (column % kInDword * kBits) & kMask) << (j % kInDword * kBits);
    }
    for (uint32_t i = 0; i < 8 / kInDword; ++i) to[i * kRowLanes + lane] = words[i];
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

template <bool kStore>
void block(const Uop* uop, Wave* wave) {
  const WaveAccess& access = wave->access;
  uint32_t* const rows = row_at(wave, kStore ? uop->a : uop->d);
  if constexpr (kStore) fence_streams(wave);
  for (uint64_t left = access.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (uint32_t moves = wave->s[scalar_index::kM0]; moves; moves &= moves - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(moves));
      uint32_t& word = rows[i * kRowLanes + static_cast<uint32_t>(lane)];
      for (uint32_t byte = 0; byte < 4; ++byte) {
        std::byte* const memory = byte_of(wave, lane, 128, 4 * i + byte);
        if constexpr (kStore)
          *memory = static_cast<std::byte>(word >> (8 * byte));
        else
          word = (word & ~(0xffu << (8 * byte))) | static_cast<uint32_t>(*memory) << (8 * byte);
      }
    }
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

}  // namespace

void Collector::operator()(isa::TransposedLoadSignature signature, std::string_view names, isa::Facts facts) {
  Implementation implementation{isa::make_memory_row(names, isa::make_transposed_access(signature), facts)};
  implementation.handlers[1][0] = signature.bits == 8 ? transpose<8> : transpose<16>;
  table.push_back(implementation);
}

void Collector::operator()(isa::BlockSignature signature, std::string_view names, isa::Facts facts) {
  Implementation implementation{isa::make_memory_row(names, isa::make_block_access(signature), facts)};
  const bool store = signature.direction == isa::Direction::Store;
  implementation.handlers[0][0] = implementation.handlers[1][0] = store ? block<true> : block<false>;
  table.push_back(implementation);
}

void add_block_memory(Collector& collector) { isa::block_memory(collector); }

}  // namespace wavesmith::emulate
