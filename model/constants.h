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
inline constexpr Constant kLoopCycles{"stream.loop_cycles", 420, "clocks", Kind::Modelled,
                                      "what a streaming loop adds to a load's latency: RRZE-HPC gpu-benches "
                                      "(gpu-l2-stream, gpu-stream, half A), bytes "
                                      "in flight / bandwidth, less the pointer-chase latency"};
inline constexpr Constant kStoreCycles{"stream.store_cycles", 703, "clocks", Kind::Modelled,
                                       "the same of stores: gpu-stream 'init', half A"};
inline constexpr Constant kDefaultL2Cycles{"stream.l2_cycles", 230, "clocks", Kind::Derived,
                                           "the middle of the MI210's 250 and the MI300X's 213"};
inline constexpr Constant kDefaultInfinityCycles{"stream.infinity_cache_cycles", 456, "clocks", Kind::Derived,
                                                 "the MI300X's"};
inline constexpr Constant kDefaultMemoryCycles{"stream.memory_cycles", 760, "clocks", Kind::Derived,
                                               "between the MI210's 643 and the MI300X's 880"};
inline constexpr Constant kScalarLoopCycles{"stream.loop_cycles_rdna", 30, "clocks", Kind::Modelled,
                                            "the same on an RX 6900 XT, whose scalar unit keeps the loop"};
inline constexpr Constant kStoreBehindCycles{
    "stream.store_behind_cycles", 333, "clocks", Kind::Modelled,
    "a store behind a load in the same round: gpu-stream 'scale', half A"};
inline constexpr Constant kNorm{
    "stream.norm", 3.3, "", Kind::Modelled,
    "exponent with which latency, bandwidth and issue add: gpu-stream and gpu-l2-stream on "
    "MI210, MI300A and MI300X, half A"};
inline constexpr Constant kWritesAlone{"stream.writes_alone", 1.21, "of mixed traffic", Kind::Modelled,
                                       "gpu-stream 'init' at full occupancy, half A"};
inline constexpr Constant kExtraStream{"stream.extra", 0.082, "", Kind::Modelled,
                                       "share by which each stream above two slows the memory: MI100, MI210, "
                                       "binary against unary element-wise rows, "
                                       "half A"};
inline constexpr Constant kSharedDies{"stream.shared_dies", 2, "L2 caches", Kind::Modelled,
                                      "a buffer that all dies pass over again stays in L2 up to so many "
                                      "dies' worth: gpu-l2-stream on MI300A and "
                                      "MI300X, half A, read rate falls at 8 MB"};
inline constexpr Constant kWrittenBackFrom{
    "stream.written_back_from", 1.6, "of all L2 caches", Kind::Modelled,
    "a buffer with writes in it goes back to the memory in part when it is larger: gpu-l2-stream on MI300X, "
    "scale and triad, half A"};
inline constexpr Constant kWrittenBackTo{"stream.written_back_to", 2.8, "of all L2 caches", Kind::Modelled,
                                         "and wholly: the same"};
inline constexpr Constant kWrittenBackShare{
    "stream.written_back_share", 0.78, "of the memory's peak", Kind::Modelled,
    "what then passes the Infinity Cache: the same, 4050 to 4190 of 5300 GB/s on MI300X and MI300A, half A"};
inline constexpr Constant kRoundClocks{"stream.round_clocks", 27.5, "clocks a wave and unit", Kind::Modelled,
                                       "loops of gpu-l2-stream at full occupancy from L2, half A"};
inline constexpr Constant kRoundAccessClocks{"stream.round_access_clocks", 12.3, "clocks a wave and unit",
                                             Kind::Modelled, "the same, of each array"};
inline constexpr Constant kDefaultL2Share{"stream.l2_share", 0.8, "", Kind::Derived,
                                          "measured over peak on an MI300X (27.5 of 34.4 TB/s)"};

// ---- Kernels ----
inline constexpr Constant kKernelSeconds{"kernel.seconds", 3.4e-6, "s", Kind::Modelled,
                                         "from the first wave's start to the last store's end, of a kernel "
                                         "that does nearly nothing, as the profiler "
                                         "shows it: TraceLens rows of MI300X, half A"};

inline constexpr Constant kKernelBehindSeconds{
    "kernel.behind_seconds", 1.0e-6, "s", Kind::Modelled,
    "the same of kernels one behind the other: gpu-small-kernels, half A"};
inline constexpr Constant kKernelBehindRdnaSeconds{"kernel.behind_seconds_rdna", 2.9e-6, "s", Kind::Modelled,
                                                   "the same on an RX 6900 XT"};
