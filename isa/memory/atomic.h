// Atomics of every address space: the new value from the old one and the lane's data. The old value is what a
// returning form gives back.
#pragma once

#include "isa/memory/atomic_bodies.h"
#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void integer_atomics(Visitor& v) {
  // The older compare and store has the comparand first.
  constexpr Facts comparand_first{.comparand_first = true};
  // clang-format off
  v(atomic<u32>,     "global_atomic_swap global_atomic_swap_b32 flat_atomic_swap flat_atomic_swap_b32 buffer_atomic_swap buffer_atomic_swap_b32 ds_wrxchg_rtn_b32 ds_storexchg_rtn_b32", Exchange{}, {.exchanges = true});
  v(atomic<u32>,     "global_atomic_add global_atomic_add_u32 flat_atomic_add flat_atomic_add_u32 buffer_atomic_add buffer_atomic_add_u32 ds_add_u32 ds_add_rtn_u32", Add{});
  v(atomic<u32>,     "global_atomic_sub global_atomic_sub_u32 flat_atomic_sub flat_atomic_sub_u32 buffer_atomic_sub buffer_atomic_sub_u32 ds_sub_u32 ds_sub_rtn_u32", Subtract{});
  v(atomic<u32>,     "ds_rsub_u32 ds_rsub_rtn_u32", [](auto old, auto data) { return data - old; });
  v(atomic<i32>,     "global_atomic_smin global_atomic_min_i32 flat_atomic_smin flat_atomic_min_i32 buffer_atomic_smin buffer_atomic_min_i32 ds_min_i32 ds_min_rtn_i32", [](auto old, auto data) { return data < old ? data : old; });
  v(atomic<u32>,     "global_atomic_umin global_atomic_min_u32 flat_atomic_umin flat_atomic_min_u32 buffer_atomic_umin buffer_atomic_min_u32 ds_min_u32 ds_min_rtn_u32", [](auto old, auto data) { return data < old ? data : old; });
  v(atomic<i32>,     "global_atomic_smax global_atomic_max_i32 flat_atomic_smax flat_atomic_max_i32 buffer_atomic_smax buffer_atomic_max_i32 ds_max_i32 ds_max_rtn_i32", [](auto old, auto data) { return data > old ? data : old; });
  v(atomic<u32>,     "global_atomic_umax global_atomic_max_u32 flat_atomic_umax flat_atomic_max_u32 buffer_atomic_umax buffer_atomic_max_u32 ds_max_u32 ds_max_rtn_u32", [](auto old, auto data) { return data > old ? data : old; });
  v(atomic<u32>,     "global_atomic_and global_atomic_and_b32 flat_atomic_and flat_atomic_and_b32 buffer_atomic_and buffer_atomic_and_b32 ds_and_b32 ds_and_rtn_b32", And{});
  v(atomic<u32>,     "global_atomic_or global_atomic_or_b32 flat_atomic_or flat_atomic_or_b32 buffer_atomic_or buffer_atomic_or_b32 ds_or_b32 ds_or_rtn_b32", Or{});
  v(atomic<u32>,     "global_atomic_xor global_atomic_xor_b32 flat_atomic_xor flat_atomic_xor_b32 buffer_atomic_xor buffer_atomic_xor_b32 ds_xor_b32 ds_xor_rtn_b32", Xor{});
  v(atomic<u32>,     "global_atomic_inc global_atomic_inc_u32 flat_atomic_inc flat_atomic_inc_u32 buffer_atomic_inc buffer_atomic_inc_u32 ds_inc_u32 ds_inc_rtn_u32", [](auto old, auto data) { return old >= data ? decltype(old)(0) : old + 1; });
  v(atomic<u32>,     "global_atomic_dec global_atomic_dec_u32 flat_atomic_dec flat_atomic_dec_u32 buffer_atomic_dec buffer_atomic_dec_u32 ds_dec_u32 ds_dec_rtn_u32", [](auto old, auto data) { return old == 0 || old > data ? data : old - 1; });
  v(atomic<u32, u32>, "global_atomic_cmpswap global_atomic_cmpswap_b32 flat_atomic_cmpswap flat_atomic_cmpswap_b32 buffer_atomic_cmpswap buffer_atomic_cmpswap_b32 ds_cmpstore_b32 ds_cmpstore_rtn_b32", CompareSwap{});
  v(atomic<u32, u32>, "ds_cmpst_b32 ds_cmpst_rtn_b32", CompareSwap{}, comparand_first);
  v(atomic<u32, u32>, "ds_mskor_b32 ds_mskor_rtn_b32", [](auto old, auto mask, auto data) { return (old & ~mask) | data; });
  v(atomic<u64>,     "global_atomic_swap_x2 global_atomic_swap_b64 flat_atomic_swap_x2 flat_atomic_swap_b64 buffer_atomic_swap_x2 buffer_atomic_swap_b64 ds_wrxchg_rtn_b64 ds_storexchg_rtn_b64", Exchange{}, {.exchanges = true});
  v(atomic<u64>,     "global_atomic_add_x2 global_atomic_add_u64 flat_atomic_add_x2 flat_atomic_add_u64 buffer_atomic_add_x2 buffer_atomic_add_u64 ds_add_u64 ds_add_rtn_u64", Add{});
  v(atomic<u64>,     "global_atomic_sub_x2 global_atomic_sub_u64 flat_atomic_sub_x2 flat_atomic_sub_u64 buffer_atomic_sub_x2 buffer_atomic_sub_u64 ds_sub_u64 ds_sub_rtn_u64", Subtract{});
  v(atomic<u64>,     "ds_rsub_u64 ds_rsub_rtn_u64", [](auto old, auto data) { return data - old; });
  v(atomic<i64>,     "global_atomic_smin_x2 global_atomic_min_i64 flat_atomic_smin_x2 flat_atomic_min_i64 buffer_atomic_smin_x2 buffer_atomic_min_i64 ds_min_i64 ds_min_rtn_i64", [](auto old, auto data) { return data < old ? data : old; });
  v(atomic<u64>,     "global_atomic_umin_x2 global_atomic_min_u64 flat_atomic_umin_x2 flat_atomic_min_u64 buffer_atomic_umin_x2 buffer_atomic_min_u64 ds_min_u64 ds_min_rtn_u64", [](auto old, auto data) { return data < old ? data : old; });
  v(atomic<i64>,     "global_atomic_smax_x2 global_atomic_max_i64 flat_atomic_smax_x2 flat_atomic_max_i64 buffer_atomic_smax_x2 buffer_atomic_max_i64 ds_max_i64 ds_max_rtn_i64", [](auto old, auto data) { return data > old ? data : old; });
  v(atomic<u64>,     "global_atomic_umax_x2 global_atomic_max_u64 flat_atomic_umax_x2 flat_atomic_max_u64 buffer_atomic_umax_x2 buffer_atomic_max_u64 ds_max_u64 ds_max_rtn_u64", [](auto old, auto data) { return data > old ? data : old; });
  v(atomic<u64>,     "global_atomic_and_x2 global_atomic_and_b64 flat_atomic_and_x2 flat_atomic_and_b64 buffer_atomic_and_x2 buffer_atomic_and_b64 ds_and_b64 ds_and_rtn_b64", And{});
  v(atomic<u64>,     "global_atomic_or_x2 global_atomic_or_b64 flat_atomic_or_x2 flat_atomic_or_b64 buffer_atomic_or_x2 buffer_atomic_or_b64 ds_or_b64 ds_or_rtn_b64", Or{});
  v(atomic<u64>,     "global_atomic_xor_x2 global_atomic_xor_b64 flat_atomic_xor_x2 flat_atomic_xor_b64 buffer_atomic_xor_x2 buffer_atomic_xor_b64 ds_xor_b64 ds_xor_rtn_b64", Xor{});
  v(atomic<u64>,     "global_atomic_inc_x2 global_atomic_inc_u64 flat_atomic_inc_x2 flat_atomic_inc_u64 buffer_atomic_inc_x2 buffer_atomic_inc_u64 ds_inc_u64 ds_inc_rtn_u64", [](auto old, auto data) { return old >= data ? decltype(old)(0) : old + 1; });
  v(atomic<u64>,     "global_atomic_dec_x2 global_atomic_dec_u64 flat_atomic_dec_x2 flat_atomic_dec_u64 buffer_atomic_dec_x2 buffer_atomic_dec_u64 ds_dec_u64 ds_dec_rtn_u64", [](auto old, auto data) { return old == 0 || old > data ? data : old - 1; });
  v(atomic<u64, u64>, "global_atomic_cmpswap_x2 global_atomic_cmpswap_b64 flat_atomic_cmpswap_x2 flat_atomic_cmpswap_b64 buffer_atomic_cmpswap_x2 buffer_atomic_cmpswap_b64 ds_cmpstore_b64 ds_cmpstore_rtn_b64", CompareSwap{});
  v(atomic<u64, u64>, "ds_cmpst_b64 ds_cmpst_rtn_b64", CompareSwap{}, comparand_first);
  v(atomic<u64, u64>, "ds_mskor_b64 ds_mskor_rtn_b64", [](auto old, auto mask, auto data) { return (old & ~mask) | data; });
  v(atomic<u32>,     "global_atomic_csub_u32 global_atomic_sub_clamp_u32 flat_atomic_csub_u32 flat_atomic_sub_clamp_u32 buffer_atomic_csub_u32 buffer_atomic_sub_clamp_u32 global_atomic_csub flat_atomic_csub buffer_atomic_csub ds_sub_clamp_u32 ds_sub_clamp_rtn_u32", [](auto old, auto data) { return old < data ? 0u : old - data; });
  v(atomic<u32>,     "global_atomic_cond_sub_u32 flat_atomic_cond_sub_u32 buffer_atomic_cond_sub_u32 ds_cond_sub_u32 ds_cond_sub_rtn_u32", [](auto old, auto data) { return old < data ? old : old - data; });
  v(atomic<u32, u32>, "ds_wrap_rtn_b32", [](auto old, auto data, auto other) { return old >= data ? old - data : old + other; });
  v(atomic<u64>,     "ds_condxchg32_rtn_b64", ConditionalExchange{});
  // clang-format on
}

