// What the operators' models know beside the GPU's data file: each constant with its source. Those that were
// fitted stand here and nowhere else, so that validation can list them.
#pragma once

#include <span>
#include <string_view>

#include "gpus/gpu.h"

namespace wavesmith::model {

struct Constant {
  std::string_view name;
  double value;
  std::string_view unit;
  gpus::Kind kind;
  std::string_view source;

  // NOLINTNEXTLINE: a constant is its value.
  constexpr operator double() const { return value; }
};

namespace constant {

using gpus::Kind;
inline constexpr std::string_view kFitted = "fitted on half A of validate/data/published";

// ---- Streams ----
inline constexpr Constant kLoopCycles{"stream.loop_cycles", 400, "clocks", Kind::Modelled,
                                      "what a streaming loop adds to a load's latency: RRZE-HPC gpu-benches "
                                      "(gpu-l2-stream, gpu-stream, half A), bytes "
                                      "in flight / bandwidth, less the pointer-chase latency"};
inline constexpr Constant kStoreCycles{"stream.store_cycles", 650, "clocks", Kind::Modelled,
                                       "the same of stores: gpu-stream 'init', half A"};
inline constexpr Constant kDefaultL2Cycles{"stream.l2_cycles", 230, "clocks", Kind::Derived,
                                           "the middle of the MI210's 250 and the MI300X's 213"};
inline constexpr Constant kDefaultInfinityCycles{"stream.infinity_cache_cycles", 456, "clocks", Kind::Derived,
                                                 "the MI300X's"};
inline constexpr Constant kDefaultMemoryCycles{"stream.memory_cycles", 760, "clocks", Kind::Derived,
                                               "between the MI210's 643 and the MI300X's 880"};
inline constexpr Constant kExtraStream{"stream.extra", 0.055, "", Kind::Modelled,
                                       "share by which each stream above two slows the memory: MI100, MI210, "
                                       "binary against unary element-wise rows, "
                                       "half A"};
inline constexpr Constant kSharedDies{"stream.shared_dies", 2, "L2 caches", Kind::Modelled,
                                      "a buffer that all dies pass over again stays in L2 up to so many "
                                      "dies' worth: gpu-l2-stream on MI300A and "
                                      "MI300X, half A, read rate falls at 8 MB"};
inline constexpr Constant kDefaultL2Share{"stream.l2_share", 0.8, "", Kind::Derived,
                                          "measured over peak on an MI300X (27.5 of 34.4 TB/s)"};

// ---- Kernels ----
inline constexpr Constant kKernelSeconds{"kernel.seconds", 2.4e-6, "s", Kind::Modelled,
                                         "from the first wave's start to the last store's end, of a kernel "
                                         "that does nearly nothing, as the profiler "
                                         "shows it: TraceLens rows of MI300X, half A"};

inline constexpr Constant kReduceSeconds{"kernel.reduce_seconds", 2.2e-6, "s", Kind::Modelled,
                                         "a reduction's second step: TraceLens rows of MI300X, half A"};
inline constexpr Constant kDispatchCycles{"kernel.dispatch_cycles", 13, "clocks a workgroup and die",
                                          Kind::Modelled,
                                          "grids of single-wave workgroups on an MI300X start 1,250 "
                                          "workgroups a microsecond (TraceLens, AITER rmsnorm)"};
inline constexpr Constant kPowerLanes{"elementwise.power_lanes", 185, "lanes", Kind::Modelled,
                                      "PyTorch's pow(), MI100 and MI210, NeuSight, half A"};

// ---- Rows: normalisation, softmax, reductions ----
inline constexpr std::string_view kRowsFitted =
    "fitted on half A of PyTorch's rows on MI100 and MI210 (NeuSight), within 7 % on half B";
inline constexpr Constant kWaveRowCycles{"rows.wave.start", 1084, "clocks", Kind::Modelled, kRowsFitted};
inline constexpr Constant kWaveElementCycles{"rows.wave.element", 8.6, "clocks a lane's element",
                                             Kind::Modelled, kRowsFitted};
inline constexpr Constant kBlockRowCycles{"rows.block.start", 5190, "clocks", Kind::Modelled, kRowsFitted};
inline constexpr Constant kBlockElementCycles{"rows.block.element", 2215, "clocks a thread's element",
                                              Kind::Modelled, kRowsFitted};
inline constexpr Constant kLdsRowCycles{"rows.lds.start", 5330, "clocks", Kind::Modelled, kRowsFitted};
inline constexpr Constant kLdsElementCycles{"rows.lds.element", 1660, "clocks a thread's element",
                                            Kind::Modelled, kRowsFitted};
inline constexpr Constant kThreePassRowCycles{"rows.three_passes.start", 6590, "clocks", Kind::Modelled,
                                              kRowsFitted};
inline constexpr Constant kThreePassElementCycles{"rows.three_passes.element", 3228,
                                                  "clocks a thread's element", Kind::Modelled, kRowsFitted};
inline constexpr Constant kTunedRows{
    "rows.tuned", 0.4, "", Kind::Modelled,
    "clocks of a row in AITER's, FlyDSL's and HipKittens' kernels against PyTorch's, "
    "half A"};

}  // namespace constant

/// All of them, for reports.
std::span<const Constant> constants();

}  // namespace wavesmith::model
