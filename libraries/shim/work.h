// The work that a GPU would do for a call that is served on the host, as operations of `wavesmith predict`.
// With modelled time the call takes as long as predicted, and reports count it. Without either, or with AMD's
// own runtime, none of this happens and it costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/wavesmith.h"

namespace wavesmith::libraries {

/// Notes the library function that the program has called, while it runs: the outermost, if functions call
/// each other. Used as a defaulted argument, or in the function itself.
class Called {
 public:
  Called(const char* function = __builtin_FUNCTION()) : first_(!current) {
    if (first_) current = function;
  }
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;
  ~Called() {
    if (first_) current = nullptr, reported = false;
  }
  static const char* function() { return current; }
  /// Whether this call has enqueued work in a stream before.
  static bool continues() {
    const bool before = reported;
    reported = current != nullptr;
    return before;
  }

 private:
  inline static thread_local const char* current = nullptr;
  inline static thread_local bool reported = false;
  bool first_;
};

/// An operation of `wavesmith predict` and its arguments.
class GpuWork {
 public:
  GpuWork() = default;
  explicit GpuWork(const char* operation) : operation_(operation) {}
  GpuWork& set(const char* name, const char* word) { return add({name, word, 0}); }
  GpuWork& set(const char* name, double number) { return add({name, nullptr, number}); }
  GpuWork& set(const char* name, int64_t number) { return set(name, static_cast<double>(number)); }
  /// Repeats the operation, one after the other.
  GpuWork& times(int64_t count) {
    times_ = static_cast<double>(count);
    return *this;
  }
  /// Delays the work until that time, in seconds of modelled time.
  GpuWork& not_before(double seconds) {
    not_before_ = seconds;
    return *this;
  }
  [[nodiscard]] wavesmith_work record(const char* library, const char* function, bool continues) const {
    return {library, function, continues, operation_, parameters_, count_, times_, not_before_};
  }

 private:
  GpuWork& add(wavesmith_parameter parameter) {
    if (count_ < kMost) parameters_[count_++] = parameter;
    return *this;
  }
  static constexpr size_t kMost = 16;
  const char* operation_ = nullptr;
  wavesmith_parameter parameters_[kMost] = {};
  size_t count_ = 0;
  double times_ = 1, not_before_ = 0;
};

/// The runtime's function that takes reports of work.
using WorkListener = void (*)(const wavesmith_work*);
/// That function, or null when there is neither modelled time nor a report.
WorkListener work_listener();
/// Tells the runtime's checkers of a request that has been served: what its pointers point to may be written.
void tell_served(const void* request, size_t bytes);
/// The earliest start of the running function's work, in seconds of modelled time.
double work_begins();

/// A library call, noted when it enqueues work in a stream.
struct NotedCall {
  const char* function = Called::function();
  bool continues = Called::continues();
};

/// Reports the work of a call when its stream executes it. A request's `report_work` calls this for each
/// operation, in order.
class WorkReporter {
 public:
  WorkReporter(WorkListener listener, const NotedCall& call) : listener_(listener), call_(call) {}
  void operator()(const GpuWork& work) const;

 private:
  WorkListener listener_;
  NotedCall call_;
};

}  // namespace wavesmith::libraries
