// Records what chosen workgroups of a launch do, for replay.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/extent3.h"
#include "emulate/run/events.h"
#include "timing/memory/access_shape.h"
#include "timing/trace.h"
#include "timing/unit/op.h"

namespace wavesmith::timing {

/// The records of a launch. Listened to from several threads; read when the launch is over.
class Recorder final : public emulate::Listener {
 public:
  /// `groups`: numbers of the workgroups to record, the first axis fastest, of a grid of `extent` workgroups.
  /// `most`: instructions of a wave that are kept; what comes behind is counted only.
  Recorder(const isa::Target& target, int wave_lanes, const Extent3& extent,
           const std::vector<uint64_t>& groups, uint64_t most);

  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& group) override;

  [[nodiscard]] const OpTable& ops() const { return ops_; }
  /// By the workgroup's number.
  [[nodiscard]] const std::map<uint64_t, WorkgroupRecord>& records() const { return records_; }

 private:
  friend class RecordingGroup;
  uint32_t number_of(const emulate::Site& site);

  Extent3 extent_;
  uint64_t most_;
  std::mutex mutex_;
  OpTable ops_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  ///< by pc
  AccessShapes shapes_;
  std::map<uint64_t, WorkgroupRecord> records_;
};

}  // namespace wavesmith::timing
