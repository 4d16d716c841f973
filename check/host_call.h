// The call of the host's under way: what a checker names where it hears of memory that the host takes or
// gives back.
#pragma once

#include <string>
#include <string_view>

namespace wavesmith::check {

struct HostCall {
  std::string_view name = {};    ///< "hipMalloc", a literal; empty: none is under way
  const void* caller = nullptr;  ///< where it returns to
};

/// The one of this thread.
const HostCall& host_call();

/// Says for its lifetime which call is under way: the function that makes it, or the given one. Of nested
/// ones the outermost counts.
class HostCallScope {
 public:
  explicit HostCallScope(const char* name = __builtin_FUNCTION(),
                         const void* caller = __builtin_return_address(0))
      : HostCallScope(HostCall{name, caller}) {}
  explicit HostCallScope(const HostCall& call);
  ~HostCallScope();
  HostCallScope(const HostCallScope&) = delete;
  HostCallScope& operator=(const HostCallScope&) = delete;

 private:
  bool outermost_;
};

/// "hipFree, called from app + 0x1a2b", with the function's name where the file tells it; something for none.
std::string text_of(const HostCall& call);

}  // namespace wavesmith::check
