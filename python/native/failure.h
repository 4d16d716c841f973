// An Error as a C++ exception, which nanobind turns into Python's. Nothing else in the project throws.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace wavesmith::python {

struct Failure : std::exception {
  explicit Failure(Error why, std::optional<int> hip = {}, std::string said = {})
      : error(std::move(why)), hip_error(hip), report(std::move(said)) {}
  [[nodiscard]] const char* what() const noexcept override { return error.what.c_str(); }

  /// The name of the exception's class in wavesmith/_errors.py.
  [[nodiscard]] const char* kind_name() const {
    switch (error.kind) {
      case ErrorKind::BadInput:
        return "BadInputError";
      case ErrorKind::NotFound:
        return "NotFoundError";
      case ErrorKind::WrongTarget:
        return "WrongTargetError";
      case ErrorKind::Unsupported:
        return "UnsupportedError";
      case ErrorKind::OutOfMemory:
        return "OutOfMemoryError";
      case ErrorKind::OutOfResources:
        return "OutOfResourcesError";
      case ErrorKind::MemoryFault:
        return "MemoryFaultError";
      case ErrorKind::Trap:
        return "TrapError";
      case ErrorKind::Budget:
        return "BudgetError";
      case ErrorKind::Internal:
        return "InternalError";
    }
    return "InternalError";
  }

  Error error;
  std::optional<int> hip_error;  ///< the code that the HIP call returned
  std::string report;            ///< what the runtime said about it: kernel, pc, instruction, address
};

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw Failure(std::move(result.error()));
  return std::move(*result);
}

}  // namespace wavesmith::python
