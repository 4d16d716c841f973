// Data that ranks show one another: of their own process in place or in a copy, across processes in files.
#pragma once

#include "libraries/rccl/clique.h"

namespace wavesmith::libraries {

/// A copy of what a rank sends, that stays as it is until its end. Across processes: in a file in memory.
class Staged {
 public:
  /// False: the host has no memory left.
  bool copy(const void* data, uint64_t bytes, bool for_other_processes);
  [[nodiscard]] Place place() const { return place_; }
  void release();

 private:
  Place place_{nullptr, 0, -1, 0};
};

/// What is at a place, seen from this process.
class View {
 public:
  bool open(const Place& place);
  [[nodiscard]] const void* data() const { return data_; }
  void release();

 private:
  const void* data_ = nullptr;
  uint64_t mapped_ = 0;
};

}  // namespace wavesmith::libraries