inline constexpr Constant kKernelBehindDiesSeconds{
    "kernel.behind_seconds_dies", 1.6e-6, "s", Kind::Modelled,
    "the same where dies' L2 caches are written back between kernels: Floyd-Warshall of 64 to 256 nodes on "
    "an "
    "MI300A, 2.43 us a launch less 0.8 of a load and a store; half A"};
inline constexpr Constant kEventsSeconds{"kernel.events_seconds", 4e-6, "s", Kind::Derived,
                                         "events round one launch, against a profiler's time: 2 to 6 us "
                                         "(HipKittens' and mi300a's against AITER's)"};
inline constexpr Constant kIndexedLanes{
    "elementwise.indexed_lanes", 45, "lanes", Kind::Modelled,
    "an element's offsets in broadcast or strided operands: PyTorch's elementwise_kernel_manual_unroll on an "
    "MI300X (TraceLens), half A"};
inline constexpr Constant kTranscendentalLanes{"elementwise.transcendental_lanes", 50, "lanes",
                                               Kind::Modelled,
                                               "PyTorch's silu of bf16 on an MI300X (TraceLens), half A"};
inline constexpr Constant kReduceSeconds{"kernel.reduce_seconds", 2.2e-6, "s", Kind::Modelled,
                                         "a reduction's second step: TraceLens rows of MI300X, half A"};
inline constexpr Constant kDispatchCycles{"kernel.dispatch_cycles", 40, "clocks a workgroup and die",
                                          Kind::Modelled,
                                          "grids of single-wave workgroups on an MI300X start 1,250 "
                                          "workgroups a microsecond (TraceLens, AITER rmsnorm)"};
inline constexpr Constant kPowerLanes{"elementwise.power_lanes", 185, "lanes", Kind::Modelled,
                                      "PyTorch's pow(), MI100 and MI210, NeuSight, half A"};

// ---- Rows: normalisation, softmax, reductions ----
inline constexpr Constant kFewRows{
    "rows.few", 0.35, "of a full round", Kind::Modelled,
    "what a round of few rows takes: PyTorch's softmax of 84 to 300 rows, half A"};
inline constexpr Constant kGroupSeconds{
    "rows.group_seconds", 11e-6, "s", Kind::Modelled,
    "group norm's second kernel and the wait for all groups: AITER on MI300X, half A"};
inline constexpr Constant kTunedStart{
    "rows.tuned.start", 2000, "clocks", Kind::Modelled,
    "kernels written for it that take 16 bytes a load: HipKittens, FlyDSL, AITER, half A"};
inline constexpr Constant kTunedLoad{"rows.tuned.load", 1000, "clocks a thread's 16 bytes", Kind::Modelled,
                                     "as rows.tuned.start"};
inline constexpr Constant kBatchNormPasses{
    "rows.batch_norm.passes", 2.3, "", Kind::Modelled,
    "PyTorch's batch norm backward on MI300X, half A; forward has two of its "
    "three passes"};
inline constexpr Constant kBackwardRows{"rows.backward", 1.5, "", Kind::Modelled,
                                        "PyTorch's softmax backward on MI350-class chips, half A"};
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
// ---- Attention ----
inline constexpr std::string_view kAttentionFitted =
    "fitted on half A of attention_fwd on MI300X and MI355X (AITER, HipKittens, opus, Composable Kernel, "
    "Triton)";
inline constexpr std::string_view kAttentionBackwardFitted =
    "fitted on half A of attention_bwd on MI300X and MI355X (AITER, HipKittens, Composable Kernel)";
inline constexpr Constant kAttentionVector{"attention.vector", 0.077, "clocks a pair and unit",
                                           Kind::Modelled, kAttentionFitted};
inline constexpr Constant kAttentionOverlap{"attention.overlap", 0.31, "", Kind::Modelled, kAttentionFitted};
inline constexpr Constant kAttentionStart{"attention.start", 12300, "clocks a workgroup", Kind::Modelled,
                                          kAttentionFitted};
inline constexpr Constant kAttentionLastRound{"attention.last_round", 0.005, "", Kind::Modelled,
                                              kAttentionFitted};
inline constexpr Constant kAttentionTail{"attention.tail", 0.2, "", Kind::Modelled, kAttentionFitted};
inline constexpr Constant kAttentionLaunch{"attention.launch", 9.1e-6, "s", Kind::Modelled, kAttentionFitted};
inline constexpr Constant kAttentionBackwardVector{
    "attention.backward.vector", 0.302, "clocks a pair and unit", Kind::Modelled, kAttentionBackwardFitted};
