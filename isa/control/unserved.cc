// Rows of the instructions that LLVM knows and that a kernel may not use here, each with why.
//
// A row for one of these in a family, or among isa/control/rows.cc, takes the place of its name here:
// Coverage.NoMnemonicIsServedTwice fails as long as both are there.
#include <array>

#include "isa/control/row.h"

namespace wavesmith::isa {
namespace {

constexpr ControlRow unserved(std::string_view mnemonics, Pipe pipe, std::string_view why,
                              ControlFacts facts = {}) {
  facts.fidelity = Fidelity::Unsupported;
  facts.note = why;
  return {mnemonics, Operation::Unserved, pipe, facts};
}

constexpr std::string_view kTextures = "there are no textures", kRays = "ray tracing is not emulated",
                           kGraphics = "there is no graphics pipeline", kUnused = "no compiler uses it",
                           kNamedBarriers = "there are no named barriers";

// clang-format off
constexpr std::array kUnserved = {
    // Textures: those that load have the data in front.
    unserved("image_atomic_add image_atomic_add_flt image_atomic_add_uint image_atomic_and image_atomic_cmpswap "
             "image_atomic_dec image_atomic_dec_uint image_atomic_fmax image_atomic_fmin image_atomic_inc "
             "image_atomic_inc_uint image_atomic_max_flt image_atomic_max_int image_atomic_max_uint "
             "image_atomic_min_flt image_atomic_min_int image_atomic_min_uint image_atomic_or "
             "image_atomic_pk_add_bf16 image_atomic_pk_add_f16 image_atomic_smax image_atomic_smin "
             "image_atomic_sub image_atomic_sub_uint image_atomic_swap image_atomic_umax image_atomic_umin "
             "image_atomic_xor image_gather4 image_gather4_b image_gather4_b_cl image_gather4_c image_gather4_c_b "
             "image_gather4_c_b_cl image_gather4_c_cl image_gather4_c_l image_gather4_c_lz image_gather4_c_lz_o "
             "image_gather4_cl image_gather4_l image_gather4_lz image_gather4_lz_o image_gather4_o image_gather4h "
             "image_get_lod image_get_resinfo image_load image_load_mip image_load_mip_pck image_load_mip_pck_sgn "
             "image_load_pck image_load_pck_sgn image_msaa_load image_sample image_sample_b image_sample_b_cl "
             "image_sample_b_cl_o image_sample_b_o image_sample_c image_sample_c_b image_sample_c_b_cl "
             "image_sample_c_b_cl_o image_sample_c_b_o image_sample_c_cl image_sample_c_cl_o image_sample_c_d "
             "image_sample_c_d_cl image_sample_c_d_cl_g16 image_sample_c_d_cl_o image_sample_c_d_cl_o_g16 "
             "image_sample_c_d_g16 image_sample_c_d_o image_sample_c_d_o_g16 image_sample_c_l image_sample_c_l_o "
             "image_sample_c_lz image_sample_c_lz_o image_sample_c_o image_sample_cl image_sample_cl_o "
             "image_sample_d image_sample_d_cl image_sample_d_cl_g16 image_sample_d_cl_o image_sample_d_cl_o_g16 "
             "image_sample_d_g16 image_sample_d_o image_sample_d_o_g16 image_sample_l image_sample_l_o "
             "image_sample_lz image_sample_lz_o image_sample_o",
             Pipe::Vmem, kTextures, {.result = true, .masked = true}),
    unserved("image_store image_store_mip image_store_mip_pck image_store_pck", Pipe::Vmem, kTextures, {.masked = true, .stores = true}),
    unserved("image_bvh64_intersect_ray image_bvh8_intersect_ray image_bvh_dual_intersect_ray "
             "image_bvh_intersect_ray",
             Pipe::Vmem, kRays, {.result = true, .masked = true}),
    unserved("ds_bvh_stack_rtn_b32 ds_bvh_stack_push4_pop1_rtn_b32 ds_bvh_stack_push8_pop1_rtn_b32 ds_bvh_stack_push8_pop2_rtn_b64",
             Pipe::Lds, kRays),
    // Graphics
    unserved("exp export", Pipe::Export, kGraphics),
    unserved("lds_direct_load lds_param_load", Pipe::Internal, kGraphics),
    unserved("ds_direct_load ds_param_load ds_add_gs_reg_rtn ds_sub_gs_reg_rtn", Pipe::Lds, kGraphics),
    unserved("s_endpgm_ordered_ps_done", Pipe::Salu, kGraphics),
    unserved("global_atomic_ordered_add_b64", Pipe::Vmem, "it orders the waves of a graphics pipeline"),
    // Global wave sync
    unserved("ds_gws_init ds_gws_sema_br ds_gws_sema_p ds_gws_sema_release_all ds_gws_sema_v", Pipe::Lds, "its counters are set by the driver alone"),
    unserved("ds_ordered_count", Pipe::Lds, "there is no global wave sync"),
    // Others
    unserved("s_barrier_init s_barrier_join s_barrier_leave", Pipe::Salu, kNamedBarriers),
    unserved("s_rfe_b64 s_rfe_restore_b64", Pipe::Salu, "it belongs to trap handlers"),
    unserved("s_cbranch_g_fork s_cbranch_i_fork s_cbranch_join s_subvector_loop_begin s_subvector_loop_end", Pipe::Salu, kUnused),
    unserved("s_scratch_load_dword s_scratch_load_dwordx2 s_scratch_load_dwordx4", Pipe::Smem, kUnused),
    unserved("s_scratch_store_dword s_scratch_store_dwordx2 s_scratch_store_dwordx4", Pipe::Smem, kUnused, {.stores = true}),
    unserved("buffer_store_lds_dword", Pipe::Vmem, kUnused, {.stores = true}),
    unserved("s_alloc_vgpr", Pipe::Salu, "kernels of the HSA ABI have a fixed number of VGPRs"),
    unserved("v_mfma_ld_scale_b32", Pipe::Matrix, "it is the first half of a scaled MFMA, nothing alone", {.result = true, .masked = true, .unknown = true}),
};
// clang-format on

}  // namespace

std::span<const ControlRow> unserved_rows() { return kUnserved; }

}  // namespace wavesmith::isa
