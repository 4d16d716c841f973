// Buffers that ranks share: within a process in place or as a copy, across processes in files in memory.
#pragma once

#include "libraries/rccl/clique.h"

namespace wavesmith::libraries {

/// A copy of what a rank sends, unchanged until it is released. Across processes it is a file in memory.
class Staged {
 public:
  /// False: the host has no memory left.
  bool copy(const void* data, uint64_t bytes, bool for_other_processes);
  [[nodiscard]] RankBuffer buffer() const { return buffer_; }
  void release();

 private:
  RankBuffer buffer_{nullptr, 0, -1, 0};
};

/// A rank's buffer, mapped into this process.
class View {
 public:
  bool open(const RankBuffer& buffer);
  [[nodiscard]] const void* data() const { return data_; }
  void release();

 private:
  const void* data_ = nullptr;
  uint64_t mapped_ = 0;
};

}  // namespace wavesmith::libraries
