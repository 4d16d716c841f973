// Result<T>: a value, or an Error that says what was wrong, where, and what to do about it.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace wavesmith {

/// What kind of failure an Error is; callers map these to HIP error codes and to process exit codes.
enum class ErrorKind {
  BadInput,        ///< malformed file, argument or text
  NotFound,        ///< no such file, kernel, GPU or symbol
  WrongTarget,     ///< code for another GPU than the one described
  Unsupported,     ///< a known instruction or call that is not served
  OutOfMemory,     ///< the device's memory or the host's is exhausted
  OutOfResources,  ///< more LDS, registers or threads than the GPU has
  MemoryFault,     ///< a kernel touched memory that is not its own
  Trap,            ///< a kernel ended itself: s_trap, assert, an illegal instruction
  Budget,          ///< a kernel ran longer than it was allowed to
  Internal,        ///< a defect in Wavesmith
};

/// A failure. `what` is one sentence; `where` names file, kernel, pc, line; `hint` is the next step.
struct Error {
  ErrorKind kind = ErrorKind::Internal;
  std::string what;
  std::string where = {};
  std::string hint = {};

  /// One line a person can act on: "what (where); hint".
  [[nodiscard]] std::string text() const;
};

/// Either a T or an Error.
template <class T>
using Result = tl::expected<T, Error>;

/// Shorthand for returning a failure: `return fail(ErrorKind::NotFound, "no kernel 'x'");`
inline tl::unexpected<Error> fail(ErrorKind kind, std::string what, std::string where = {},
                                  std::string hint = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(what), std::move(where), std::move(hint)});
}

}  // namespace wavesmith
