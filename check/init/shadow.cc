#include "check/init/shadow.h"

namespace wavesmith::check::init {

void WaveShadow::begin() {
  dirty_.fill(~uint64_t{0});
  rows_.fill({});
  scalars_.fill({});
  scratch.begin();
  next_dword = next_place = 0;
  any_in_flight = false;
}

uint64_t WaveShadow::lanes(uint16_t r, uint32_t mask) const {
  const Row& row = rows_[r];
  if (row.part == 0 || mask == ~uint32_t{0}) return row.lanes();
  uint64_t found = row.whole;
  for (uint64_t left = row.part; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (bits_[r][lane] & mask) found |= uint64_t{1} << lane;
  }
  return found;
}

void WaveShadow::define_all_vectors() {
  for (uint16_t r = 0; r < kVectorRegisters; ++r) define(r, ~uint64_t{0});
}

void WaveShadow::define(uint16_t r, uint64_t lanes, uint32_t mask) {
  if (!dirty(r)) return;
  Row& row = rows_[r];
  if (mask == ~uint32_t{0}) {
    row.whole &= ~lanes;
    row.part &= ~lanes;
  } else {
    for (uint64_t left = lanes & row.lanes(); left; left &= left - 1)
      set_bits(r, std::countr_zero(left), 0, mask);
  }
  row.computed &= row.lanes();
  update(r);
}

void WaveShadow::set(uint16_t r, uint64_t lanes, uint64_t undefined, uint64_t computed, uint32_t origin) {
  Row& row = rows_[r];
  row.whole = (row.whole & ~lanes) | (undefined & lanes);
  row.part &= ~lanes;
  row.computed = (row.computed & ~lanes) | (computed & undefined & lanes);
  if (undefined & lanes) row.origin = origin;
  update(r);
}

void WaveShadow::set_bits(uint16_t r, int lane, uint32_t undefined, uint32_t mask) {
  Row& row = rows_[r];
  const uint64_t bit = uint64_t{1} << lane;
  const uint32_t bits = (this->bits(r, lane) & ~mask) | (undefined & mask);
  row.whole &= ~bit;
  row.part &= ~bit;
  if (bits == ~uint32_t{0}) {
    row.whole |= bit;
  } else if (bits) {
    row.part |= bit;
    bits_[r][lane] = bits;
  }
}

void WaveShadow::set_scalar(uint16_t r, uint32_t undefined, bool computed, uint32_t origin) {
  Scalar& scalar = this->scalar(r);
  scalar.bits = undefined;
  scalar.computed = computed && undefined;
  if (undefined) scalar.origin = origin;
  mark(r, undefined != 0);
}

}  // namespace wavesmith::check::init
