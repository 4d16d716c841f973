// A checker: hears of the launches of a process and of what the host does in between, and adds findings.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/findings.h"
#include "check/launch.h"
#include "check/stream_point.h"
#include "emulate/run/events.h"

namespace wavesmith::check {

/// What the host does with device memory.
struct HostAccess {
  std::string call;  ///< "hipMemcpyAsync"
  uint64_t address = 0, bytes = 0;
  bool writes = false;
  bool shared = false;  ///< it lies in memory that GPUs may reach
  int device = 0;
  uint64_t stream = 0;
};

class Checker {
 public:
  explicit Checker(Findings& findings) : findings_(findings) {}
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// A listener for a launch that begins, alive until finished() has been called; nullptr: it is of no
  /// interest. Called from several threads, as are all of these.
  virtual std::unique_ptr<emulate::Listener> begin(const Launch& launch) = 0;
  /// The launch has ended, well or with an error.
  virtual void finished(const Launch&, emulate::Listener&, const Error*) {}
  virtual void allocated(uint64_t /*address*/, uint64_t /*bytes*/) {}
  virtual void released(uint64_t /*address*/, uint64_t /*bytes*/) {}
  /// hipFree and its kind were called with what they cannot free.
  virtual void release_refused(const std::string& /*call*/, uint64_t /*address*/, const Error&) {}
  virtual void accessed(const HostAccess&) {}
  /// The host, or a copy in a stream, makes bytes of device memory equal to others. accessed() comes before.
  virtual void copied(uint64_t /*to*/, uint64_t /*from*/, uint64_t /*bytes*/) {}
  /// A library that works on the host may have written there, in a stream's order.
  virtual void served(uint64_t /*address*/, uint64_t /*bytes*/) {}
  /// A copy or a fill was refused because it leaves an allocation.
  virtual void access_refused(const HostAccess&, const Error&) {}
  /// A stream was given work. What runs it asks stream_point().
  virtual void asked(const StreamWork&) {}
  /// It has run, or a step of a graph's run has.
  virtual void ran(const StreamPoint&) {}
  /// The host knows that work is done, and all that was before it.
  virtual void known(const StreamPoint&) {}
  /// A stream is gone, its work done.
  virtual void ended(uint64_t /*stream*/) {}
  /// Work has seen a value in memory for which it waited.
  virtual void told_in_memory() {}
  /// The process ends.
  virtual void ends() {}

 protected:
  Findings& findings_;
};

/// A checker as the command lists it.
struct CheckerKind {
  Topic topic;
  std::string_view finds;         ///< for --help: what it looks for
  std::string_view does_not_see;  ///< what may be wrong all the same
  std::unique_ptr<Checker> (*make)(Findings&);
};
/// In the order of their topics.
const std::vector<CheckerKind>& checkers();

/// The topics that a list names: "memory,race", or "all". Error: BadInput, with the names that there are.
Result<std::vector<Topic>> topics_of(std::string_view names);

}  // namespace wavesmith::check
