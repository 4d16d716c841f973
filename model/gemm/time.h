// The time of one kernel on one matrix multiplication: the arithmetic behind predict_gemm.
#pragma once

#include "model/gemm/constants.h"
#include "model/gemm/gemm.h"

namespace wavesmith::model {

/// Cycles are of the engine clock at `clock_mhz`; seconds need no clock.
struct GemmTime {
  double seconds = 0;
  double clock_mhz = 0;
  gpus::Kind clock_kind = gpus::Kind::Read;
  // Of one K step of a workgroup alone on its compute unit, in cycles.
  double matrix = 0, lds = 0, l1 = 0, step = 0;
  // Of the whole kernel, in seconds.
  double units = 0;  ///< compute units' own time: their K loops, prologues and stores
  double loops = 0;  ///< of which what the arithmetic alone takes
  double memory = 0, cache = 0, l2 = 0, fixed = 0;
  double memory_bytes = 0, cache_bytes = 0, l2_bytes = 0, lds_bytes = 0;
  double tiles = 0;   ///< workgroups
  double rounds = 0;  ///< of workgroups a compute unit
  uint32_t workgroups_per_unit = 1;
};

/// The kernel's fields have to be complete (complete_kernel).
GemmTime gemm_time(const gpus::Gpu& gpu, const GemmProblem& problem, const GemmKernel& kernel,
                   const GemmConstants& constants, const Conditions& conditions);

/// Replaces zeros by the usual choices of libraries for such a tile.
GemmKernel complete_kernel(const gpus::Gpu& gpu, const GemmProblem& problem, GemmKernel kernel);

/// FLOP per clock and compute unit of the kernel's instructions: gfx90a's first bf16 matrix instructions run
/// at half the rate of the later ones, vector kernels at the vector rate.
double gemm_rate(const gpus::Gpu& gpu, NumberType type, const GemmKernel& kernel);

}  // namespace wavesmith::model
