// Names for the fitted constants of the operators' models. model/fitted/constants.toml has the value, unit
// and source of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gpus/gpu.h"
#include "model/prediction.h"

namespace wavesmith::model {

struct Constant {
  std::string_view name;
  double value = 0;
  std::string_view unit = {};
  gpus::Kind kind = gpus::Kind::Modelled;
  std::string_view set = {};  ///< that it was fitted with; empty: it was not fitted
  std::string_view source = {};
};

/// Constants that were fitted together.
struct ConstantSet {
  std::string_view name;
  uint32_t rows = 0;  ///< of half A
  std::string_view source;
};

/// All of them, for reports.
std::span<const Constant> constants();
std::span<const ConstantSet> constant_sets();

/// Why a set's constants are of low confidence: "7 constants on 8 rows"; empty: they are not.
std::string doubt_of(const ConstantSet& set);

/// Marks a prediction that relies on constants of that set: if the set is of low confidence, so is the
/// prediction, with the reason as a note.
void mark_doubt(Prediction& prediction, std::string_view set);

/// A constant by its name; converts to its value.
struct ConstantName {
  std::string_view name;

  [[nodiscard]] double value() const;
  // NOLINTNEXTLINE: a constant is its value.
  operator double() const { return value(); }
};

namespace constant {

// ---- Streams ----
inline constexpr ConstantName kLoopCycles{"stream.loop_cycles"};
inline constexpr ConstantName kStoreCycles{"stream.store_cycles"};
inline constexpr ConstantName kDefaultL2Cycles{"stream.l2_cycles"};
inline constexpr ConstantName kDefaultInfinityCycles{"stream.infinity_cache_cycles"};
inline constexpr ConstantName kDefaultMemoryCycles{"stream.memory_cycles"};
inline constexpr ConstantName kScalarLoopCycles{"stream.loop_cycles_rdna"};
inline constexpr ConstantName kStoreBehindCycles{"stream.store_behind_cycles"};
inline constexpr ConstantName kNorm{"stream.norm"};
inline constexpr ConstantName kWritesAlone{"stream.writes_alone"};
inline constexpr ConstantName kExtraStream{"stream.extra"};
inline constexpr ConstantName kSharedDies{"stream.shared_dies"};
inline constexpr ConstantName kWrittenBackFrom{"stream.written_back_from"};
inline constexpr ConstantName kWrittenBackTo{"stream.written_back_to"};
inline constexpr ConstantName kWrittenBackShare{"stream.written_back_share"};
inline constexpr ConstantName kRoundClocks{"stream.round_clocks"};
inline constexpr ConstantName kRoundAccessClocks{"stream.round_access_clocks"};
inline constexpr ConstantName kDefaultL2Share{"stream.l2_share"};

// ---- Kernels ----
inline constexpr ConstantName kKernelSeconds{"kernel.seconds"};
inline constexpr ConstantName kKernelBehindSeconds{"kernel.behind_seconds"};
inline constexpr ConstantName kKernelBehindRdnaSeconds{"kernel.behind_seconds_rdna"};
inline constexpr ConstantName kKernelBehindDiesSeconds{"kernel.behind_seconds_dies"};
inline constexpr ConstantName kEventsSeconds{"kernel.events_seconds"};
inline constexpr ConstantName kIndexedLanes{"elementwise.indexed_lanes"};
inline constexpr ConstantName kTranscendentalLanes{"elementwise.transcendental_lanes"};
inline constexpr ConstantName kReduceSeconds{"kernel.reduce_seconds"};
inline constexpr ConstantName kDispatchCycles{"kernel.dispatch_cycles"};
inline constexpr ConstantName kPowerLanes{"elementwise.power_lanes"};

// ---- Rows: normalisation, softmax, reductions ----
inline constexpr ConstantName kFewRows{"rows.few"};
inline constexpr ConstantName kGroupSeconds{"rows.group_seconds"};
inline constexpr ConstantName kTunedStart{"rows.tuned.start"};
inline constexpr ConstantName kTunedLoad{"rows.tuned.load"};
inline constexpr ConstantName kBatchNormPasses{"rows.batch_norm.passes"};
inline constexpr ConstantName kBackwardRows{"rows.backward"};
inline constexpr ConstantName kWaveRowCycles{"rows.wave.start"};
inline constexpr ConstantName kWaveElementCycles{"rows.wave.element"};
inline constexpr ConstantName kBlockRowCycles{"rows.block.start"};
inline constexpr ConstantName kBlockElementCycles{"rows.block.element"};
inline constexpr ConstantName kLdsRowCycles{"rows.lds.start"};
inline constexpr ConstantName kLdsElementCycles{"rows.lds.element"};
inline constexpr ConstantName kThreePassRowCycles{"rows.three_passes.start"};
inline constexpr ConstantName kThreePassElementCycles{"rows.three_passes.element"};

// ---- Attention ----
inline constexpr ConstantName kAttentionVector{"attention.vector"};
inline constexpr ConstantName kAttentionOverlap{"attention.overlap"};
inline constexpr ConstantName kAttentionStart{"attention.start"};
inline constexpr ConstantName kAttentionLastRound{"attention.last_round"};
inline constexpr ConstantName kAttentionTail{"attention.tail"};
inline constexpr ConstantName kAttentionLaunch{"attention.launch"};
inline constexpr ConstantName kAttentionBackwardVector{"attention.backward.vector"};
inline constexpr ConstantName kAttentionBackwardOverlap{"attention.backward.overlap"};
inline constexpr ConstantName kAttentionBackwardStart{"attention.backward.start"};
inline constexpr ConstantName kAttentionBackwardLastRound{"attention.backward.last_round"};
inline constexpr ConstantName kAttentionBackwardTail{"attention.backward.tail"};
inline constexpr ConstantName kAttentionBackwardLaunch{"attention.backward.launch"};
inline constexpr ConstantName kAtomicBytes{"attention.backward.atomic_bytes"};
inline constexpr ConstantName kAtomicExposed{"attention.backward.atomics_exposed"};
/// Only listed here: attention.cc has the factors, in one row per kernel.
inline constexpr ConstantName kAttentionKernels{"attention.kernels"};
inline constexpr ConstantName kAttentionWmma{"attention.wmma"};
inline constexpr ConstantName kLatentClocks{"decode.latent"};
inline constexpr ConstantName kDecodeClocks{"decode.clocks"};
inline constexpr ConstantName kDecodeDraw{"decode.draw"};
inline constexpr ConstantName kLatentDraw{"decode.latent.draw"};
inline constexpr ConstantName kLatentLaunch{"decode.latent.launch"};
inline constexpr ConstantName kDecodeMostSplits{"decode.most_splits"};
inline constexpr ConstantName kLatentMostSplits{"decode.latent.most_splits"};
inline constexpr ConstantName kDecodeLeastSplit{"decode.least_split"};
inline constexpr ConstantName kDecodeStepCycles{"decode.step_cycles"};
inline constexpr ConstantName kDecodeLaunch{"decode.launch"};
inline constexpr ConstantName kDecodeUntuned{"decode.untuned"};
inline constexpr ConstantName kRecurrentLanes{"recurrent.lanes"};
inline constexpr ConstantName kRecurrentLaunch{"recurrent.launch"};

// ---- Mixture of experts ----
inline constexpr ConstantName kMoeMatrix16{"moe.matrix_16"};
inline constexpr ConstantName kMoeMatrix8{"moe.matrix_8"};
inline constexpr ConstantName kMoeMatrix8Wide{"moe.matrix_8_wide"};
inline constexpr ConstantName kMoeMatrix4{"moe.matrix_4"};
inline constexpr ConstantName kMoeBlockScaleCk{"moe.block_scale_ck"};
inline constexpr ConstantName kMoeBlockScale{"moe.block_scale"};
inline constexpr ConstantName kMoeMixed{"moe.mixed"};
inline constexpr ConstantName kMoeFill{"moe.fill"};
inline constexpr ConstantName kMoeDraw{"moe.draw"};
inline constexpr ConstantName kMoeScatter{"moe.scatter"};
inline constexpr ConstantName kMoeFirstLaunch{"moe.launch_1"};
inline constexpr ConstantName kMoeSecondLaunch{"moe.launch_2"};

// ---- Convolutions ----
inline constexpr ConstantName kConvolutionGemm{"convolution.gemm"};
inline constexpr ConstantName kConvolutionHelper{"convolution.helper"};

// ---- Links ----
// Peaks stand in the GPU's file, [links].
inline constexpr ConstantName kLinkXgmi{"link.xgmi"};
inline constexpr ConstantName kLinkNvlink{"link.nvlink"};
inline constexpr ConstantName kLinkPcie{"link.pcie"};
inline constexpr ConstantName kLinkHop{"link.hop"};
inline constexpr ConstantName kLinkLatencyCdna4{"link.latency.cdna4"};
inline constexpr ConstantName kCollectiveLaunch{"collective.launch"};
inline constexpr ConstantName kFlaggedShare{"collective.flagged_share"};
inline constexpr ConstantName kCollectiveShare{"collective.share"};

}  // namespace constant
}  // namespace wavesmith::model
