// The tiles that libraries have, from model/fitted/gemm_tiles.toml: predict_gemm chooses among them if no
// kernel is given.
#pragma once

#include <span>
#include <string_view>

#include "model/gemm/gemm.h"
#include "model/gemm/table.h"

namespace wavesmith::model {

/// One tuned kernel, without its split of K, and how often it was the fastest.
struct GemmTile {
  std::string_view architecture;  ///< of the GPUs that it was measured on
  NumberType type;
  bool vector;
  std::string_view origin;    ///< of its set, as GemmSet has it
  std::string_view schedule;  ///< of AITER's; empty: of a BLAS library, where all are of one kind
  uint32_t tile_m, tile_n, tile_k, threads;
  uint32_t matrix_m, matrix_n, matrix_k, matrix_blocks;
  uint32_t wave_m, wave_n, waves_along_k;
  int32_t group_m;
  uint32_t prefetch, vector_bytes;
  bool double_buffered_lds, through_lds, direct_to_lds;
  uint32_t rows;  ///< of half A that were measured with it

  /// Whether the library whose constants these are has it for that architecture. `asked`: of AITER's
  /// schedules.
  [[nodiscard]] bool of(const GemmSet& set, std::string_view gpus, std::string_view asked) const {
    return architecture == gpus && type == set.type && vector == set.vector && origin == set.origin &&
           (origin != "AITER" || schedule == asked);
  }
  [[nodiscard]] GemmKernel kernel() const {
    return {.tile_m = tile_m,
            .tile_n = tile_n,
            .tile_k = tile_k,
            .threads = threads,
            .vector = vector,
            .matrix_m = matrix_m,
            .matrix_n = matrix_n,
            .matrix_k = matrix_k,
            .matrix_blocks = matrix_blocks,
            .wave_m = wave_m,
            .wave_n = wave_n,
            .waves_along_k = waves_along_k,
            .group_m = group_m,
            .prefetch = prefetch,
            .double_buffered_lds = double_buffered_lds,
            .through_lds = through_lds,
            .direct_to_lds = direct_to_lds,
            .vector_bytes = vector_bytes};
  }
};

std::span<const GemmTile> gemm_tiles();

/// Which products of one batch a library has only vector kernels for, although the GPU has matrix
/// instructions: those that were tuned before it had kernels with them.
struct GemmVectorProducts {
  std::string_view architecture;
  NumberType a, c;
  std::string_view layout;  ///< "tn": as BLAS has it
  uint64_t most_k;          ///< up to that K
  uint32_t rows, right;     ///< of half A, and for how many of them it is so

  [[nodiscard]] bool has(const gpus::Gpu& gpu, const GemmProblem& problem) const {
    return architecture == gpu.architecture && a == problem.a && c == problem.c && problem.batch == 1 &&
           problem.groups.empty() && problem.k <= most_k && layout[0] == (problem.a_transposed ? 't' : 'n') &&
           layout[1] == (problem.b_transposed ? 't' : 'n');
  }
};

std::span<const GemmVectorProducts> gemm_vector_products();

}  // namespace wavesmith::model
