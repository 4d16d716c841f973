// The exit codes of `wavesmith`. Scripts rely on these numbers; docs and --help list them.
#pragma once

#include "base/result.h"

namespace wavesmith::cli {

enum class Exit : int {
  Ok = 0,
  Different = 1,       ///< results differ from what was expected
  Usage = 2,           ///< a wrong command line
  BadInput = 3,        ///< a malformed or unreadable file, a wrong argument of a kernel
  NotFound = 4,        ///< no such file, kernel or GPU
  WrongTarget = 5,     ///< code for another GPU
  Unsupported = 6,     ///< an instruction or call that is not served
  OutOfResources = 7,  ///< too little memory, LDS or registers
  Fault = 8,           ///< the kernel touched memory that is not its own, or trapped
  Budget = 9,          ///< --max-instructions or --timeout ended it
  Internal = 70,       ///< a defect in Wavesmith
};

constexpr Exit exit_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::BadInput:
      return Exit::BadInput;
    case ErrorKind::NotFound:
      return Exit::NotFound;
    case ErrorKind::WrongTarget:
      return Exit::WrongTarget;
    case ErrorKind::Unsupported:
      return Exit::Unsupported;
    case ErrorKind::OutOfMemory:
    case ErrorKind::OutOfResources:
      return Exit::OutOfResources;
    case ErrorKind::MemoryFault:
    case ErrorKind::Trap:
      return Exit::Fault;
    case ErrorKind::Budget:
      return Exit::Budget;
    case ErrorKind::Internal:
      return Exit::Internal;
  }
  return Exit::Internal;
}

}  // namespace wavesmith::cli
