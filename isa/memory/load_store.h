// Vector loads and stores. One row names an element's move in every address space; the translator takes the
// space from the mnemonic, since only address generation differs.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void load_store(Visitor& v) {
  constexpr Facts by_lane{.by_lane = true}, far{.far = true};
  // clang-format off
  v(load<mem_u8>,       "global_load_lds_ubyte scratch_load_lds_ubyte global_load_ubyte global_load_u8 flat_load_ubyte flat_load_u8 scratch_load_ubyte scratch_load_u8 buffer_load_ubyte buffer_load_u8 ds_read_u8 ds_load_u8");
  v(load<mem_i8>,       "global_load_lds_sbyte scratch_load_lds_sbyte global_load_sbyte global_load_i8 flat_load_sbyte flat_load_i8 scratch_load_sbyte scratch_load_i8 buffer_load_sbyte buffer_load_i8 ds_read_i8 ds_load_i8");
  v(load<mem_u16>,      "global_load_lds_ushort scratch_load_lds_ushort global_load_ushort global_load_u16 flat_load_ushort flat_load_u16 scratch_load_ushort scratch_load_u16 buffer_load_ushort buffer_load_u16 ds_read_u16 ds_load_u16");
  v(load<mem_i16>,      "global_load_lds_sshort scratch_load_lds_sshort global_load_sshort global_load_i16 flat_load_sshort flat_load_i16 scratch_load_sshort scratch_load_i16 buffer_load_sshort buffer_load_i16 ds_read_i16 ds_load_i16");
  v(load<mem_u8_low>,   "global_load_ubyte_d16 global_load_d16_u8 flat_load_ubyte_d16 flat_load_d16_u8 scratch_load_ubyte_d16 scratch_load_d16_u8 buffer_load_ubyte_d16 buffer_load_d16_u8 ds_read_u8_d16 ds_load_u8_d16");
  v(load<mem_u8_high>,  "global_load_ubyte_d16_hi global_load_d16_hi_u8 flat_load_ubyte_d16_hi flat_load_d16_hi_u8 scratch_load_ubyte_d16_hi scratch_load_d16_hi_u8 buffer_load_ubyte_d16_hi buffer_load_d16_hi_u8 ds_read_u8_d16_hi ds_load_u8_d16_hi");
  v(load<mem_i8_low>,   "global_load_sbyte_d16 global_load_d16_i8 flat_load_sbyte_d16 flat_load_d16_i8 scratch_load_sbyte_d16 scratch_load_d16_i8 buffer_load_sbyte_d16 buffer_load_d16_i8 ds_read_i8_d16 ds_load_i8_d16");
  v(load<mem_i8_high>,  "global_load_sbyte_d16_hi global_load_d16_hi_i8 flat_load_sbyte_d16_hi flat_load_d16_hi_i8 scratch_load_sbyte_d16_hi scratch_load_d16_hi_i8 buffer_load_sbyte_d16_hi buffer_load_d16_hi_i8 ds_read_i8_d16_hi ds_load_i8_d16_hi");
  v(load<mem_b16_low>,  "global_load_short_d16 global_load_d16_b16 flat_load_short_d16 flat_load_d16_b16 scratch_load_short_d16 scratch_load_d16_b16 buffer_load_short_d16 buffer_load_d16_b16 ds_read_u16_d16 ds_load_u16_d16");
  v(load<mem_b16_high>, "global_load_short_d16_hi global_load_d16_hi_b16 flat_load_short_d16_hi flat_load_d16_hi_b16 scratch_load_short_d16_hi scratch_load_d16_hi_b16 buffer_load_short_d16_hi buffer_load_d16_hi_b16 ds_read_u16_d16_hi ds_load_u16_d16_hi");
  v(load<mem_b32>,      "global_load_lds_dword scratch_load_lds_dword global_load_dword global_load_b32 flat_load_dword flat_load_b32 scratch_load_dword scratch_load_b32 buffer_load_dword buffer_load_b32 ds_read_b32 ds_load_b32");
  v(load<mem_b32>,      "global_load_addtid_b32 global_load_dword_addtid ds_read_addtid_b32 ds_load_addtid_b32", by_lane);
  v(load<mem_b64>,      "global_load_dwordx2 global_load_b64 flat_load_dwordx2 flat_load_b64 scratch_load_dwordx2 scratch_load_b64 buffer_load_dwordx2 buffer_load_b64 ds_read_b64 ds_load_b64");
  v(load<mem_b96>,      "global_load_lds_dwordx3 global_load_dwordx3 global_load_b96 flat_load_dwordx3 flat_load_b96 scratch_load_dwordx3 scratch_load_b96 buffer_load_dwordx3 buffer_load_b96 ds_read_b96 ds_load_b96");
  v(load<mem_b128>,     "global_load_lds_dwordx4 global_load_dwordx4 global_load_b128 flat_load_dwordx4 flat_load_b128 scratch_load_dwordx4 scratch_load_b128 buffer_load_dwordx4 buffer_load_b128 ds_read_b128 ds_load_b128");

  v(store<mem_u8>,       "global_store_byte global_store_b8 flat_store_byte flat_store_b8 scratch_store_byte scratch_store_b8 buffer_store_byte buffer_store_b8 ds_write_b8 ds_store_b8");
  v(store<mem_u8_high>,  "global_store_byte_d16_hi global_store_d16_hi_b8 flat_store_byte_d16_hi flat_store_d16_hi_b8 scratch_store_byte_d16_hi scratch_store_d16_hi_b8 buffer_store_byte_d16_hi buffer_store_d16_hi_b8 ds_write_b8_d16_hi ds_store_b8_d16_hi");
  v(store<mem_u16>,      "global_store_short global_store_b16 flat_store_short flat_store_b16 scratch_store_short scratch_store_b16 buffer_store_short buffer_store_b16 ds_write_b16 ds_store_b16");
  v(store<mem_b16_high>, "global_store_short_d16_hi global_store_d16_hi_b16 flat_store_short_d16_hi flat_store_d16_hi_b16 scratch_store_short_d16_hi scratch_store_d16_hi_b16 buffer_store_short_d16_hi buffer_store_d16_hi_b16 ds_write_b16_d16_hi ds_store_b16_d16_hi");
  v(store<mem_b32>,      "global_store_dword global_store_b32 flat_store_dword flat_store_b32 scratch_store_dword scratch_store_b32 buffer_store_dword buffer_store_b32 ds_write_b32 ds_store_b32");
  v(store<mem_b32>,      "global_store_addtid_b32 global_store_dword_addtid ds_write_addtid_b32 ds_store_addtid_b32", by_lane);
  v(store<mem_b64>,      "global_store_dwordx2 global_store_b64 flat_store_dwordx2 flat_store_b64 scratch_store_dwordx2 scratch_store_b64 buffer_store_dwordx2 buffer_store_b64 ds_write_b64 ds_store_b64");
  v(store<mem_b96>,      "global_store_dwordx3 global_store_b96 flat_store_dwordx3 flat_store_b96 scratch_store_dwordx3 scratch_store_b96 buffer_store_dwordx3 buffer_store_b96 ds_write_b96 ds_store_b96");
  v(store<mem_b128>,     "global_store_dwordx4 global_store_b128 flat_store_dwordx4 flat_store_b128 scratch_store_dwordx4 scratch_store_b128 buffer_store_dwordx4 buffer_store_b128 ds_write_b128 ds_store_b128");

  v(load_pair<mem_b32>,   "ds_read2_b32 ds_load_2addr_b32");
  v(load_pair<mem_b32>,   "ds_read2st64_b32 ds_load_2addr_stride64_b32", far);
  v(load_pair<mem_b64>,   "ds_read2_b64 ds_load_2addr_b64");
  v(load_pair<mem_b64>,   "ds_read2st64_b64 ds_load_2addr_stride64_b64", far);
  v(store_pair<mem_b32>,  "ds_write2_b32 ds_store_2addr_b32");
  v(store_pair<mem_b32>,  "ds_write2st64_b32 ds_store_2addr_stride64_b32", far);
  v(store_pair<mem_b64>,  "ds_write2_b64 ds_store_2addr_b64");
  v(store_pair<mem_b64>,  "ds_write2st64_b64 ds_store_2addr_stride64_b64", far);
  v(exchange_pair<mem_b32>, "ds_wrxchg2_rtn_b32 ds_storexchg_2addr_rtn_b32");
  v(exchange_pair<mem_b32>, "ds_wrxchg2st64_rtn_b32 ds_storexchg_2addr_stride64_rtn_b32", far);
  v(exchange_pair<mem_b64>, "ds_wrxchg2_rtn_b64 ds_storexchg_2addr_rtn_b64");
  v(exchange_pair<mem_b64>, "ds_wrxchg2st64_rtn_b64 ds_storexchg_2addr_stride64_rtn_b64", far);
  // clang-format on
}

}  // namespace wavesmith::isa
