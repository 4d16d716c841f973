// Fetches Debian's packages of AMD's libraries by apt's own tools, without root: apt keeps its state in a
// folder of the user's, in which only what Wavesmith provides counts as installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "rocm/libraries/installation.h"

namespace wavesmith::rocm {

/// A package that is to be fetched.
struct Archive {
  std::string name, version, part, file;  ///< part: as InstalledPackage; file: as it is stored
  uint64_t bytes = 0;
};

class Debian {
 public:
  /// Checks that apt's tools and Debian's keys are installed, and writes their configuration below `folder`.
  /// The default mirror is that of this machine's apt. Error: NotFound.
  static Result<Debian> prepare(const std::string& folder, const std::string& suite, std::string mirror);

  /// Fetches the lists of packages. Error: NotFound, with what apt says of the mirror.
  Result<void> update() const;

  /// The packages of the named libraries and their dependencies, except those whose newest version is in the
  /// folder. Errors: NotFound, with the valid names; BadInput, with apt's message.
  Result<std::vector<Archive>> plan(const std::vector<std::string>& names) const;

  /// Fetches the packages that are missing; apt prints the progress.
  Result<void> fetch() const;

  /// Unpacks the fetched packages and lists them. A library is listed once it is complete.
  Result<Installation> unpack(const std::vector<Archive>& archives,
                              const std::vector<std::string>& names) const;

  [[nodiscard]] const std::string& mirror() const { return mirror_; }

 private:
  Debian(std::string folder, std::string suite, std::string mirror)
      : folder_(std::move(folder)), suite_(std::move(suite)), mirror_(std::move(mirror)) {}
  [[nodiscard]] std::string own(const std::string& name) const { return folder_ + "/.apt/" + name; }
  Result<void> configure(const std::string& keys) const;
  Result<void> stand_for(const std::vector<std::string>& names) const;
  [[nodiscard]] Result<std::vector<std::string>> packages(const std::string& stems) const;
  Result<void> add_archives(const char* action, const std::vector<std::string>& packages,
                            std::vector<Archive>& archives) const;
  Result<void> place(const Archive& archive) const;

  std::string folder_, suite_, mirror_;
  mutable std::vector<std::string> wanted_, alone_;  ///< what is fetched with what it needs, and without
};

}  // namespace wavesmith::rocm
