#include "study/profiled_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/stopwatch.h"
#include "timing/profile_json.h"
#include "toolchain/process.h"

namespace wavesmith::study {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const size_t at = text.rfind('\n');
  return std::string(at == text.npos ? text : text.substr(at + 1));
}

}  // namespace

std::string this_command() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).string();
}

Result<ProfiledRun> profiled_run(const ProfiledCommand& given, const wavesmith::Scratch& scratch,
                                 size_t number) {
  const fs::path profile = scratch / fmt::format("{}.json", number),
                 errors = scratch / fmt::format("{}.err", number);
  // The shell keeps standard error apart, and env sets what only this process shall have.
  toolchain::Command command{"/bin/sh",       "-c",  "exec \"$@\" 2>\"$0\"",
                             errors.string(), "env", "WAVESMITH_PROFILE=" + profile.string()};
  if (given.sampled) command.emplace_back("WAVESMITH_PROFILE_SAMPLED=1");
  command.insert(command.end(), given.variables.begin(), given.variables.end());
  command.insert(command.end(), {this_command(), "run", "--quiet", "--gpu", given.devices, "--threads",
                                 fmt::to_string(given.threads)});
  if (given.timeout > 0) command.insert(command.end(), {"--timeout", fmt::format("{:.0f}", given.timeout)});
  command.insert(command.end(), given.words.begin(), given.words.end());
  const Stopwatch watch;
  auto ran = toolchain::run(command, true);
  if (!ran) return tl::unexpected(ran.error());
  ProfiledRun result{.code = ran->code,
                     .output = std::move(ran->output),
                     .complaint = last_line(text_of(errors)),
                     .host_seconds = watch.seconds()};
  const std::string json = text_of(profile);
  std::error_code ignored;
  fs::remove(profile, ignored);
  fs::remove(errors, ignored);
  if (json.empty()) return result;
  auto read = timing::program_profile(json);
  if (!read) return tl::unexpected(read.error());
  result.profile = std::move(*read);
  return result;
}

}  // namespace wavesmith::study