template <class Visitor>
void float_atomics(Visitor& v) {
  constexpr Facts comparand_first{.comparand_first = true};
  // clang-format off
  v(atomic<f32>,     "global_atomic_add_f32 flat_atomic_add_f32 buffer_atomic_add_f32 ds_add_f32 ds_add_rtn_f32", Add{});
  v(atomic<f64>,     "global_atomic_add_f64 flat_atomic_add_f64 buffer_atomic_add_f64 ds_add_f64 ds_add_rtn_f64", Add{});
  v(atomic<f32>,     "global_atomic_fmin global_atomic_min_f32 flat_atomic_fmin flat_atomic_min_f32 buffer_atomic_fmin buffer_atomic_min_f32 ds_min_f32 ds_min_rtn_f32", [](auto old, auto data) { return data < old ? data : old; });
  v(atomic<f32>,     "global_atomic_fmax global_atomic_max_f32 flat_atomic_fmax flat_atomic_max_f32 buffer_atomic_fmax buffer_atomic_max_f32 ds_max_f32 ds_max_rtn_f32", [](auto old, auto data) { return data > old ? data : old; });
  v(atomic<f32>,     "global_atomic_min_num_f32 flat_atomic_min_num_f32 buffer_atomic_min_num_f32 ds_min_num_f32 ds_min_num_rtn_f32", MinimumNumber{});
  v(atomic<f32>,     "global_atomic_max_num_f32 flat_atomic_max_num_f32 buffer_atomic_max_num_f32 ds_max_num_f32 ds_max_num_rtn_f32", MaximumNumber{});
  v(atomic<f32, f32>, "global_atomic_fcmpswap global_atomic_cmpswap_f32 flat_atomic_fcmpswap flat_atomic_cmpswap_f32 buffer_atomic_fcmpswap buffer_atomic_cmpswap_f32 ds_cmpstore_f32 ds_cmpstore_rtn_f32", CompareSwap{});
  v(atomic<f32, f32>, "ds_cmpst_f32 ds_cmpst_rtn_f32", CompareSwap{}, comparand_first);
  v(atomic<f64>,     "global_atomic_fmin_x2 global_atomic_min_f64 flat_atomic_fmin_x2 flat_atomic_min_f64 buffer_atomic_fmin_x2 buffer_atomic_min_f64 ds_min_f64 ds_min_rtn_f64", [](auto old, auto data) { return data < old ? data : old; });
  v(atomic<f64>,     "global_atomic_fmax_x2 global_atomic_max_f64 flat_atomic_fmax_x2 flat_atomic_max_f64 buffer_atomic_fmax_x2 buffer_atomic_max_f64 ds_max_f64 ds_max_rtn_f64", [](auto old, auto data) { return data > old ? data : old; });
  v(atomic<f64>,     "global_atomic_min_num_f64 flat_atomic_min_num_f64 buffer_atomic_min_num_f64 ds_min_num_f64 ds_min_num_rtn_f64", MinimumNumber{});
  v(atomic<f64>,     "global_atomic_max_num_f64 flat_atomic_max_num_f64 buffer_atomic_max_num_f64 ds_max_num_f64 ds_max_num_rtn_f64", MaximumNumber{});
  v(atomic<f64, f64>, "global_atomic_fcmpswap_x2 global_atomic_cmpswap_f64 flat_atomic_fcmpswap_x2 flat_atomic_cmpswap_f64 buffer_atomic_fcmpswap_x2 buffer_atomic_cmpswap_f64 ds_cmpstore_f64 ds_cmpstore_rtn_f64", CompareSwap{});
  v(atomic<f64, f64>, "ds_cmpst_f64 ds_cmpst_rtn_f64", CompareSwap{}, comparand_first);
  v(atomic<u32>,   "global_atomic_pk_add_f16 flat_atomic_pk_add_f16 buffer_atomic_pk_add_f16 ds_pk_add_f16 ds_pk_add_rtn_f16", AddF16Pair{});
  v(atomic<u32>,  "global_atomic_pk_add_bf16 flat_atomic_pk_add_bf16 buffer_atomic_pk_add_bf16 ds_pk_add_bf16 ds_pk_add_rtn_bf16", AddBf16Pair{});
  // clang-format on
}

}  // namespace wavesmith::isa
