// AMD's libraries that programs link: what each is called, whose copy is taken, and the packages it comes in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::machine {

struct KnownLibrary {
  /// Who serves a program where both are there.
  enum class Prefer : unsigned char {
    Amd,      ///< AMD's: it computes by kernels, which run as they are
    StandIn,  ///< ours, but for a library of AMD's that needs AMD's: it speaks to the driver or to tools
    Chosen,   ///< ours, but where a user has installed AMD's by name: the compilers
  };
  const char* file;   ///< of lib<file>.so.<number>
  const char* title;  ///< as AMD writes it
  const char* name;   ///< as `wavesmith libraries install` takes it
  Prefer prefer;
  /// Debian's packages, without the number at the end of their names, separated by spaces.
  const char* packages;
};

/// All of them, by title.
std::span<const KnownLibrary> known_libraries();

/// By the name that `install` takes, or the file's; nullptr: there is none.
const KnownLibrary* known_library(std::string_view name);

/// The library that a file of that name is: "librocblas.so.5"; nullptr for others.
const KnownLibrary* library_of_file(std::string_view file);

/// "librocblas.so.5.2" becomes "librocblas.so.5", the soname; empty without a number.
std::string soname_of_file(std::string_view file);

}  // namespace wavesmith::machine
