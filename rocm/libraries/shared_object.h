// The dynamic linker's view of a shared library or program: names, dependencies and symbol versions. Source:
// System V ABI, "Dynamic Linking"; Linux Standard Base, "Symbol Versioning".
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace wavesmith::rocm {

struct SharedObject {
  std::string soname, interpreter;
  unsigned machine = 0;                                    ///< EM_X86_64
  std::vector<std::string> needed;                         ///< sonames
  std::map<std::string, std::vector<std::string>> wanted;  ///< symbol versions, by the library that has them
  std::set<std::string> versions;                          ///< that it defines
  std::vector<std::string> folders;                        ///< where it has its needs looked for (RUNPATH)

  /// Reads a file. Error: NotFound if it cannot be read; BadInput if it is not a 64-bit ELF file for a
  /// dynamic linker, or damaged.
  static Result<SharedObject> read(const std::string& path);
};

/// The names of the symbols that a shared library defines; empty when it cannot be read.
std::set<std::string> exported(const std::string& path);

}  // namespace wavesmith::rocm
