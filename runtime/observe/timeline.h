// What streams did on the modelled clock, while a program records it (wavesmith_model_time).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace wavesmith::runtime {

class Stream;

struct TimelineEntry {
  std::string name;   ///< a kernel's, "copy", "fill", or the function of a library
  const char* bound;  ///< what limits it; empty: not told
  int device;
  uint64_t stream, number;  ///< the stream's; of the operation that the program asked for
  double begin, end;        ///< seconds
};

/// Notes what the stream's operation did, if somebody records. `seconds`: when it began and ended.
void note_timed(const Stream& stream, const std::string& name, const char* bound, double begin, double end);

/// Gives all devices modelled time, if they have none, and records from here on; or ends both. Devices are
/// idle. Returns whether it was recorded before.
bool record_timeline(bool on);

size_t timeline_size();
/// The entry stays until recording begins again.
const TimelineEntry* timeline_entry(size_t index);

/// The number of the operation that a thread asks a stream for next.
uint64_t next_operation();
/// Numbers of operations that were asked for so far.
uint64_t operations_asked();

}  // namespace wavesmith::runtime
