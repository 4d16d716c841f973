// Chooses the copy of each of AMD's libraries that a program loads: AMD's own where this machine has one that
// can be loaded, else the stand-in of libraries/.
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

/// The libraries that a user asks for.
struct LibraryChoice {
  enum class Mode : unsigned char {
    Auto,      ///< AMD's where they are installed
    Amd,       ///< the same, but it is an error if there are none
    StandIns,  ///< stand-ins only
  };
  Mode mode = Mode::Auto;
  std::string folder;  ///< filled by `wavesmith libraries install`
  /// `arch_name` of the program's GPUs: Auto takes the stand-in if AMD's library lacks kernels for one of
  /// them. Empty: any GPU.
  std::set<std::string> gpus = {};

  /// Parses "auto", "amd", "stand-ins" or a folder from which to take AMD's. An empty text means the value of
  /// WAVESMITH_LIBRARIES, or auto. Errors: BadInput, NotFound.
  static Result<LibraryChoice> parse(std::string text);
  /// Sets the program's GPUs.
  void run_on(std::span<const gpus::Gpu* const> machine);
};

/// The files that can provide a soname, and the choice between them.
struct LibraryProvider {
  enum class Origin : unsigned char { None, Given, Installed, Rocm, System };
  const KnownLibrary* library = nullptr;
  std::string soname;
  std::string amd;       ///< AMD's file, chosen or not; empty: not on this machine
  std::string stand_in;  ///< our file; empty: there is none
  Origin origin = Origin::None;
  bool is_amd = false;  ///< AMD's file is chosen
  std::string refused;  ///< why AMD's file is there but not chosen
};
std::string name_of(LibraryProvider::Origin origin);

/// The libraries and folders that a program is given.
struct Libraries {
  std::vector<LibraryProvider> providers;  ///< by title and soname
  std::string runtime, stand_ins;          ///< our folders
  std::vector<std::string> given;          ///< the user's LD_LIBRARY_PATH
  std::vector<std::string> folders;        ///< of AMD's libraries outside the system's folders
  /// Other libraries of an installation that AMD's depend on, soname and file, each after its own
  /// dependencies.
  std::vector<std::pair<std::string, std::string>> support;
  std::vector<std::string> order;  ///< AMD's chosen files, each after its dependencies
  std::string loader, libc;        ///< an installation's dynamic linker and its folder; empty: the system's

  [[nodiscard]] bool any_amd() const { return !order.empty(); }
  /// Warns of a combination that fails, and says what to do; empty if there is none. hipBLAS's handles are
  /// rocBLAS's, and programs pass them on, so a stand-in's handle would reach AMD's library.
  [[nodiscard]] std::string warning() const;
  /// The provider whose AMD file has that path; nullptr for other files.
  [[nodiscard]] const LibraryProvider* of_file(const std::string& path) const;
};

/// Finds the libraries without loading any. `runtime` is the folder of our libamdhip64. Error: NotFound if
/// the choice asks for AMD's and none can be loaded.
Result<Libraries> find_libraries(const std::string& runtime, const LibraryChoice& choice);

/// The same for the current process, which keeps its own C library instead of an installation's.
Result<Libraries> find_libraries_here(const std::string& runtime, const LibraryChoice& choice);

}  // namespace wavesmith::rocm
