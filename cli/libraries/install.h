// `wavesmith libraries install`.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace wavesmith::cli {

struct InstallOptions {
  std::vector<std::string> names;
  std::string folder, mirror;
  std::string suite = "experimental";
  bool dry_run = false;
};

/// The names that can be installed.
std::vector<std::string> installable();

/// Fetches the named libraries and prints the progress.
Exit install_libraries(const InstallOptions& options);

}  // namespace wavesmith::cli
