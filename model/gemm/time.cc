#include "model/gemm/time.h"

#include <algorithm>
#include <cmath>

#include "gpus/power.h"

namespace wavesmith::model {
namespace {

/// What takes its time at once: between the sum (p = 1) and the longest (p infinite).
template <class... T>
double together(double p, T... times) {
  const double longest = std::max({static_cast<double>(times)...});
  if (longest <= 0) return 0;
  return longest * std::pow((std::pow(times / longest, p) + ...), 1 / p);
}

/// What takes workgroups: a compute unit, or RDNA's workgroup processor of two.
double units_of(const gpus::Gpu& gpu) { return gpu.multiprocessors(); }
/// Compute units in one of those.
double width_of(const gpus::Gpu& gpu) { return gpu.units_per_workgroup_processor; }
/// Bytes a clock of a unit's L1 and of its way to the L2 (AMD, CDNA 3 white paper: a 64-byte path; an
/// MI300X's L1 measured at 61).
constexpr double kL1Bytes = 64;
/// Cycles of an LDS access (HipKittens: 69 on CDNA4).
constexpr double kLdsLatency = 69;

/// Share of the operands' tiles whose rows are a multiple of 512 bytes apart. L2 channels take turns every
/// 256 bytes (rocprofiler-compute), so such rows meet in at most half of them.
double same_channels(const GemmProblem& problem, const GemmKernel& kernel, double element) {
  const auto meets = [&](uint64_t numbers) {
    return std::fmod(std::floor(static_cast<double>(numbers) * element + 0.5), 512) == 0 ? 1.0 : 0.0;
  };
  const double a = meets(problem.a_transposed ? problem.k : problem.m),
               b = meets(problem.b_transposed ? problem.n : problem.k);
  return (a * kernel.tile_m + b * kernel.tile_n) / (kernel.tile_m + kernel.tile_n);
}

/// Bytes a clock of the whole L2; where nobody has published it, 16 channels of 128 bytes.
double l2_bytes_per_clock(const gpus::Gpu& gpu) {
  return gpu.xcds * static_cast<double>(gpu.l2_channels.value_or(16)) *
         gpu.l2_bytes_per_clock_per_channel.value_or(128);
}

/// Workgroups that a compute unit holds at once: accumulators, operands under way and addresses decide how
/// many registers a lane takes, both operands' tiles how much LDS.
double resident_workgroups(const gpus::Gpu& gpu, const GemmKernel& kernel, double element, double waves) {
  const double m = kernel.tile_m, n = kernel.tile_n, depth = kernel.tile_k, threads = kernel.threads;
  const double accumulators = m * n * std::max(element >= 8 ? element : 4.0, 4.0) / 4 / threads;
  const double under_way = (m + n) * depth * element / 4 / threads * std::min(kernel.prefetch, 1u);
  const double operands = (m / kernel.wave_m + n / kernel.wave_n) * element / 4 * 8 / 64 * 2;
  const double registers = accumulators + under_way + operands + 32;
  const double file = gpu.vgprs_per_simd;
  const double waves_per_simd =
      std::min(static_cast<double>(gpu.waves_per_simd), std::floor(file / std::min(registers, file)));
  double lds = (kernel.private_tiles ? m * kernel.wave_n + n * kernel.wave_m : m + n) * depth * element;
  if (kernel.double_buffered_lds) lds += std::exp2(std::ceil(std::log2(std::max(lds, 1.0))));
  return std::clamp(std::min(std::floor(waves_per_simd * gpu.simds_per_unit * width_of(gpu) / waves),
                             std::floor(gpu.lds_bytes * width_of(gpu) / lds)),
                    1.0, 8.0);
}

/// Bytes that the workgroups which run at once on one die bring to its L2, over the whole kernel: neighbours
/// in time share rows and columns of tiles (WorkGroupMapping), dies share nothing.
double bytes_beyond_l2(const gpus::Gpu& gpu, const GemmProblem& problem, const GemmKernel& kernel,
                       double rows_of_tiles, double columns_of_tiles, double tiles, double resident,
                       double element) {
  const double split = kernel.split_k;
  const double at_once = std::min(units_of(gpu) * resident, tiles) / split;
  const double group = std::min(std::max(std::abs(static_cast<double>(kernel.group_m)), 1.0),
                                std::min(columns_of_tiles, at_once));
  const double on_a_die = std::min(at_once / gpu.xcds, rows_of_tiles * columns_of_tiles);
  const double columns = std::min(group, std::max(on_a_die, 1.0));
  const double rows = std::min(std::max(on_a_die / columns, 1.0), rows_of_tiles);
  const double problems = std::max(1.0, on_a_die / (rows_of_tiles * columns_of_tiles));
  const double each = (columns * kernel.tile_n + rows * kernel.tile_m) * problems *
                      static_cast<double>(problem.k) * element * gpu.xcds;
  return each * std::max(1.0, tiles / split / at_once);
}

/// A problem in tiles.
struct Shape {
  double m = 0, n = 0, k = 0, batch = 0;
  double element = 0;  ///< bytes of an operand's number, with its part of the scales
  double split = 0, rows_of_tiles = 0, columns_of_tiles = 0;
  double steps = 0;  ///< along K, of one workgroup
};

Shape shape_of(const GemmProblem& problem, const GemmKernel& kernel) {
  Shape shape{.m = static_cast<double>(problem.m),
              .n = static_cast<double>(problem.n),
              .k = static_cast<double>(problem.k),
              .batch = static_cast<double>(problem.batch)};
  shape.element = std::max(bytes_of(problem.a), bytes_of(problem.b)) +
                  (problem.block_scale == 32 ? 1.0 / 32 : 0);  // scales of one byte
  shape.split = kernel.split_k;
  shape.rows_of_tiles = std::ceil(shape.m / kernel.tile_m);
  if (!problem.groups.empty()) {
    shape.m = shape.rows_of_tiles = 0, shape.batch = 1;
    for (const uint64_t group : problem.groups) {
      shape.m += static_cast<double>(group);
      shape.rows_of_tiles += std::ceil(static_cast<double>(group) / kernel.tile_m);
    }
  }
  shape.columns_of_tiles = std::ceil(shape.n / kernel.tile_n);
  shape.steps = std::ceil(std::ceil(shape.k / shape.split) / kernel.tile_k);
  return shape;
}

/// One K step of one workgroup, in cycles.
struct Step {
  double matrix = 0, lds = 0, l1 = 0;
  double a_lds = 0, b_lds = 0, write_lds = 0;  ///< LDS at its peak rate: each operand's reads, and the writes
  double conflicts = 0;                        ///< of banks, beside `lds`
  double lds_rate = 0;                         ///< bytes a clock
};

/// Matrix instructions; LDS, each wave reading its rows of A and columns of B; loads of both tiles through
/// the L1.
Step step_of(const gpus::Gpu& gpu, const GemmProblem& problem, const GemmKernel& kernel, const Shape& shape,
             const GemmConstants& q) {
  const NumberType type = gemm_type(problem);
  const double tile_m = kernel.tile_m, tile_n = kernel.tile_n, depth = kernel.tile_k, element = shape.element;
  Step step;
  const double flops_a_step = tile_m * tile_n * depth * 2 * real_products(type);
  const double lds_rate = step.lds_rate = gpu.lds_read_bytes_per_clock * width_of(gpu);
  // Bytes that a workgroup loads for a step.
  const double loaded =
      (kernel.private_tiles ? tile_m * kernel.wave_n + tile_n * kernel.wave_m : tile_m + tile_n) * depth *
      element;
  const double a_lds = step.a_lds = tile_m * kernel.wave_n * depth * element / lds_rate;
  const double b_lds = step.b_lds = tile_n * kernel.wave_m * depth * element / lds_rate;
  const double write_lds = step.write_lds = loaded / lds_rate;
  const double straight = (problem.a_transposed ? a_lds : 0) + (problem.b_transposed ? 0 : b_lds) + write_lds;
  const double transposed = (problem.a_transposed ? 0 : a_lds) + (problem.b_transposed ? b_lds : 0);
  const double l1_rate = kL1Bytes * width_of(gpu);
  step.matrix = flops_a_step / (gemm_rate(gpu, type, kernel) * width_of(gpu)) / q.matrix_share;
  step.lds = straight * q.lds_cost + transposed * q.lds_transposed;
  step.l1 = std::max(
      loaded / l1_rate * q.l1_cost,
      loaded / (std::max(static_cast<double>(kernel.vector_bytes), element) * l1_rate) * q.load_cycles);
  if (!kernel.through_lds) {
    // Every wave loads what it multiplies.
    const double bytes = (a_lds + b_lds) * lds_rate;
    step.lds = 0;
    step.l1 = std::max(
        bytes / l1_rate * q.l1_cost,
        bytes / (std::max(static_cast<double>(kernel.vector_bytes), element) * l1_rate) * q.load_cycles);
  }
  step.conflicts = std::max(kernel.lds_conflicts - 1, 0.0) * (a_lds + b_lds);
  return step;
}

/// Cycles of a step that nobody else hides: a workgroup of fewer waves than SIMDs leaves some of them idle
/// alone on its unit, and waits for its barriers and loads.
double alone_cycles(const gpus::Gpu& gpu, const GemmKernel& kernel, const Step& step, double waves,
                    const GemmConstants& q) {
  const double p = 1 + q.overlap, p_step = kernel.ping_pong ? 2 * p : p;
  const double own_lds = step.lds + (kernel.prefetch == 0 ? 0 : step.conflicts);
  const double alone_matrix = step.matrix * std::max(1.0, gpu.simds_per_unit * width_of(gpu) / waves);
  double alone = together(p_step, alone_matrix, own_lds, step.l1) + (kernel.ping_pong ? 0 : q.step_cycles) +
                 q.number_cycles * kernel.tile_k / kernel.waves_along_k;
  // Without prefetch, what goes through registers waits once more, to be written to LDS.
  if (kernel.prefetch == 0 && kernel.through_lds && !kernel.direct_to_lds && kernel.lds_conflicts > 1)
    alone += step.write_lds * kernel.lds_conflicts + kLdsLatency;
  // The loads of a step that was asked for one or two steps ago; nobody asked before: in full.
  return kernel.prefetch == 0 ? alone + q.load_latency
                              : together(4, alone, q.load_latency / (kernel.prefetch >= 2 ? 2 : 1));
}

/// What the compute units take, in cycles.
struct UnitCycles {
  double units = 0;     ///< their own time
  double loops = 0;     ///< of which what the arithmetic alone takes
  double resident = 0;  ///< workgroups a unit
};

/// A workgroup's loop, prologue and stores, in rounds over the units. Notes in `time` what a step and the
/// rounds are.
UnitCycles unit_cycles(const gpus::Gpu& gpu, const GemmProblem& problem, const GemmKernel& kernel,
                       const Shape& shape, const Step& step, const GemmConstants& q, GemmTime& time) {
  const double p = 1 + q.overlap;
  const double p_step = kernel.ping_pong ? 2 * p : p;  // turns overlap better than a single stream
  // Bank conflicts take LDS alone. Other workgroups go on meanwhile, unless they find LDS taken for longer
  // than everything else: AMD's fp8 steps on CDNA4 gained nothing by a swizzle while each step waited for its
  // loads, which is when the others have LDS, and a tenth once none did.
  const double busy =
      std::max(together(p_step, step.matrix, step.lds, step.l1), step.lds + step.conflicts) + 1e-9;
  const double waves = static_cast<double>(kernel.threads) / gpu.warp_size();
  const double alone = alone_cycles(gpu, kernel, step, waves, q);
  time.matrix = step.matrix;
  time.lds = step.lds + step.conflicts;
  time.l1 = step.l1;
  time.step = alone;

  const double tile_m = kernel.tile_m, tile_n = kernel.tile_n, steps = shape.steps;
  const double l1_rate = kL1Bytes * width_of(gpu);
  const double result_bytes = bytes_of(problem.c) * (problem.outputs + (problem.reads_c ? 1 : 0));
  const double store = tile_m * tile_n * result_bytes / l1_rate * q.store_cost;
  const double tail = std::fmod(shape.k / shape.split, kernel.tile_k) != 0 ? q.tail_cycles : 0;
  // Address arithmetic before the loop, which no other instruction of the wave overlaps.
  const double setup = kernel.setup_instructions * gpu.warp_size() / 16.0 *
                       std::max(1.0, waves / (gpu.simds_per_unit * width_of(gpu)));
  const double throughput = steps * busy + store + setup;
  const double latency = steps * alone + setup + q.prologue_cycles + store + tail +
                         (kernel.waves_along_k > 1 ? q.reduce_cycles : 0);

  const double resident = kernel.workgroups_per_unit > 0
                              ? kernel.workgroups_per_unit
                              : resident_workgroups(gpu, kernel, shape.element, waves);
  time.workgroups_per_unit = static_cast<uint32_t>(resident);
  time.rounds = std::ceil(time.tiles / units_of(gpu));
  const auto round_of = [&](double count) {
    return count > 0 ? together(q.hiding, count * throughput, latency) : 0;
  };
  const double full_rounds = std::floor(time.rounds / resident);
  const double units = full_rounds * round_of(resident) + round_of(time.rounds - full_rounds * resident);
  const double loops = time.rounds * steps * time.matrix;
  return {units, loops, resident};
}

/// Bytes that cross each level. What is resident between launches costs nothing beyond the L2; what the
/// Infinity Cache holds comes from there.
void move_bytes(const gpus::Gpu& gpu, const GemmProblem& problem, const GemmKernel& kernel,
                const Shape& shape, double resident, const GemmConstants& q, const Conditions& conditions,
                GemmTime& time) {
  const double m = shape.m, n = shape.n, k = shape.k, batch = shape.batch, split = shape.split,
               element = shape.element, rows_of_tiles = shape.rows_of_tiles,
               columns_of_tiles = shape.columns_of_tiles;
  const double tile_m = kernel.tile_m, tile_n = kernel.tile_n;
  const double a_bytes = m * k * element * batch, b_bytes = n * k * element * batch;
  const double operands = a_bytes + b_bytes;
  const double result = m * n * bytes_of(problem.c) * batch * (problem.outputs + (problem.reads_c ? 1 : 0));
  const double written = result * (split > 1 ? split * q.split_writes + 1 : 1);
  const double cluster = std::clamp<double>(kernel.cluster, 1, rows_of_tiles);
  time.l2_bytes = time.tiles * (tile_m + tile_n / cluster) * (k / split) * element + written;
  const double beyond = std::max(std::min(bytes_beyond_l2(gpu, problem, kernel, rows_of_tiles,
                                                          columns_of_tiles, time.tiles, resident, element),
                                          time.l2_bytes - written),
                                 operands);
  const bool has_cache = gpu.infinity_cache_bytes > 0;
  const double footprint = operands + result;
  const double l2_holds = static_cast<double>(gpu.l2_bytes) * gpu.xcds * 2 * q.resident;
  const double in_l2 = conditions.cold ? 0 : 1 / (1 + std::pow(footprint / l2_holds, 4));
  const double in_cache =
      conditions.cold || !has_cache
          ? 0
          : 1 / (1 + std::pow(footprint / static_cast<double>(gpu.infinity_cache_bytes), 4));
  // Rotating buffers do not push small operands out of the Infinity Cache (AITER's tuning: below 2.5 MB).
  constexpr double kSmall = 2.5e6;
  const double stays =
      has_cache && conditions.cold ? (a_bytes < kSmall ? a_bytes : 0) + (b_bytes < kSmall ? b_bytes : 0) : 0;
  time.memory_bytes =
      ((operands - stays) * (1 - in_cache) + (has_cache ? 0 : beyond - operands)) * (1 - in_l2) +
      written * (1 - in_cache);
  time.cache_bytes = has_cache ? (beyond + written) * (1 - in_l2) : 0;
}

/// The clock under power, and the time at it: more clock, more activity, less clock settles in a few steps.
template <class SecondsAt>
void settle_clock(const gpus::Gpu& gpu, const GemmProblem& problem, const GemmKernel& kernel,
                  const Shape& shape, const GemmConstants& q, const Conditions& conditions,
                  SecondsAt seconds_at, GemmTime& time) {
  const NumberType type = gemm_type(problem);
  const double nominal =
      conditions.clock_mhz.value_or(kernel.vector ? gpu.engine_mhz : peak_mhz(gpu, type)) * q.clock_ratio;
  double clock = nominal;
  time.seconds = seconds_at(clock);
  if (conditions.clock_mhz) {
    time.clock_kind = gpus::Kind::Read;
  } else {
    const double flops = 2 * shape.m * shape.n * shape.k * shape.batch * real_products(type);
    for (int i = 0; i < 3; ++i) {
      const double a_clock = flops / (time.seconds * clock * 1e6);
      gpus::Activity activity;
      if (type == NumberType::F16) activity.matrix_f16 = a_clock;
      if (type == NumberType::BF16 || type == NumberType::XF32) activity.matrix_bf16 = a_clock;
      if (bits_of(type) <= 8) activity.matrix_f8 = a_clock;
      const gpus::Clock limited = gpus::clock_under_power(gpu, activity);
      clock = std::min(nominal, limited.mhz);
      time.clock_kind = limited.kind;
      if (limited.kind == gpus::Kind::Read && q.loaded_mhz > 0 && q.loaded_mhz < nominal) {
        const double pipes = matrix_flops(gpu, type) * static_cast<double>(gpu.compute_units);
        clock = nominal - (nominal - q.loaded_mhz) * (pipes > 0 ? std::min(a_clock / pipes, 1.0) : 0);
        time.clock_kind = gpus::Kind::Derived;
      }
      time.seconds = seconds_at(clock);
    }
  }
  time.clock_mhz = clock;
}

}  // namespace

double gemm_rate(const gpus::Gpu& gpu, NumberType type, const GemmKernel& kernel) {
  if (kernel.vector || matrix_flops(gpu, type) == 0) {
    // The libraries' vector kernels: v_fma_f32, v_pk_fma_f16, v_dot4; one a lane and clock.
    switch (type) {
      case NumberType::F16:
      case NumberType::BF16:
        return 4.0 * gpu.vector_lanes;
      case NumberType::I8:
      case NumberType::F64:
      case NumberType::C64:
        return vector_flops(gpu, type);
      default:
        return 2.0 * gpu.vector_lanes;
    }
  }
  double rate = matrix_flops(gpu, type);
  // An instruction with half the K of the full-rate one takes as long (AMD matrix instruction calculator:
  // v_mfma_f32_32x32x4_bf16 and 32x32x8_bf16_1k both 16 passes; on CDNA4 32x32x8 as 32x32x16).
  if (type == NumberType::BF16 && kernel.matrix_m != 0 && kernel.matrix_k != 0 && gpu.is_cdna() &&
      gpu.generation > 1) {
    const double full = 256.0 / kernel.matrix_m * (gpu.generation >= 4 ? 2 : 1);
    const double k = static_cast<double>(kernel.matrix_k) * kernel.matrix_blocks;
    if (k < full) rate *= std::max(k / full, 0.5);
  }
  return rate;
}

GemmKernel complete_kernel(const gpus::Gpu& gpu, const GemmProblem& problem, GemmKernel kernel) {
  const double bits = std::max(bits_of(problem.a), bits_of(problem.b));
  if (kernel.tile_m == 0) kernel.tile_m = problem.m <= 64 ? 64 : 128;
  if (kernel.tile_n == 0) kernel.tile_n = 128;
  if (kernel.tile_k == 0) kernel.tile_k = bits <= 4 ? 256 : bits <= 8 ? 128 : bits <= 16 ? 64 : 16;
  if (kernel.threads == 0) kernel.threads = 256;
  kernel.split_k = std::max(kernel.split_k, 1u);
  kernel.waves_along_k = std::max(kernel.waves_along_k, 1u);
  if (kernel.wave_m == 0 || kernel.wave_n == 0) {
    const uint32_t waves = std::max(1u, kernel.threads / gpu.warp_size());
    // As square as can be, so that each reads the least of its neighbours' operands.
    const auto side = static_cast<uint32_t>(std::exp2(std::floor(std::log2(waves) / 2)));
    kernel.wave_m = kernel.tile_m <= 16 ? 1 : waves >= 2 ? std::max(side, 2u) : 1;
    kernel.wave_n = std::max(1u, waves / kernel.wave_m);
  }
  if (kernel.vector_bytes == 0) kernel.vector_bytes = 16;
  return kernel;
}

GemmTime gemm_time(const gpus::Gpu& gpu, const GemmProblem& problem, const GemmKernel& kernel,
                   const GemmConstants& q, const Conditions& conditions) {
  const Shape shape = shape_of(problem, kernel);
  GemmTime time;
  time.tiles = shape.rows_of_tiles * shape.columns_of_tiles * shape.batch * shape.split;
  const Step step = step_of(gpu, problem, kernel, shape, q);
  const UnitCycles cycles = unit_cycles(gpu, problem, kernel, shape, step, q, time);
  move_bytes(gpu, problem, kernel, shape, cycles.resident, q, conditions, time);
  time.lds_bytes = time.tiles * shape.steps * (step.a_lds + step.b_lds + step.write_lds) * step.lds_rate;

  const double memory_rate = gpu.memory_gigabytes_per_second * 1e9;
  time.memory = time.memory_bytes / (memory_rate * q.memory_share);
  const double crowding = 1 + (q.stride_cost - 1) * same_channels(problem, kernel, shape.element);
  time.cache = time.cache_bytes / (memory_rate * q.cache_ratio) * crowding;
  const double l2_cycles = time.l2_bytes / (l2_bytes_per_clock(gpu) * q.l2_share) * crowding;
  time.fixed = (q.fixed_us + (shape.split > 1 ? q.split_us : 0)) * 1e-6;
  if (conditions.slow_start) time.fixed += kSlowStartSeconds * std::min(time.tiles, units_of(gpu));

  const auto seconds_at = [&](double mhz) {
    const double hertz = mhz * 1e6;
    return together(1 + q.overlap, cycles.units / hertz, time.memory, l2_cycles / hertz, time.cache) +
           time.fixed;
  };
  settle_clock(gpu, problem, kernel, shape, q, conditions, seconds_at, time);
  const double hertz = time.clock_mhz * 1e6;
  time.units = cycles.units / hertz;
  time.loops = cycles.loops / hertz;
  time.l2 = l2_cycles / hertz;
  return time;
}

}  // namespace wavesmith::model
