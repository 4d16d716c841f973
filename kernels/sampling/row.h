// A row of logits as a workgroup reads it: each lane four logits that follow each other where they are
// aligned.
#pragma once

#include "kernels/optimiser/floats.h"
#include "kernels/sampling/draw.h"

namespace wavesmith::kernels {

struct LogitsRow {
  const void* data;
  int type, aligned;

  /// Calls with `kCount` logits, as many for each call, and the number of the first one.
  template <int kCount, int kTogether, class Visit>
  TILE_DEVICE tile::u32 some(tile::u32 at, tile::u32 end, Visit visit) const {
    constexpr tile::u32 kStep = kSampleLanes * kCount;
    TILE_KEEP_LOOP for (; at + (kTogether - 1) * kStep < end; at += kTogether * kStep) {
      ArrivingFloats<kCount> arriving[kTogether];
      TILE_UNROLL for (tile::u32 i = 0; i < kTogether; ++i) arriving[i] =
          ArrivingFloats<kCount>(data, type, at + i * kStep);
      TILE_UNROLL for (tile::u32 i = 0; i < kTogether; ++i) {
        float logits[kCount];
        arriving[i].get(logits, type);
        TILE_UNROLL for (tile::u32 j = 0; j < kCount; ++j) visit(at + i * kStep + j, logits[j]);
      }
    }
    return at;
  }

  /// Calls a lane's visitor with the numbers and values of its logits of a part, in their order.
  template <class Visit>
  TILE_DEVICE void each(RowPart part, Visit visit) const {
    const tile::u32 lane = sample_lane();
    tile::u32 at = part.begin + lane;
    if (tile::arch::late(aligned) != 0) {
      const tile::u32 whole = part.end - part.end % 4;
      at = some<4, 4>(part.begin + lane * 4, whole, visit);
      some<4, 1>(at, whole, visit);
      at = (whole > part.begin ? whole : part.begin) + lane;
    } else {
      at = some<1, 4>(at, part.end, visit);
    }
    some<1, 1>(at, part.end, visit);
  }

  [[nodiscard]] TILE_DEVICE float at(tile::u32 number) const {
    float logit[1];
    ArrivingFloats<1>(data, type, number).get(logit, type);
    return logit[0];
  }
};

}  // namespace wavesmith::kernels
