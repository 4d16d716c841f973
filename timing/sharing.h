// How the workgroups of a grid share memory, from one of them and its neighbours: lines that the next
// workgroup along an axis touches too are taken to be touched by all along that axis.
#pragma once

#include <cstdint>
#include <string>

#include "gpus/gpu.h"
#include "timing/trace.h"

namespace wavesmith::timing {

/// Of the lines that a workgroup asks the L2 for the first time.
struct Sharing {
  double l2 = 0;              ///< share that another workgroup of the die has brought in
  double infinity_cache = 0;  ///< of the rest: share that another die has
  double lines = 0;           ///< of one workgroup
  double grid_bytes = 0;      ///< that the grid touches
};

/// `neighbours`: the next workgroup along each axis; nullptr where there is none.
Sharing sharing_of(const gpus::Gpu& gpu, const uint32_t (&extent)[3], const WorkgroupRecord& base,
                   const WorkgroupRecord* const (&neighbours)[3]);

}  // namespace wavesmith::timing