inline constexpr Constant kAttentionBackwardOverlap{"attention.backward.overlap", 0.387, "", Kind::Modelled,
                                                    kAttentionBackwardFitted};
inline constexpr Constant kAttentionBackwardStart{"attention.backward.start", 5300, "clocks a workgroup",
                                                  Kind::Modelled, kAttentionBackwardFitted};
inline constexpr Constant kAttentionBackwardLastRound{"attention.backward.last_round", 0.17, "",
                                                      Kind::Modelled, kAttentionBackwardFitted};
inline constexpr Constant kAttentionBackwardTail{"attention.backward.tail", 0.14, "", Kind::Modelled,
                                                 kAttentionBackwardFitted};
inline constexpr Constant kAttentionBackwardLaunch{"attention.backward.launch", 11e-6, "s", Kind::Modelled,
                                                   kAttentionBackwardFitted};
inline constexpr Constant kAtomicBytes{"attention.backward.atomic_bytes", 2.8, "B a clock and unit",
                                       Kind::Modelled, kAttentionBackwardFitted};
inline constexpr Constant kAtomicExposed{"attention.backward.atomics_exposed", 0.03, "", Kind::Modelled,
                                         kAttentionBackwardFitted};
/// Only listed: the factors stand in attention.cc, a row a kernel.
inline constexpr Constant kAttentionKernels{
    "attention.kernels", 10, "factors", Kind::Modelled,
    "how many times the matrix clocks (forward, backward) or all "
    "clocks are AITER's: HipKittens 1.07, 1.39; opus 1.04; "
    "Composable Kernel 1.64, 3.53; Triton 1.35; PyTorch 1.9; TileLang 5; half A"};
inline constexpr Constant kAttentionWmma{"attention.wmma", 0.73, "of the matrix rate", Kind::Modelled,
                                         "what kernels get of RDNA4's matrix instructions at the game clock: "
                                         "PyTorch's 2048 x 2048 x 2048 in bf16 on "
                                         "an RX 9070 XT, 113 and 117 of 157 TFLOP/s, half A"};
inline constexpr Constant kLatentClocks{"decode.latent", 2.66, "", Kind::Modelled,
                                        "clocks of MLA's decoding against its products': AITER, half A"};
inline constexpr Constant kDecodeClocks{"decode.clocks", 1.5, "", Kind::Modelled, "as decode.latent, of GQA"};
inline constexpr Constant kDecodeDraw{"decode.draw", 7.3, "B a clock and workgroup", Kind::Modelled,
                                      "paged decoding on MI350-class chips, half A"};
inline constexpr Constant kLatentDraw{"decode.latent.draw", 13, "B a clock and workgroup", Kind::Modelled,
                                      "MLA decoding on MI350-class chips, half A"};
inline constexpr Constant kLatentLaunch{"decode.latent.launch", 13.5e-6, "s", Kind::Modelled,
                                        "with the second kernel's launch, taken by events; half A"};
inline constexpr Constant kDecodeMostSplits{
    "decode.most_splits", 8, "", Kind::Modelled,
    "parts that GQA kernels split a context into; half A does not decide between 4 and more"};
inline constexpr Constant kLatentMostSplits{
    "decode.latent.most_splits", 32, "", Kind::Modelled,
    "the same of MLA kernels in assembly and HipKittens, half A; gluon's fill the GPU"};
inline constexpr Constant kDecodeLeastSplit{"decode.least_split", 64, "tokens", Kind::Modelled,
                                            "shortest part of a context that is worth a workgroup"};
inline constexpr Constant kDecodeStepCycles{"decode.step_cycles", 2400, "clocks", Kind::Modelled, kFitted};
inline constexpr Constant kDecodeLaunch{"decode.launch", 11.2e-6, "s", Kind::Modelled,
                                        "with the second kernel's launch, taken by events; half A"};
inline constexpr Constant kDecodeUntuned{"decode.untuned", 2.38, "", Kind::Modelled,
                                         "AITER's paged decoding against TLX's on MI350-class chips, half A"};
inline constexpr Constant kRecurrentLanes{"recurrent.lanes", 13, "lanes a number of the state",
                                          Kind::Modelled,
                                          "gated delta rule decoding on gfx942 and gfx950 (AITER), half A"};
