// The time of a matrix multiplication C[M,N] = A[M,K] B[K,N] in closed form: the tiles' K loops at each
// level, how the tiles fill the compute units, and the prologue and epilogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/number_type.h"
#include "model/prediction.h"

namespace wavesmith::model {

/// A matrix multiplication, without the kernel that computes it.
struct GemmProblem {
  uint64_t m = 0, n = 0, k = 0;
  uint64_t batch = 1;  ///< as many independent problems of that size
  NumberType a = NumberType::BF16, b = NumberType::BF16;
  NumberType c = NumberType::BF16;    ///< as stored
  std::optional<NumberType> compute;  ///< of the matrix instructions; default: the wider of a and b
  bool a_transposed = true;           ///< A's contiguous dimension is K (BLAS "T" in column-major)
  bool b_transposed = false;          ///< B's contiguous dimension is N
  bool reads_c = false;               ///< beta is not 0
  uint32_t outputs = 1;               ///< matrices of C's size that are written: 2 with an auxiliary
                                      ///< output before the activation
  bool quads = false;                 ///< bytes lie in fours along K (rocBLAS's pack_int8x4)
  std::string library;                ///< that is called: "rocBLAS", "hipBLASLt"; empty: not told
  uint32_t block_scale = 0;           ///< one scale for so many numbers along K; 0: none
  /// Grouped: the M of each group (N, K shared); replaces m and batch when not empty.
  std::vector<uint64_t> groups;
};

/// A kernel's tiling and schedule. Zero means unknown.
struct GemmKernel {
  uint32_t tile_m = 0, tile_n = 0, tile_k = 0;  ///< of a workgroup; tile_k is the depth of one loop step
  uint32_t threads = 256;
  bool vector = false;                                ///< vector instructions, no matrix instructions
  uint32_t matrix_m = 0, matrix_n = 0, matrix_k = 0;  ///< of the matrix instruction
  uint32_t matrix_blocks = 1;
  uint32_t wave_m = 0, wave_n = 0;  ///< waves along M and N
  uint32_t split_k = 1;             ///< workgroups that share one tile
  uint32_t waves_along_k = 1;       ///< waves of a workgroup that share one tile (LocalSplitU)
  int32_t group_m = 1;              ///< tiles that neighbours in time take along M (WorkGroupMapping)
  uint32_t prefetch = 2;            ///< tiles of operands that are under way: 1 or 2; 0: none
  bool double_buffered_lds = true;
  bool through_lds = true;
  bool direct_to_lds = false;
  bool private_tiles = false;  ///< each wave loads what it multiplies into LDS of its own: nothing is shared
  bool stream_k = false;
  uint32_t cluster = 1;              ///< workgroups along M that get their columns of B by one load
  bool ping_pong = false;            ///< two groups of waves take turns: one loads while the other multiplies
  double lds_conflicts = 1;          ///< cycles of an LDS read over those without bank conflicts
  uint32_t workgroups_per_unit = 0;  ///< resident at once; 0: estimated from registers and LDS
  uint32_t vector_bytes = 0;         ///< of one lane's load from memory
  uint32_t setup_instructions = 0;   ///< of a wave before its loop, beyond what every kernel needs: a
                                     ///< swizzle's address arithmetic
  /// The origin of the kernel, "rocBLAS", "hipBLASLt", "CK blockscale v3"..., which selects the fitted
  /// constants. Empty: the best that is known for the GPU and type.
  std::string schedule;
  std::string name;  ///< of the library's kernel, for messages
};

struct GemmPrediction : Prediction {
  GemmKernel kernel;  ///< given, or chosen
  bool chosen = false;
  uint64_t tiles = 0;       ///< workgroups
  double waves = 0;         ///< of workgroups over the GPU: tiles / (units x workgroups per unit)
  double quantisation = 1;  ///< share of the last round that has work, averaged over all: 1 is perfect
  double useful = 1;        ///< share of the tiles' work that is not padding
  uint32_t workgroups_per_unit = 1;
  double cycles_per_step = 0;  ///< of one K step of a tile
};

/// The type of the arithmetic.
inline NumberType gemm_type(const GemmProblem& problem) {
  return problem.compute.value_or(bits_of(problem.a) >= bits_of(problem.b) ? problem.a : problem.b);
}

/// Predicts the time; without a kernel, that of the tile that a library would choose. Errors: a dimension
/// that is 0, a type that the GPU has no arithmetic for.
Result<GemmPrediction> predict_gemm(const gpus::Gpu& gpu, const GemmProblem& problem,
                                    const std::optional<GemmKernel>& kernel = std::nullopt,
                                    const Conditions& conditions = {});

}  // namespace wavesmith::model
