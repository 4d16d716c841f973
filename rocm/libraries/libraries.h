// Which copy of each of AMD's libraries a program gets: AMD's own, where one is on this machine and can be
// loaded, or the stand-in of libraries/.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "rocm/libraries/known_libraries.h"

namespace wavesmith::rocm {

/// What a user wants.
struct LibraryChoice {
  enum class Mode : unsigned char {
    Auto,      ///< AMD's where they are there
    Amd,       ///< the same, and there have to be some
    StandIns,  ///< ours alone
  };
  Mode mode = Mode::Auto;
  std::string folder;  ///< that `wavesmith libraries install` filled
  /// The program's GPUs, by `arch_name`: with Auto the stand-in goes before a library of AMD's without
  /// kernels for one of them. Empty: any GPU.
  std::set<std::string> gpus = {};

  /// From "auto", "amd", "stand-ins" or a folder's path (AMD's, from there); nothing: WAVESMITH_LIBRARIES, or
  /// else auto. Errors: BadInput, NotFound.
  static Result<LibraryChoice> parse(std::string text);
  /// The program's GPUs are these.
  void run_on(std::span<const gpus::Gpu* const> machine);
};

/// For one soname.
struct LibraryAnswer {
  enum class Origin : unsigned char { None, Given, Installed, Rocm, System };
  const KnownLibrary* library = nullptr;
  std::string soname;
  std::string amd;       ///< AMD's file, whoever answers; empty: not on this machine
  std::string stand_in;  ///< ours; empty: there is none
  Origin origin = Origin::None;
  bool is_amd = false;  ///< AMD's answers
  std::string refused;  ///< why AMD's, which is there, does not answer
};
std::string name_of(LibraryAnswer::Origin origin);

/// All that a program is given.
struct Libraries {
  std::vector<LibraryAnswer> answers;  ///< by title and soname
  std::string runtime, stand_ins;      ///< our folders
  std::vector<std::string> given;      ///< the user's LD_LIBRARY_PATH
  std::vector<std::string> folders;    ///< with AMD's libraries, outside of the system's
  /// What AMD's need of an installation's other libraries, soname and file; each behind those that it needs.
  std::vector<std::pair<std::string, std::string>> support;
  std::vector<std::string> order;  ///< AMD's files that answer, each behind those that it needs
  std::string loader, libc;        ///< an installation's dynamic linker and its folder; empty: the system's

  [[nodiscard]] bool any_amd() const { return !order.empty(); }
  /// What a program may trip over with this choice, and what to do; empty: nothing. hipBLAS's handles are
  /// rocBLAS's, and programs pass them on: a stand-in's would be given to AMD's.
  [[nodiscard]] std::string warning() const;
  /// The answer that the file of that path is AMD's of; nullptr for other files.
  [[nodiscard]] const LibraryAnswer* of_file(const std::string& path) const;
};

/// Looks at the files, and loads none. `runtime` is the folder with our libamdhip64. Error: NotFound where
/// the choice asks for AMD's and none can be loaded.
Result<Libraries> find_libraries(const std::string& runtime, const LibraryChoice& choice);

/// The same for this very process, whose C library stays: an installation's is not taken.
Result<Libraries> find_libraries_here(const std::string& runtime, const LibraryChoice& choice);

}  // namespace wavesmith::rocm
