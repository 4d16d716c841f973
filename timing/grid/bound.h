// What bounds a kernel that the cycle model has replayed: one word, and the figure that it stands on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/cost/cost.h"

namespace wavesmith::timing {

enum class Bound : uint8_t {
  Memory,        ///< the bytes that the grid touches move as fast as memory gives them
  L2,            ///< the compute unit's way to the L2 is taken most of the time
  Compute,       ///< a VALU or matrix pipe is taken most of the time
  Lds,           ///< LDS is
  VectorMemory,  ///< the address unit and L1 of the compute units are: many lines or lanes, whatever the
                 ///< bytes
  Issue,         ///< the SIMDs issue in most cycles, or a pipe of scalars or branches is taken
  Latency,       ///< none of these: waves wait, and there are too few to hide it
};
std::string_view name_of(Bound bound);

/// What is known of a replayed kernel; shares are between 0 and 1.
struct BoundEvidence {
  struct PipeShare {
    isa::Pipe pipe;
    double busy = 0;  ///< share of the cycles in which the pipe was taken
  };
  struct CauseShare {
    std::string_view cause;
    double exposed = 0;  ///< share of the SIMDs' cycles in which it kept them from issuing
  };
  std::span<const PipeShare> pipes;
  std::span<const CauseShare> causes;
  double nothing_issued = 0;  ///< share of the SIMDs' cycles
  double memory = 0;  ///< rate of the grid's bytes, each moved once, as a share of what a long copy reaches
  double way_to_l2 = 0;                  ///< share of the cycles in which the compute unit's was taken
  uint64_t units = 0, units_of_gpu = 0;  ///< compute units at work; of the GPU
};

struct Verdict {
  Bound bound = Bound::Latency;
  std::string why;  ///< "matrix pipes taken 91 % of the cycles"
};

/// Memory, a way, or a pipe bounds a kernel from kSaturated on: queues before it are then never empty for
/// long. Of several, the fullest one is named. A rate above what memory gives comes out of caches and says
/// nothing.
inline constexpr double kSaturated = 0.7;
Verdict bound_of(const BoundEvidence& evidence);

}  // namespace wavesmith::timing
