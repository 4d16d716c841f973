// Which work of streams happens before which other work, by the host's calls.
//
// A piece of work comes after what its stream had before it, after what it was told to wait for, and after
// all that the host knew to be done when it asked for it. All threads of the host count as one: what they
// tell one another is not seen.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/stream_point.h"

namespace wavesmith::check {

/// Of each stream the last operation that is done. With an operation all before it are in it, too.
class StreamClock {
 public:
  [[nodiscard]] uint64_t of(uint64_t stream) const;
  void raise(uint64_t stream, uint64_t number);
  void join(const StreamClock& other);
  /// Takes out the streams of which `is` says so.
  template <class Is>
  void forget(Is is) {
    std::erase_if(numbers_, [&](const auto& entry) { return is(entry.first); });
  }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> numbers_;  ///< by stream
};

/// A piece of work, and what is before it.
struct OrderedWork {
  StreamPoint at;
  uint64_t asked = 0;                         ///< its place in the order of the host's calls
  std::shared_ptr<const StreamClock> before;  ///< the own stream's work apart
};

class StreamOrder {
 public:
  void asked(const StreamWork& work);
  /// It has run; until then nothing that the host learns later counts for it.
  void ran(const StreamPoint& at);
  /// The host knows that it is done.
  void known(const StreamPoint& at);
  /// The stream is gone; the host knows that its work is done.
  void ended(uint64_t stream);

  /// nullopt: work of which nothing was told.
  [[nodiscard]] std::optional<OrderedWork> work(const StreamPoint& at) const;
  [[nodiscard]] bool is_before(const OrderedWork& a, const OrderedWork& b) const;
  /// The first operation of a stream that is not before it, of others than its own.
  [[nodiscard]] uint64_t first_beside(const OrderedWork& work, uint64_t stream) const;
  /// Whether all is after it that runs, or is asked for, from now on.
  [[nodiscard]] bool is_past(const OrderedWork& work) const;
  /// Whether all that was asked for has run.
  [[nodiscard]] bool is_idle() const { return under_way_ == 0; }
  /// The order of the host's calls so far.
  [[nodiscard]] uint64_t now() const { return now_; }
  uint64_t tick() { return ++now_; }

 private:
  using Clock = std::shared_ptr<const StreamClock>;
  struct Line {
    std::deque<std::pair<uint64_t, Clock>> before;    ///< from this operation on
    std::deque<std::pair<uint64_t, uint64_t>> asked;  ///< numbers and places of those that have not run
    uint64_t last = 0;
    Clock host;  ///< what the host knew at the last one
  };
  [[nodiscard]] static Clock clock_at(const Line& line, uint64_t number);
  [[nodiscard]] bool is_gone(uint64_t stream, uint64_t at) const;
  void settle();

  std::unordered_map<uint64_t, Line> lines_;
  std::unordered_map<uint64_t, uint64_t> gone_;  ///< streams, and when
  Clock host_ = std::make_shared<const StreamClock>();
  std::deque<std::pair<uint64_t, Clock>> learnt_;  ///< what the host knew, and from when on
  Clock settled_ = host_;  ///< what the host knew before the first work was asked for that has not run
  uint64_t now_ = 0, under_way_ = 0;
  uint64_t oldest_ = UINT64_MAX;  ///< place of the first work that has not run
};

}  // namespace wavesmith::check
