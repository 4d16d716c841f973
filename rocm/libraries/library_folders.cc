#include "rocm/libraries/library_folders.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/environment.h"
#include "toolchain/discover.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;

void add(std::vector<std::string>& folders, const std::string& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored) && std::find(folders.begin(), folders.end(), folder) == folders.end())
    folders.push_back(folder);
}

/// Source: ldconfig(8): a folder a line, "include PATTERN", comments behind '#'.
void read_configuration(std::vector<std::string>& folders, const std::string& path, int depth) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos) continue;
    line = line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
    if (!line.starts_with("include")) {
      add(folders, line);
      continue;
    }
    const size_t pattern = line.find_first_not_of(" \t", 7);
    if (pattern == line.npos || depth > 4) continue;
    const std::string word = line.substr(pattern);
    const std::string where = word.starts_with('/') ? word : (fs::path(path).parent_path() / word).string();
    glob_t found{};
    if (glob(where.c_str(), 0, nullptr, &found) == 0)
      for (size_t i = 0; i < found.gl_pathc; ++i) read_configuration(folders, found.gl_pathv[i], depth + 1);
    globfree(&found);
  }
}

}  // namespace

std::vector<std::string> system_folders() {
  std::vector<std::string> folders;
  read_configuration(folders, "/etc/ld.so.conf", 0);
#if defined(__x86_64__)
  const char* const triplet = "x86_64-linux-gnu";
#else
  const char* const triplet = "aarch64-linux-gnu";
#endif
  for (const char* base : {"/lib", "/usr/lib"}) add(folders, fmt::format("{}/{}", base, triplet));
  for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) add(folders, folder);
  return folders;
}

std::vector<std::string> rocm_folders() {
  std::vector<std::string> folders;
  for (const std::string& root : {environment_variable("ROCM_PATH"), std::string("/opt/rocm")})
    if (!root.empty() && !is_there(root + "/" + toolchain::kShownFile)) add(folders, root + "/lib");
  return folders;
}

std::vector<std::string> given_folders() {
  std::vector<std::string> folders;
  const std::string listed = environment_variable("LD_LIBRARY_PATH");
  for (size_t at = 0; at < listed.size();) {
    const size_t colon = std::min(listed.find(':', at), listed.size());
    const std::string folder = listed.substr(at, colon - at);
    const bool ours = is_there(folder + "/libwavesmith_machine.so") ||
                      is_there(folder + "/../libwavesmith_machine.so") ||
                      is_there(folder + "/" + toolchain::kShownFile);
    if (!folder.empty() && !ours) add(folders, folder);
    at = colon + 1;
  }
  return folders;
}

}  // namespace wavesmith::rocm
