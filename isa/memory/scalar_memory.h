// Scalar memory: loads and stores of SGPRs through the constant cache.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void scalar_memory(Visitor& v) {
  // clang-format off
  v(scalar_load<mem_u8>,      "s_load_u8 s_buffer_load_u8");
  v(scalar_load<mem_i8>,      "s_load_i8 s_buffer_load_i8");
  v(scalar_load<mem_u16>,     "s_load_u16 s_buffer_load_u16");
  v(scalar_load<mem_i16>,     "s_load_i16 s_buffer_load_i16");
  v(scalar_load<mem_b32>,     "s_load_dword s_load_b32 s_buffer_load_dword s_buffer_load_b32");
  v(scalar_load<mem_b64>,     "s_load_dwordx2 s_load_b64 s_buffer_load_dwordx2 s_buffer_load_b64");
  v(scalar_load<mem_b96>,     "s_load_b96 s_buffer_load_b96");
  v(scalar_load<mem_b128>,    "s_load_dwordx4 s_load_b128 s_buffer_load_dwordx4 s_buffer_load_b128");
  v(scalar_load<Element<32>>, "s_load_dwordx8 s_load_b256 s_buffer_load_dwordx8 s_buffer_load_b256");
  v(scalar_load<Element<64>>, "s_load_dwordx16 s_load_b512 s_buffer_load_dwordx16 s_buffer_load_b512");
  v(scalar_store<mem_b32>,    "s_store_dword s_buffer_store_dword");
  v(scalar_store<mem_b64>,    "s_store_dwordx2 s_buffer_store_dwordx2");
  v(scalar_store<mem_b128>,   "s_store_dwordx4 s_buffer_store_dwordx4");
  // clang-format on
}

}  // namespace wavesmith::isa
