// Every matrix instruction of the targets.
//
// Shapes, types, modifiers and cycles of CDNA2, CDNA3, RDNA3 and RDNA4: AMD's matrix instruction calculator
// (github.com/ROCm/amd_matrix_instruction_calculator). CDNA4: LLVM's instruction definitions and scheduling
// model (VOP3PInstructions.td; SISchedule.td, SIDPGFX950FullSpeedModel; one pass is four cycles), except
// f8f6f4 with an 8-bit operand, which takes twice the passes (AMD's blog "Matrix Core Programming on AMD
// CDNA3 and CDNA4 architecture").
#pragma once

#include <span>

#include "isa/matrix/instruction.h"

namespace wavesmith::isa {

// clang-format off
inline constexpr MatrixInstruction kMatrixInstructions[] = {
    // CDNA2
    {"v_mfma_f32_32x32x1f32",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,  32, 32,   1,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_f32_16x16x1f32",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,  16, 16,   1,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_f32_4x4x1f32",               kCdna2,          MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,   4,  4,   1, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_f32_32x32x2f32",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,  32, 32,   2,  1, false, kPermuteB,               64, 64},
    {"v_mfma_f32_16x16x4f32",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,  16, 16,   4,  1, false, kPermuteB,               32, 32},
    {"v_mfma_f32_32x32x4f16",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  32, 32,   4,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_f32_16x16x4f16",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,   4,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_f32_4x4x4f16",               kCdna2,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,   4,  4,   4, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_f32_32x32x8f16",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  32, 32,   8,  1, false, kPermuteB,               64, 64},
    {"v_mfma_f32_16x16x16f16",            kCdna2,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,  16,  1, false, kPermuteB,               32, 32},
    {"v_mfma_i32_32x32x4i8",              kCdna2,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  32, 32,   4,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_i32_16x16x4i8",              kCdna2,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  16, 16,   4,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_i32_4x4x4i8",                kCdna2,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,   4,  4,   4, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_i32_32x32x8i8",              kCdna2,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  32, 32,   8,  1, false, kPermuteB,               64, 64},
    {"v_mfma_i32_16x16x16i8",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  16, 16,  16,  1, false, kPermuteB,               32, 32},
    {"v_mfma_f32_32x32x4bf16_1k",         kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,   4,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_f32_16x16x4bf16_1k",         kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,   4,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_f32_4x4x4bf16_1k",           kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,   4,  4,   4, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_f32_32x32x8bf16_1k",         kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,   8,  1, false, kPermuteB,               64, 64},
    {"v_mfma_f32_16x16x16bf16_1k",        kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,  16,  1, false, kPermuteB,               32, 32},
    {"v_mfma_f32_32x32x2bf16",            kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,   2,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_f32_16x16x2bf16",            kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,   2,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_f32_4x4x2bf16",              kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,   4,  4,   2, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_f32_32x32x4bf16",            kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,   4,  1, false, kPermuteB,               64, 64},
    {"v_mfma_f32_16x16x8bf16",            kCdna2,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,   8,  1, false, kPermuteB,               32, 32},
    {"v_mfma_f64_16x16x4f64",             kCdna2,          MatrixLayout::Mfma,  MatrixElement::F64,    MatrixElement::F64,    MatrixElement::F64,  16, 16,   4,  1, false, kNegate,                 32, 32},
    {"v_mfma_f64_4x4x4f64",               kCdna2,          MatrixLayout::Mfma,  MatrixElement::F64,    MatrixElement::F64,    MatrixElement::F64,   4,  4,   4,  4, false, kNegate,                 16, 16},
    // CDNA3 and, where it says so, CDNA4
    {"v_mfma_f32_16x16x8_xf32",           kCdna3,          MatrixLayout::Mfma,  MatrixElement::Xf32,   MatrixElement::Xf32,   MatrixElement::F32,  16, 16,   8,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_f32_32x32x4_xf32",           kCdna3,          MatrixLayout::Mfma,  MatrixElement::Xf32,   MatrixElement::Xf32,   MatrixElement::F32,  32, 32,   4,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_f32_32x32x1_2b_f32",         kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,  32, 32,   1,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_f32_16x16x1_4b_f32",         kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,  16, 16,   1,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_f32_4x4x1_16b_f32",          kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,   4,  4,   1, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_f32_32x32x2_f32",            kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,  32, 32,   2,  1, false, kPermuteB,               64, 64},
    {"v_mfma_f32_16x16x4_f32",            kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F32,    MatrixElement::F32,    MatrixElement::F32,  16, 16,   4,  1, false, kPermuteB,               32, 32},
    {"v_mfma_f32_32x32x4_2b_f16",         kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  32, 32,   4,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_f32_16x16x4_4b_f16",         kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,   4,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_f32_4x4x4_16b_f16",          kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,   4,  4,   4, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_f32_32x32x8_f16",            kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  32, 32,   8,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_f32_16x16x16_f16",           kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,  16,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_i32_32x32x4_2b_i8",          kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  32, 32,   4,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_i32_16x16x4_4b_i8",          kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  16, 16,   4,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_i32_4x4x4_16b_i8",           kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,   4,  4,   4, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_i32_32x32x16_i8",            kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  32, 32,  16,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_i32_16x16x32_i8",            kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  16, 16,  32,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_f32_32x32x4_2b_bf16",        kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,   4,  2, false, kBroadcastA | kPermuteB, 64, 64},
    {"v_mfma_f32_16x16x4_4b_bf16",        kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,   4,  4, false, kBroadcastA | kPermuteB, 32, 32},
    {"v_mfma_f32_4x4x4_16b_bf16",         kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,   4,  4,   4, 16, false, kBroadcastA | kPermuteB,  8,  8},
    {"v_mfma_f32_32x32x8_bf16",           kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,   8,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_f32_16x16x16_bf16",          kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,  16,  1, false, kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x32_f16",         kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,  32,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_32x32x16_f16",         kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  32, 32,  16,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_16x16x32_bf16",        kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,  32,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_32x32x16_bf16",        kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,  16,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_i32_16x16x64_i8",          kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  16, 16,  64,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_i32_32x32x32_i8",          kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  32, 32,  32,  1, true,  kNoModifiers,            32, 32},
    {"v_mfma_f64_16x16x4_f64",            kCdna3,          MatrixLayout::Mfma,  MatrixElement::F64,    MatrixElement::F64,    MatrixElement::F64,  16, 16,   4,  1, false, kNegate,                 32, 32},
    {"v_mfma_f64_4x4x4_4b_f64",           kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::F64,    MatrixElement::F64,    MatrixElement::F64,   4,  4,   4,  4, false, kNegate,                 16, 16},
    {"v_mfma_f32_16x16x32_bf8_bf8",       kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16,  32,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_f32_16x16x32_bf8_fp8",       kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16,  32,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_f32_16x16x32_fp8_bf8",       kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16,  32,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_f32_16x16x32_fp8_fp8",       kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16,  32,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_f32_32x32x16_bf8_bf8",       kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Bf8,    MatrixElement::F32,  32, 32,  16,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_f32_32x32x16_bf8_fp8",       kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Fp8,    MatrixElement::F32,  32, 32,  16,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_f32_32x32x16_fp8_bf8",       kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Bf8,    MatrixElement::F32,  32, 32,  16,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_f32_32x32x16_fp8_fp8",       kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Fp8,    MatrixElement::F32,  32, 32,  16,  1, false, kNoModifiers,            32, 32},
    {"v_smfmac_f32_16x16x64_bf8_bf8",     kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16,  64,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x64_bf8_fp8",     kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16,  64,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x64_fp8_bf8",     kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16,  64,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x64_fp8_fp8",     kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16,  64,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_32x32x32_bf8_bf8",     kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Bf8,    MatrixElement::F32,  32, 32,  32,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_32x32x32_bf8_fp8",     kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Fp8,    MatrixElement::F32,  32, 32,  32,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_32x32x32_fp8_bf8",     kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Bf8,    MatrixElement::F32,  32, 32,  32,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_32x32x32_fp8_fp8",     kCdna3 | kCdna4, MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Fp8,    MatrixElement::F32,  32, 32,  32,  1, true,  kNoModifiers,            32, 32},
    // CDNA4
    {"v_mfma_f32_16x16x128_f8f6f4",       kCdna4,          MatrixLayout::Mfma,  MatrixElement::F8f6f4, MatrixElement::F8f6f4, MatrixElement::F32,  16, 16, 128,  1, false, kNoModifiers,            32, 16},
    {"v_mfma_f32_16x16x32_bf16",          kCdna4,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,  32,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_f32_16x16x32_f16",           kCdna4,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,  32,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_f32_32x32x16_bf16",          kCdna4,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,  16,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_f32_32x32x16_f16",           kCdna4,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  32, 32,  16,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_f32_32x32x64_f8f6f4",        kCdna4,          MatrixLayout::Mfma,  MatrixElement::F8f6f4, MatrixElement::F8f6f4, MatrixElement::F32,  32, 32,  64,  1, false, kNoModifiers,            64, 32},
    {"v_mfma_f64_16x16x4_f64",            kCdna4,          MatrixLayout::Mfma,  MatrixElement::F64,    MatrixElement::F64,    MatrixElement::F64,  16, 16,   4,  1, false, kNegate,                 64, 64},
    {"v_mfma_i32_16x16x64_i8",            kCdna4,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  16, 16,  64,  1, false, kNoModifiers,            16, 16},
    {"v_mfma_i32_32x32x32_i8",            kCdna4,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  32, 32,  32,  1, false, kNoModifiers,            32, 32},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", kCdna4,          MatrixLayout::Mfma,  MatrixElement::F8f6f4, MatrixElement::F8f6f4, MatrixElement::F32,  16, 16, 128,  1, false, kScaled,                 32, 16},
    {"v_mfma_scale_f32_32x32x64_f8f6f4",  kCdna4,          MatrixLayout::Mfma,  MatrixElement::F8f6f4, MatrixElement::F8f6f4, MatrixElement::F32,  32, 32,  64,  1, false, kScaled,                 64, 32},
    {"v_smfmac_f32_16x16x128_bf8_bf8",    kCdna4,          MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16, 128,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x128_bf8_fp8",    kCdna4,          MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16, 128,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x128_fp8_bf8",    kCdna4,          MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16, 128,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x128_fp8_fp8",    kCdna4,          MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16, 128,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x64_bf16",        kCdna4,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,  64,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_16x16x64_f16",         kCdna4,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,  64,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_f32_32x32x32_bf16",        kCdna4,          MatrixLayout::Mfma,  MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  32, 32,  32,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_32x32x32_f16",         kCdna4,          MatrixLayout::Mfma,  MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  32, 32,  32,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_32x32x64_bf8_bf8",     kCdna4,          MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Bf8,    MatrixElement::F32,  32, 32,  64,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_32x32x64_bf8_fp8",     kCdna4,          MatrixLayout::Mfma,  MatrixElement::Bf8,    MatrixElement::Fp8,    MatrixElement::F32,  32, 32,  64,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_32x32x64_fp8_bf8",     kCdna4,          MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Bf8,    MatrixElement::F32,  32, 32,  64,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_f32_32x32x64_fp8_fp8",     kCdna4,          MatrixLayout::Mfma,  MatrixElement::Fp8,    MatrixElement::Fp8,    MatrixElement::F32,  32, 32,  64,  1, true,  kNoModifiers,            32, 32},
    {"v_smfmac_i32_16x16x128_i8",         kCdna4,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  16, 16, 128,  1, true,  kNoModifiers,            16, 16},
    {"v_smfmac_i32_32x32x64_i8",          kCdna4,          MatrixLayout::Mfma,  MatrixElement::I8,     MatrixElement::I8,     MatrixElement::I32,  32, 32,  64,  1, true,  kNoModifiers,            32, 32},
    // RDNA3
    {"v_wmma_f32_16x16x16_f16",           kRdna3,          MatrixLayout::Wmma3, MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,  16,  1, false, kNegate,                 32, 32},
    {"v_wmma_f32_16x16x16_bf16",          kRdna3,          MatrixLayout::Wmma3, MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,  16,  1, false, kNegate,                 32, 32},
    {"v_wmma_f16_16x16x16_f16",           kRdna3,          MatrixLayout::Wmma3, MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F16,  16, 16,  16,  1, false, kNegate | kSelectHalf,   32, 32},
    {"v_wmma_bf16_16x16x16_bf16",         kRdna3,          MatrixLayout::Wmma3, MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::Bf16, 16, 16,  16,  1, false, kNegate | kSelectHalf,   32, 32},
    {"v_wmma_i32_16x16x16_iu8",           kRdna3,          MatrixLayout::Wmma3, MatrixElement::Iu8,    MatrixElement::Iu8,    MatrixElement::I32,  16, 16,  16,  1, false, kNegate,                 32, 32},
    {"v_wmma_i32_16x16x16_iu4",           kRdna3,          MatrixLayout::Wmma3, MatrixElement::Iu4,    MatrixElement::Iu4,    MatrixElement::I32,  16, 16,  16,  1, false, kNegate,                 16, 16},
    // RDNA4
    {"v_wmma_f32_16x16x16_f16",           kRdna4,          MatrixLayout::Wmma4, MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,  16,  1, false, kNegate,                 16, 16},
    {"v_wmma_f32_16x16x16_bf16",          kRdna4,          MatrixLayout::Wmma4, MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,  16,  1, false, kNegate,                 16, 16},
    {"v_wmma_f16_16x16x16_f16",           kRdna4,          MatrixLayout::Wmma4, MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F16,  16, 16,  16,  1, false, kNegate,                 16, 16},
    {"v_wmma_bf16_16x16x16_bf16",         kRdna4,          MatrixLayout::Wmma4, MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::Bf16, 16, 16,  16,  1, false, kNegate,                 16, 16},
    {"v_wmma_i32_16x16x16_iu8",           kRdna4,          MatrixLayout::Wmma4, MatrixElement::Iu8,    MatrixElement::Iu8,    MatrixElement::I32,  16, 16,  16,  1, false, kNegate,                  8,  8},
    {"v_wmma_i32_16x16x16_iu4",           kRdna4,          MatrixLayout::Wmma4, MatrixElement::Iu4,    MatrixElement::Iu4,    MatrixElement::I32,  16, 16,  16,  1, false, kNegate,                  8,  8},
    {"v_wmma_i32_16x16x32_iu4",           kRdna4,          MatrixLayout::Wmma4, MatrixElement::Iu4,    MatrixElement::Iu4,    MatrixElement::I32,  16, 16,  32,  1, false, kNegate,                  8,  8},
    {"v_wmma_f32_16x16x16_fp8_fp8",       kRdna4,          MatrixLayout::Wmma4, MatrixElement::Fp8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16,  16,  1, false, kNoModifiers,             8,  8},
    {"v_wmma_f32_16x16x16_fp8_bf8",       kRdna4,          MatrixLayout::Wmma4, MatrixElement::Fp8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16,  16,  1, false, kNoModifiers,             8,  8},
    {"v_wmma_f32_16x16x16_bf8_fp8",       kRdna4,          MatrixLayout::Wmma4, MatrixElement::Bf8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16,  16,  1, false, kNoModifiers,             8,  8},
    {"v_wmma_f32_16x16x16_bf8_bf8",       kRdna4,          MatrixLayout::Wmma4, MatrixElement::Bf8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16,  16,  1, false, kNoModifiers,             8,  8},
    {"v_swmmac_f32_16x16x32_f16",         kRdna4,          MatrixLayout::Wmma4, MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F32,  16, 16,  32,  1, true,  kNegate,                 16, 16},
    {"v_swmmac_f32_16x16x32_bf16",        kRdna4,          MatrixLayout::Wmma4, MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::F32,  16, 16,  32,  1, true,  kNegate,                 16, 16},
    {"v_swmmac_f16_16x16x32_f16",         kRdna4,          MatrixLayout::Wmma4, MatrixElement::F16,    MatrixElement::F16,    MatrixElement::F16,  16, 16,  32,  1, true,  kNegate,                 16, 16},
    {"v_swmmac_bf16_16x16x32_bf16",       kRdna4,          MatrixLayout::Wmma4, MatrixElement::Bf16,   MatrixElement::Bf16,   MatrixElement::Bf16, 16, 16,  32,  1, true,  kNegate,                 16, 16},
    {"v_swmmac_i32_16x16x32_iu8",         kRdna4,          MatrixLayout::Wmma4, MatrixElement::Iu8,    MatrixElement::Iu8,    MatrixElement::I32,  16, 16,  32,  1, true,  kNegate,                  8,  8},
    {"v_swmmac_i32_16x16x32_iu4",         kRdna4,          MatrixLayout::Wmma4, MatrixElement::Iu4,    MatrixElement::Iu4,    MatrixElement::I32,  16, 16,  32,  1, true,  kNegate,                  8,  8},
    {"v_swmmac_i32_16x16x64_iu4",         kRdna4,          MatrixLayout::Wmma4, MatrixElement::Iu4,    MatrixElement::Iu4,    MatrixElement::I32,  16, 16,  64,  1, true,  kNegate,                  8,  8},
    {"v_swmmac_f32_16x16x32_fp8_fp8",     kRdna4,          MatrixLayout::Wmma4, MatrixElement::Fp8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16,  32,  1, true,  kNoModifiers,             8,  8},
    {"v_swmmac_f32_16x16x32_fp8_bf8",     kRdna4,          MatrixLayout::Wmma4, MatrixElement::Fp8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16,  32,  1, true,  kNoModifiers,             8,  8},
    {"v_swmmac_f32_16x16x32_bf8_fp8",     kRdna4,          MatrixLayout::Wmma4, MatrixElement::Bf8,    MatrixElement::Fp8,    MatrixElement::F32,  16, 16,  32,  1, true,  kNoModifiers,             8,  8},
    {"v_swmmac_f32_16x16x32_bf8_bf8",     kRdna4,          MatrixLayout::Wmma4, MatrixElement::Bf8,    MatrixElement::Bf8,    MatrixElement::F32,  16, 16,  32,  1, true,  kNoModifiers,             8,  8},
};
// clang-format on

/// The matrix instruction of that name in a generation; nullptr when there is none.
constexpr const MatrixInstruction* find_matrix_instruction(std::string_view mnemonic, const Target& target) {
  for (const MatrixInstruction& instruction : kMatrixInstructions)
    if (instruction.mnemonic == mnemonic && target.is(instruction.generations)) return &instruction;
  return nullptr;
}

}  // namespace wavesmith::isa
