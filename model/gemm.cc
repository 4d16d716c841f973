#include "model/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wavesmith::model {

Result<GemmPrediction> predict_gemm(const gpus::Gpu& gpu, const GemmProblem& problem,
                                    const std::optional<GemmKernel>& kernel, const Conditions& conditions) {
  double m = static_cast<double>(problem.m), batch = static_cast<double>(problem.batch);
  if (!problem.groups.empty()) {
    m = 0, batch = 1;
    for (const uint64_t group : problem.groups) m += static_cast<double>(group);
  }
  const double n = static_cast<double>(problem.n), k = static_cast<double>(problem.k);
  if (m <= 0 || n <= 0 || k <= 0 || batch <= 0)
    return fail(ErrorKind::BadInput, "a matrix with a dimension of 0", {},
                "m, n, k and batch are at least 1");
  const NumberType type =
      problem.compute.value_or(bits_of(problem.a) >= bits_of(problem.b) ? problem.a : problem.b);
  const double rate = std::max<double>(matrix_flops(gpu, type), vector_flops(gpu, type));

  GemmPrediction result;
  result.kernel = kernel.value_or(GemmKernel{.tile_m = 128, .tile_n = 128, .tile_k = 64});
  result.chosen = !kernel;
  result.clock_mhz = conditions.clock_mhz.value_or(gpu.engine_mhz);
  const double hertz = result.clock_mhz * 1e6;
  const double tile_m = std::max(1u, result.kernel.tile_m), tile_n = std::max(1u, result.kernel.tile_n);
  const double tiles =
      std::ceil(m / tile_m) * std::ceil(n / tile_n) * batch * std::max(1u, result.kernel.split_k);
  const double rounds = std::ceil(tiles / gpu.compute_units);
  result.tiles = static_cast<uint64_t>(tiles);
  result.waves = tiles / gpu.compute_units;
  result.quantisation = result.waves / rounds;
  result.useful = m / (std::ceil(m / tile_m) * tile_m) * n / (std::ceil(n / tile_n) * tile_n);

  result.flops = 2 * m * n * k * batch * real_products(type);
  result.bytes = batch * (m * k * bytes_of(problem.a) + k * n * bytes_of(problem.b) +
                          m * n * bytes_of(problem.c) * (problem.reads_c ? 2 : 1));
  const double matrix = rounds * tile_m * tile_n * k / std::max(1u, result.kernel.split_k) * 2 *
                        real_products(type) / rate / hertz;
  const double bandwidth = gpu.memory_gigabytes_per_second * 1e9;
  const double memory = result.bytes / bandwidth;
  const double launch = 3e-6;
  result.seconds = std::max(matrix, memory) + launch;
  result.bound = matrix > memory ? (matrix_flops(gpu, type) != 0 ? "matrix" : "vector") : "HBM";
  result.parts = {
      {"matrix instructions", matrix, matrix > memory ? matrix : 0},
      {"memory",              memory, matrix > memory ? 0 : memory},
      {"launch",              launch, launch                      },
  };
  result.levels = {
      {"HBM", result.bytes, memory, bandwidth, memory / result.seconds}
  };
  return result;
}

}  // namespace wavesmith::model
