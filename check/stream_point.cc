#include "check/stream_point.h"

namespace wavesmith::check {
namespace {

thread_local StreamPoint current;

}  // namespace

const StreamPoint& stream_point() { return current; }

StreamPointScope::StreamPointScope(StreamPoint point) : before_(std::exchange(current, std::move(point))) {}
StreamPointScope::~StreamPointScope() { current = std::move(before_); }

}  // namespace wavesmith::check
