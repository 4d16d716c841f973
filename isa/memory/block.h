// Memory of many lanes or registers at once: loads that transpose, and blocks of registers.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void block_memory(Visitor& v) {
  constexpr Facts block{.generations = kRdna4};
  constexpr Facts transposed{
      .generations = kRdna4,
      .fidelity = Fidelity::Approximate,
      .bound = "which lanes exchange elements is known from AMD's own kernels; wave32 only"};
  // clang-format off
  v(TransposedLoadSignature{8},  "global_load_tr_b64", transposed);
  v(TransposedLoadSignature{16}, "global_load_tr_b128", transposed);
  v(BlockSignature{Direction::Load},  "global_load_block scratch_load_block", block);
  v(BlockSignature{Direction::Store}, "global_store_block scratch_store_block", block);
  // clang-format on
}

}  // namespace wavesmith::isa
