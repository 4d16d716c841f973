// Where in the order of the streams' work a thread is: what a checker asks that hears of a launch or an
// access.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace wavesmith::check {

/// By step of a graph's run: the steps that come before it.
using GraphOrder = std::vector<std::vector<bool>>;

/// An operation of a stream.
struct StreamPoint {
  uint64_t stream = 0;  ///< its number in the process; 0: none
  uint64_t number = 0;  ///< of the operation in its stream, from 1
  uint32_t step = 0;    ///< of a graph's run
  std::shared_ptr<const GraphOrder> graph = {};
};

/// The operation that this thread executes.
const StreamPoint& stream_point();

/// Says so for its lifetime.
class StreamPointScope {
 public:
  explicit StreamPointScope(StreamPoint point);
  ~StreamPointScope();
  StreamPointScope(const StreamPointScope&) = delete;
  StreamPointScope& operator=(const StreamPointScope&) = delete;

 private:
  StreamPoint before_;
};

/// Work that a stream is given, told in the order of the host's calls.
struct StreamWork {
  StreamPoint at = {};
  bool on_default_stream = false;
  /// What it waits for, besides what its stream has before it; each with all that is before it.
  std::vector<StreamPoint> after = {};
};

}  // namespace wavesmith::check
