// The state of a capture, for functions that begin, end and query captures.
#pragma once

#include <mutex>
#include <set>
#include <thread>

#include "runtime/graph/graph.h"

namespace wavesmith::runtime {

class Capture {
 public:
  std::shared_ptr<Graph> graph;
  bool theirs = false;  ///< the graph was the program's before
  unsigned long long id = 0;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id thread;
  Stream* origin = nullptr;
  std::set<Stream*> streams;
  bool invalid = false, ended = false;
};

/// Guards all captures and the `captured` of all streams.
std::recursive_mutex& captures_mutex();

/// What hipThreadExchangeStreamCaptureMode exchanges.
hipStreamCaptureMode& thread_capture_mode();

/// Whether work of the stream would have to be ordered with a captured stream's, which a graph cannot say.
bool clashes_with_captures(Stream& stream);

/// Begins with a new graph, or adds to `graph` after the nodes `first`.
hipError_t begin_capture(Stream& stream, hipStreamCaptureMode mode, std::shared_ptr<Graph> graph = {},
                         std::vector<Node*> first = {});
hipError_t end_capture(Stream& stream, std::shared_ptr<Graph>& graph);
/// For a stream that is destroyed.
void drop_from_capture(Stream& stream);

}  // namespace wavesmith::runtime
