// The prediction of one operation on one GPU, which every model returns. Nothing here prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpus/gpu.h"
#include "model/judged.h"

namespace wavesmith::model {

/// How far a prediction can be trusted, judged from what it relies on: High when the operation and the GPU
/// were validated against measurements, Low when a number behind it is unknown or the case is outside of what
/// was judged.
enum class Confidence : uint8_t { Low, Medium, High };
std::string_view name_of(Confidence confidence);

/// The conditions under which an operation is measured.
struct Conditions {
  std::optional<double> clock_mhz;  ///< held there; none: what the power limit leaves
  bool cold = true;                 ///< operands come from memory; false: from the last cache that holds them
  /// How the time is taken: a profiler's kernel time, events round one launch that the GPU waited for (which
  /// add the launch), or the average of launches one behind the other.
  enum class Timing : uint8_t { Profiler, Events, BackToBack } timing = Timing::Profiler;
  /// Launched so that the first workgroups of all compute units start one after another: observed in runs of
  /// an MI300X's libraries, presumably because kernel arguments were in host memory.
  bool slow_start = false;
};

/// A part of the time. Parts that overlap add up to more than the whole; `exposed` parts add up to it.
struct Part {
  std::string name;    ///< "matrix instructions", "launch", "epilogue"
  double seconds = 0;  ///< what it would take alone
  double exposed = 0;  ///< what it adds to the time
};

/// One level of memory: the coordinates of a roofline.
struct Level {
  std::string name;             ///< "LDS", "L1", "L2", "Infinity Cache", "HBM", "link"
  double bytes = 0;             ///< that cross it, reads and writes
  double seconds = 0;           ///< they take at the level's bandwidth
  double bytes_per_second = 0;  ///< its bandwidth, of the whole GPU, at the predicted clock
  double utilisation = 0;       ///< seconds / prediction.seconds
};

struct Prediction {
  double seconds = 0;    ///< of the kernel or kernels, launch included; what a profiler shows
  std::string bound;     ///< "matrix", "vector", "HBM", "Infinity Cache", "L2", "LDS", "latency", "launch"...
  double flops = 0;      ///< useful ones, as the operation's definition counts them
  double bytes = 0;      ///< the least that has to cross the memory: each operand once
  double clock_mhz = 0;  ///< engine clock that was assumed, after the power limit
  gpus::Kind clock_kind = gpus::Kind::Modelled;
  std::vector<Part> parts;
  std::vector<Level> levels;
  Confidence confidence = Confidence::Low;
  const Judged* judged = nullptr;  ///< how its model was judged for such a case; nullptr: never
  std::vector<std::string> notes;  ///< why this tile, what would help, what is unknown; sentences

  /// The expected relative error; 0: never judged.
  [[nodiscard]] double error() const { return judged ? judged->median : 0; }
  [[nodiscard]] double flops_per_second() const { return seconds > 0 ? flops / seconds : 0; }
  [[nodiscard]] double bytes_per_second() const { return seconds > 0 ? bytes / seconds : 0; }
};

}  // namespace wavesmith::model
