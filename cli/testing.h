// Helpers for tests of the command: they run the built `wavesmith` in a shell.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/scratch.h"

namespace wavesmith::cli {

struct CommandResult {
  int code = -1;
  std::string out, err;
};

/// A test's temporary folder, removed at its end.
class Scratch : public wavesmith::Scratch {
 public:
  Scratch() : wavesmith::Scratch("test") {}
  [[nodiscard]] std::string operator/(const std::string& name) const { return (folder() / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(write_file(folder() / name, text));
    return *this / name;
  }
};

inline std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Seconds until a command that hangs is ended: a sanitizer on a busy machine is slow, and QEMU slower.
inline constexpr int kMostSeconds = WAVESMITH_CROSS ? 900 : 240;

/// Runs `environment wavesmith arguments` in a shell.
inline CommandResult run_wavesmith(const std::string& arguments, const std::string& environment = {}) {
  const Scratch scratch;
  const std::string out = scratch / "out", err = scratch / "err";
  const int status = std::system(fmt::format("{} timeout {} " WAVESMITH_BINARY " {} >{} 2>{} </dev/null",
                                             environment, kMostSeconds, arguments, out, err)
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(out), slurp(err)};
}

/// HIP kernels that need no header, as a bundle for gfx942 and gfx1100 in the folder.
inline std::string compiled_kernels(const Scratch& folder, const std::string& source,
                                    const char* flags = "") {
  const std::string file = folder.write("kernels.hip", source), object = folder / "kernels.co";
  const CommandResult ran = run_wavesmith(
      fmt::format("cc --no-rocm --hip-headers=none -nogpulib --genco -O2 {} --offload-arch=gfx942 "
                  "--offload-arch=gfx1100 {} -o {}",
                  flags, file, object),
      "WAVESMITH_CACHE=" + (folder / "cache"));
  EXPECT_EQ(ran.code, 0) << ran.err;
  return object;
}

}  // namespace wavesmith::cli