inline constexpr Constant kRecurrentLaunch{"recurrent.launch", 13000, "clocks", Kind::Modelled,
                                           "gated delta rule decoding on gfx942 and gfx950 (AITER), half A"};

// ---- Mixture of experts ----
inline constexpr std::string_view kMoeFitted =
    "fitted on half A of AITER's fused_moe rows on MI308X, MI300X and MI350-class chips together";
inline constexpr Constant kMoeMatrix16{"moe.matrix_16", 0.458, "of the matrix rate", Kind::Modelled,
                                       kMoeFitted};
inline constexpr Constant kMoeMatrix8{"moe.matrix_8", 0.94, "of the matrix rate, CDNA3", Kind::Modelled,
                                      kMoeFitted};
inline constexpr Constant kMoeMatrix8Wide{"moe.matrix_8_wide", 0.528, "of the matrix rate, CDNA4",
                                          Kind::Modelled, kMoeFitted};
inline constexpr Constant kMoeMatrix4{"moe.matrix_4", 0.317, "of the matrix rate", Kind::Modelled,
                                      kMoeFitted};
inline constexpr Constant kMoeBlockScaleCk{"moe.block_scale_ck", 0.318, "", Kind::Modelled, kMoeFitted};
inline constexpr Constant kMoeBlockScale{"moe.block_scale", 0.46, "", Kind::Modelled, kMoeFitted};
inline constexpr Constant kMoeMixed{"moe.mixed", 0.766, "", Kind::Modelled, kMoeFitted};
inline constexpr Constant kMoeFill{"moe.fill", 0.573, "of 64 B a clock and unit", Kind::Modelled, kMoeFitted};
inline constexpr Constant kMoeDraw{"moe.draw", 55, "B a clock and workgroup", Kind::Modelled, kMoeFitted};
inline constexpr Constant kMoeScatter{"moe.scatter", 5.0, "B a clock and unit", Kind::Modelled, kMoeFitted};
inline constexpr Constant kMoeFirstLaunch{"moe.launch_1", 10e-6, "s", Kind::Modelled, kMoeFitted};
inline constexpr Constant kMoeSecondLaunch{"moe.launch_2", 9e-6, "s", Kind::Modelled, kMoeFitted};

// ---- Convolutions ----
inline constexpr std::string_view kConvolutionFitted =
    "fitted on half A of PyTorch's convolutions on MI300X (MIOpen)";
inline constexpr Constant kConvolutionGemm{"convolution.gemm", 1.87, "of the matrix multiplication's time",
                                           Kind::Modelled, kConvolutionFitted};
inline constexpr Constant kConvolutionHelper{"convolution.helper", 3.9e-6, "s a kernel beside",
                                             Kind::Modelled, kConvolutionFitted};

// ---- Links ----
// Peaks stand in the GPU's file, [links].
inline constexpr Constant kLinkXgmi{"link.xgmi", 0.75, "of an xGMI link's peak", Kind::Measured,
                                    "ROCm blogs, 'MI300X RCCL xGMI': 48 of 64 GB/s"};
inline constexpr Constant kLinkNvlink{"link.nvlink", 0.822, "of the NVLinks' peak", Kind::Modelled,
                                      "370 of 450 GB/s a direction of an H100, as NCCL's tests show"};
inline constexpr Constant kLinkPcie{"link.pcie", 0.8, "of a slot's peak", Kind::Derived,
                                    "a fifth of it is packets"};
inline constexpr Constant kLinkHop{
    "link.hop", 2.6e-6, "s", Kind::Modelled,
    "a flag written, and seen, over xGMI: RCCL and vLLM all-reduce of small buffers, half A"};
inline constexpr Constant kLinkLatencyCdna4{"link.latency.cdna4", 0.82, "of the MI300X's launch and hop",
                                            Kind::Modelled,
                                            "vLLM's all-reduce of 24 and 48 KiB on 8 MI355X, half A"};
inline constexpr Constant kCollectiveLaunch{"collective.launch", 4.5e-6, "s", Kind::Modelled,
                                            "RCCL and vLLM all-reduce of small buffers, half A"};
inline constexpr Constant kFlaggedShare{"collective.flagged_share", 0.67, "", Kind::Modelled,
                                        "the same below 32 MiB, where data carry their flags: RCCL, half A"};
inline constexpr Constant kCollectiveShare{"collective.share", 0.94, "", Kind::Modelled,
                                           "of the links' rate in RCCL's large all-reduce (317 of 336 GB/s)"};

}  // namespace constant

/// All of them, for reports.
std::span<const Constant> constants();

}  // namespace wavesmith::model
