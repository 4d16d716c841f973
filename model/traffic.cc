#include "model/traffic.h"

#include <algorithm>
#include <cmath>

#include "model/constants.h"

namespace wavesmith::model {
namespace {

/// Latency of a level in clocks as a streaming loop sees it.
double cycles_of(const gpus::Gpu& gpu, const std::string& level, bool& unknown) {
  const auto known = [&](const std::optional<uint32_t>& cycles, double otherwise) {
    if (!cycles) unknown = true;
    return cycles ? static_cast<double>(*cycles) : otherwise;
  };
  if (level == "L2") return known(gpu.l2_cycles, constant::kDefaultL2Cycles);
  if (level == "Infinity Cache") return known(gpu.infinity_cache_cycles, constant::kDefaultInfinityCycles);
  return known(gpu.memory_cycles, constant::kDefaultMemoryCycles);
}

}  // namespace

std::string memory_name(const gpus::Gpu& gpu) { return std::string(gpu.memory_name()); }

double resident_threads(const gpus::Gpu& gpu) {
  return static_cast<double>(gpu.compute_units) * gpu.simds_per_unit * gpu.waves_per_simd * gpu.warp_size();
}

// 64 bytes a clock: CDNA's L1 delivers 61 of 128 on an MI300X (RRZE-HPC gpu-cache), all of 64 on CDNA2.
Sustained sustained_l1(const gpus::Gpu& gpu, double hertz) {
  return {64.0 * gpu.compute_units * hertz, false};
}

Sustained sustained_l2(const gpus::Gpu& gpu, double hertz) {
  if (gpu.sustained_l2) return {*gpu.sustained_l2 * 1e9, false};
  if (gpu.l2_channels && gpu.l2_bytes_per_clock_per_channel)
    return {
        constant::kDefaultL2Share * *gpu.l2_channels * *gpu.l2_bytes_per_clock_per_channel * gpu.xcds * hertz,
        true};
  return {constant::kDefaultL2Share * 0.5 * sustained_l1(gpu, hertz).bytes_per_second, true};
}

Sustained sustained_memory(const gpus::Gpu& gpu, double written_share) {
  const double peak = gpu.memory_gigabytes_per_second * 1e9;
  const double mixed = gpu.sustained_memory ? *gpu.sustained_memory * 1e9 : 0.78 * peak;
  const double read = gpu.sustained_read ? *gpu.sustained_read * 1e9 : 0.85 * peak;
  // Turning the bus round costs most with as many writes as reads.
  const double turns = std::min(written_share, 1 - written_share) / 0.5;
  if (written_share >= 1) return {constant::kWritesAlone * mixed, !gpu.sustained_memory};
  return {1 / (turns / mixed + (1 - turns) / read), !gpu.sustained_memory || !gpu.sustained_read};
}

Sustained sustained_infinity_cache(const gpus::Gpu& gpu) {
  if (gpu.infinity_cache_bytes == 0) return {};
  if (gpu.sustained_infinity_cache) return {*gpu.sustained_infinity_cache * 1e9, false};
  const double memory = sustained_memory(gpu).bytes_per_second;
  if (gpu.infinity_cache_gigabytes_per_second)
    return {std::max(memory, 0.7 * *gpu.infinity_cache_gigabytes_per_second * 1e9), true};
  return {2 * memory, true};
}

double together(std::initializer_list<double> times) {
  double sum = 0;
  for (const double time : times) sum += std::pow(time, constant::kNorm);
  return std::pow(sum, 1 / constant::kNorm);
}

TrafficTime traffic_time(const gpus::Gpu& gpu, const Traffic& traffic, double hertz) {
  TrafficTime result;
  const double bytes = traffic.read + traffic.written;
  if (bytes <= 0) return result;
  const double footprint = traffic.footprint > 0 ? traffic.footprint : bytes;
  const double l2_all = static_cast<double>(gpu.l2_bytes) * gpu.xcds;
  const double l2_shared = gpu.xcds > 1 ? constant::kSharedDies * static_cast<double>(gpu.l2_bytes)
                                        : static_cast<double>(gpu.l2_bytes);
  const double share = traffic.written / bytes;

  result.level = memory_name(gpu);
  if (traffic.warm && footprint <= l2_shared)
    result.level = "L2";
  else if (traffic.warm && footprint <= static_cast<double>(gpu.infinity_cache_bytes) &&
           (gpu.xcds == 1 || traffic.read > 0 || footprint <= l2_all))
    result.level = "Infinity Cache";

  const Sustained l2 = sustained_l2(gpu, hertz);
  Sustained cache = sustained_infinity_cache(gpu);
  // Lines that were written leave the L2 caches when the buffer is larger than these, and go on to the
  // memory.
  if (gpu.xcds > 1 && traffic.warm && traffic.written > 0) {
    const double gone = std::clamp((footprint / l2_all - constant::kWrittenBackFrom) /
                                       (constant::kWrittenBackTo - constant::kWrittenBackFrom),
                                   0.0, 1.0);
    const double back =
        std::min(cache.bytes_per_second, constant::kWrittenBackShare * gpu.memory_gigabytes_per_second * 1e9);
    if (gone > 0) cache.bytes_per_second = 1 / ((1 - gone) / cache.bytes_per_second + gone / back);
  }
  Sustained memory = sustained_memory(gpu, share);
  if (traffic.streams > 2) memory.bytes_per_second /= 1 + constant::kExtraStream * (traffic.streams - 2);
  if (traffic.after_idle && gpu.sustained_after_idle)
    for (Sustained* const outer : {&cache, &memory})
      outer->bytes_per_second = std::min(outer->bytes_per_second, *gpu.sustained_after_idle * 1e9);
  const Sustained& source = result.level == "L2" ? l2 : result.level == "Infinity Cache" ? cache : memory;
  result.unknown = source.unknown;
  result.bandwidth = bytes / source.bytes_per_second;

  // A round of the loop: its load's latency, and the store's behind it.
  double cycles = 0;
  const bool rdna = gpu.is_rdna();
  if (traffic.read > 0)
    cycles += cycles_of(gpu, result.level, result.unknown) +
              (rdna ? constant::kScalarLoopCycles.value() : constant::kLoopCycles.value()) +
              (traffic.written > 0 && !rdna ? constant::kStoreBehindCycles.value() : 0);
  else
    cycles += rdna ? constant::kDefaultMemoryCycles.value() : constant::kStoreCycles.value();
  const double threads =
      std::min(traffic.threads > 0 ? traffic.threads : resident_threads(gpu), resident_threads(gpu));
  const double rounds = std::max(1.0, bytes / (threads * traffic.bytes_per_thread));
  result.latency = rounds * cycles / hertz;
  const double issue = rounds * threads / gpu.warp_size() / gpu.compute_units * traffic.round_clocks / hertz;
  result.seconds = together({result.latency, result.bandwidth, issue});

  result.levels.push_back({"L2", bytes, bytes / l2.bytes_per_second, l2.bytes_per_second, 0});
  if (cache.bytes_per_second > 0 && result.level != "L2")
    result.levels.push_back(
        {"Infinity Cache", bytes, bytes / cache.bytes_per_second, cache.bytes_per_second, 0});
  if (result.level == memory_name(gpu))
    result.levels.push_back({memory_name(gpu), bytes, result.bandwidth, memory.bytes_per_second, 0});
  return result;
}

double kernel_seconds(const gpus::Gpu& gpu, Conditions::Timing timing) {
  switch (timing) {
    case Conditions::Timing::Profiler:
      return constant::kKernelSeconds;
    case Conditions::Timing::Events:
      return constant::kKernelSeconds + constant::kEventsSeconds;
    case Conditions::Timing::BackToBack:
      return gpu.is_rdna()  ? constant::kKernelBehindRdnaSeconds
             : gpu.xcds > 1 ? constant::kKernelBehindDiesSeconds
                            : constant::kKernelBehindSeconds;
  }
  return 0;
}

double dispatch_seconds(const gpus::Gpu& gpu, double workgroups, double hertz) {
  return workgroups / gpu.shader_engines * constant::kDispatchCycles / hertz;
}

void finish(Prediction& prediction) {
  for (Level& level : prediction.levels)
    level.utilisation = prediction.seconds > 0 ? level.seconds / prediction.seconds : 0;
}

}  // namespace wavesmith::model
