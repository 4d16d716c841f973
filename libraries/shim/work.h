// What a GPU would do for a call that is served on the host, in the words of `wavesmith predict`: with
// modelled time the call takes what is predicted, and reports count it. Nothing of it happens, and nothing
// is paid, without either, or beside AMD's own runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/wavesmith.h"

namespace wavesmith::libraries {

/// The function of the library that the program has called, while it runs: of functions that call each other
/// the first. As a defaulted argument, or in the function itself.
class Called {
 public:
  Called(const char* function = __builtin_FUNCTION()) : first_(!current) {
    if (first_) current = function;
  }
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;
  ~Called() {
    if (first_) current = nullptr, told = false;
  }
  static const char* function() { return current; }
  /// Whether this call has put something into a stream before.
  static bool continues() {
    const bool before = told;
    told = current != nullptr;
    return before;
  }

 private:
  inline static thread_local const char* current = nullptr;
  inline static thread_local bool told = false;
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
  /// One behind the other.
  GpuWork& times(int64_t count) {
    times_ = static_cast<double>(count);
    return *this;
  }
  /// In seconds of modelled time.
  GpuWork& not_before(double seconds) {
    not_before_ = seconds;
    return *this;
  }
  [[nodiscard]] wavesmith_work told(const char* library, const char* function, bool continues) const {
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

/// Who listens: the runtime's functions, or null where nobody wants to know.
using TellWork = void (*)(const wavesmith_work*);
TellWork who_listens();
/// When the work of the function that runs can begin, in seconds of modelled time.
double work_begins();

/// A call of the library, as it is noted when it puts something into a stream.
struct NotedCall {
  const char* function = Called::function();
  bool continues = Called::continues();
};

/// Tells what a call does, in a turn of its stream. A request says it by `tell`, which calls this for each
/// piece of work, one behind the other.
class Teller {
 public:
  Teller(TellWork listener, const NotedCall& call) : listener_(listener), call_(call) {}
  void operator()(const GpuWork& work) const;

 private:
  TellWork listener_;
  NotedCall call_;
};

}  // namespace wavesmith::libraries
