// LDS instructions across lanes: d = result row, a = address or data row, b = data row, imm = offset.
#include "isa/memory/lds_lanes.h"

#include "emulate/engine/access.h"
#include "emulate/engine/collect.h"

namespace wavesmith::emulate {
namespace {

using isa::LdsLane;

/// A row of results under EXEC; lanes read what the row held before.
template <int kLanes>
void put(Wave* wave, uint32_t offset, const uint32_t (&values)[kRowLanes]) {
  uint32_t* const to = row_at(wave, offset);
  for (uint64_t left = wave->exec(); left; left &= left - 1)
    to[std::countr_zero(left)] = values[std::countr_zero(left)];
}

template <int kLanes>
void swizzle(const Uop* uop, Wave* wave) {
  const uint64_t exec = wave->exec();
  const uint32_t* const data = row_at(wave, uop->a);
  uint32_t values[kRowLanes] = {};
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t from = isa::swizzled(lane, static_cast<uint32_t>(uop->imm));
    values[lane] = exec >> from & 1 ? data[from] : 0;
  }
  put<kLanes>(wave, uop->d, values);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// c: the lanes that one permutation spans (32 where halves of a wave64 are apart).
template <int kLanes, bool kEvenInvalid>
void back_permute(const Uop* uop, Wave* wave) {
  const uint64_t exec = kEvenInvalid ? ~uint64_t{0} : wave->exec();
  const uint32_t* const address = row_at(wave, uop->a);
  const uint32_t* const data = row_at(wave, uop->b);
  const uint32_t span = uop->c;
  uint32_t values[kRowLanes];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t from =
        ((address[lane] + static_cast<uint32_t>(uop->imm)) / 4 & (span - 1)) | (lane & ~(span - 1));
    values[lane] = exec >> from & 1 ? data[from] : 0;
  }
  put<kLanes>(wave, uop->d, values);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

template <int kLanes>
void permute(const Uop* uop, Wave* wave) {
  const uint32_t* const address = row_at(wave, uop->a);
  const uint32_t* const data = row_at(wave, uop->b);
  const uint32_t span = uop->c;
  uint32_t values[kRowLanes] = {};
  for (uint64_t left = wave->exec(); left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    values[((address[lane] + static_cast<uint32_t>(uop->imm)) / 4 & (span - 1)) | (lane & ~(span - 1))] =
        data[lane];
  }
  put<kLanes>(wave, uop->d, values);
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// A counter in LDS at M0 + offset, changed by the number of active lanes; all of them get its former value.
template <int kLanes, bool kAdd>
void append(const Uop* uop, Wave* wave) {
  const uint64_t exec = wave->exec();
  const uint64_t at = (wave->s[scalar_index::kM0] & 0xffff) + uop->imm;
  uint32_t before = 0;
  if (at + 4 <= wave->lds_size) {
    std::memcpy(&before, wave->lds + at, 4);
    const auto count = static_cast<uint32_t>(std::popcount(exec));
    const uint32_t after = kAdd ? before + count : before - count;
    std::memcpy(wave->lds + at, &after, 4);
  }
  uint32_t* const to = row_at(wave, uop->d);
  each_lane<kLanes>(exec, [&](int lane) { to[lane] = before; });
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

/// Transposed reads: sixteen lanes read a block whose rows are sixteen elements of kBits; each then holds a
/// column. A row is kRowLanes_ lanes' data. Element j of lane i is element i of row j.
template <int kBits, int kDwords>
void transpose(const Uop* uop, Wave* wave) {
  constexpr int kElements = kDwords * 32 / kBits, kLanesInRow = 16 / kElements;
  const uint32_t* const address = row_at(wave, uop->a);
  uint32_t read[64][4] = {};
  for (int lane = 0; lane < 64; ++lane) {
    const uint64_t at = uint64_t{address[lane]} + uop->imm;
    if (at + 4 * kDwords <= wave->lds_size) std::memcpy(read[lane], wave->lds + at, 4 * kDwords);
  }
  const auto element = [](const uint32_t* words, int i) {
    const int bit = i * kBits;
    const uint64_t pair = words[bit / 32] | uint64_t{words[bit / 32 + 1]} << 32;
    return static_cast<uint32_t>(pair >> (bit % 32)) & ((1u << kBits) - 1);
  };
  for (uint64_t left = wave->exec(); left; left &= left - 1) {
    const int lane = std::countr_zero(left), group = lane & ~15, column = lane & 15;
    uint64_t words[3] = {};
    for (int j = 0; j < kElements; ++j) {
      const uint64_t value = element(read[group + j * kLanesInRow + column / kElements], column % kElements);
      const int bit = j * kBits;
      words[bit / 32] |= value << (bit % 32);
      if (bit % 32 + kBits > 32) words[bit / 32 + 1] |= value >> (32 - bit % 32);
    }
    for (int i = 0; i < kDwords; ++i)
      row_at(wave, uop->d)[i * kRowLanes + lane] = static_cast<uint32_t>(words[i]);
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

void nothing(const Uop* uop, Wave* wave) { [[clang::musttail]] return uop[1].handler(uop + 1, wave); }

template <int kLanes>
Handler handler_of(LdsLane what) {
  switch (what) {
    case LdsLane::Swizzle:
      return swizzle<kLanes>;
    case LdsLane::Permute:
      return permute<kLanes>;
    case LdsLane::BackPermute:
      return back_permute<kLanes, false>;
    case LdsLane::BackPermuteInvalid:
      return back_permute<kLanes, true>;
    case LdsLane::Append:
      return append<kLanes, true>;
    case LdsLane::Consume:
      return append<kLanes, false>;
    case LdsLane::Transpose16:
      return transpose<16, 2>;
    case LdsLane::Transpose8:
      return transpose<8, 2>;
    case LdsLane::Transpose4:
      return transpose<4, 2>;
    case LdsLane::Transpose6:
      return transpose<6, 3>;
    case LdsLane::None:
      return nothing;
  }
  return nullptr;
}

}  // namespace

void Collector::operator()(isa::LdsLaneSignature signature, std::string_view names, isa::Facts facts) {
  Implementation implementation{
      isa::make_memory_row(names, isa::make_lds_lane_access(signature.what), facts)};
  implementation.handlers[0][0] = handler_of<64>(signature.what);
  implementation.handlers[1][0] = handler_of<32>(signature.what);
  table.push_back(implementation);
}

void add_lds_lanes(Collector& collector) { isa::lds_lanes(collector); }

}  // namespace wavesmith::emulate
