// The time of transfers from and to the level of memory that holds the data, limited by the level's bandwidth
// and by the bytes in flight (Little's law). A norm joins the two limits, as measured curves bend from one to
// the other.
#pragma once

#include <initializer_list>
#include <vector>

#include "gpus/gpu.h"
#include "model/prediction.h"

namespace wavesmith::model {

/// A kernel's traffic beyond the compute units' own caches.
struct Traffic {
  double read = 0, written = 0;  ///< bytes
  uint32_t streams = 2;          ///< arrays that are passed over at the same time
  bool warm = false;     ///< the data were touched shortly before and stand in the last cache that holds them
  double footprint = 0;  ///< bytes touched, for `warm`; 0: read + written
  double threads = 0;    ///< work-items in flight; 0: as many as the GPU holds
  double bytes_per_thread = 32;  ///< that each has under way
  double round_clocks = 0;       ///< a wave's instructions in a round of its loop, where they are known
  bool after_idle = false;       ///< the GPU had nothing to do before
};

struct TrafficTime {
  double seconds = 0;
  double latency = 0;    ///< alone, had the memory no limit
  double bandwidth = 0;  ///< alone, had the loads no latency
  std::string level;     ///< where the data stand: "L2", "Infinity Cache", "HBM"
  std::vector<Level> levels;
  bool unknown = false;  ///< leans on a number that nobody published for this GPU
};

/// The sustained bandwidth of a level in bytes per second: "L1" (of all units), "L2", "Infinity Cache",
/// "HBM"; 0: it has no such level.
struct Sustained {
  double bytes_per_second = 0;
  bool unknown = false;
};
Sustained sustained_l1(const gpus::Gpu& gpu, double hertz);
Sustained sustained_l2(const gpus::Gpu& gpu, double hertz);
Sustained sustained_infinity_cache(const gpus::Gpu& gpu);
/// `written_share`: of all bytes.
Sustained sustained_memory(const gpus::Gpu& gpu, double written_share = 0.5);
/// "HBM", or "memory" of GPUs that have GDDR.
std::string memory_name(const gpus::Gpu& gpu);

/// Work-items that the GPU holds at once.
double resident_threads(const gpus::Gpu& gpu);

/// The time of overlapping activities: a norm between their maximum and their sum.
double together(std::initializer_list<double> times);

TrafficTime traffic_time(const gpus::Gpu& gpu, const Traffic& traffic, double hertz);

/// Seconds of an empty kernel under a method of timing.
double kernel_seconds(const gpus::Gpu& gpu, Conditions::Timing timing);

/// Seconds that the dispatchers of all shader engines need to start so many workgroups.
double dispatch_seconds(const gpus::Gpu& gpu, double workgroups, double hertz);

/// Fills in the utilisation of `prediction.levels` once `seconds` is final.
void finish(Prediction& prediction);

}  // namespace wavesmith::model
