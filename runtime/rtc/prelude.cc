#include "runtime/rtc/prelude.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>

#include "base/file.h"
#include "base/hash.h"
#include "base/scratch.h"
#include "toolchain/discover.h"

namespace wavesmith::rtc {
namespace {

namespace fs = std::filesystem;

/// Options with which the first lines may mean something else than in the program, or which ask for another
/// result.
bool forbids(const std::string& option) {
  for (const std::string_view prefix : {"-include", "-imacros", "-S", "-E", "-M", "-x", "-g", "-save-temps",
                                        "-fmodules", "-fsyntax-only", "-v", "-ftime", "-Xclang", "-Wp,", "@"})
    if (option.starts_with(prefix)) return true;
  return false;
}

/// Whether an option's meaning depends on where the process is.
bool is_relative(std::string_view option) {
  for (const std::string_view prefix : {"-isystem", "-iquote", "-idirafter", "-I"})
    if (option.starts_with(prefix)) {
      option.remove_prefix(prefix.size());
      return !option.empty() && option[0] != '/';
    }
  return !option.starts_with('-') && !option.starts_with('/');  // the value of the option before it
}

/// How many preludes are kept; each has some megabytes.
constexpr size_t kMost = 32;

/// Of each prelude two files: what it was made from, which has to stay as it is, and what was made.
void remove_oldest(const fs::path& folder) {
  std::error_code ignored;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    files.emplace_back(entry.last_write_time(ignored), entry.path());
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + 2 * kMost < files.size(); ++i) fs::remove(files[i].second, ignored);
}

/// Whether it could be made at `file`.
bool make(toolchain::Command command, const std::string& text, const fs::path& file) {
  std::error_code ignored;
  const Scratch scratch("prelude", file.parent_path());
  if (!scratch.made()) return false;
  const fs::path source = fs::path(file).replace_extension(".hip");
  if (!fs::exists(source, ignored) && write_file(scratch / "source", text))
    fs::rename(scratch / "source", source, ignored);
  command.insert(command.end(), {"-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang",
                                 (scratch / "header").string(), source.string()});
  const auto made = toolchain::run(command, true);
  if (made && made->code == 0) fs::rename(scratch / "header", file, ignored);
  remove_oldest(file.parent_path());
  return fs::exists(file, ignored);
}

}  // namespace

size_t leading_includes(std::string_view text) {
  size_t covered = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    const auto skip_blanks = [&line] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    };
    // A line that goes on in the next, or a comment that may.
    if (line.ends_with('\\') || line.ends_with("\\\r") || line.find("/*") != line.npos) break;
    skip_blanks();
    if (!line.empty() && !line.starts_with("//")) {
      if (!line.starts_with('#')) break;
      line.remove_prefix(1);
      skip_blanks();
      if (!line.starts_with("include")) break;
      line.remove_prefix(7);
      skip_blanks();
      if (!line.starts_with('<') && !line.starts_with('"')) break;
    }
    at = std::min(end + 1, text.size());
    covered = at;
  }
  return covered;
}

std::string without_first(std::string_view text, size_t count) {
  std::string rest(text);
  for (size_t i = 0; i < count; ++i)
    if (rest[i] != '\n') rest[i] = ' ';
  return rest;
}

Prelude find_prelude(const toolchain::Command& compiler, const std::vector<std::string>& before,
                     std::string_view text) {
  // Behind the compiler and "-x hip".
  for (size_t i = 3; i < compiler.size(); ++i)
    if (forbids(compiler[i])) return {};
  Prelude prelude{{}, leading_includes(text)};
  std::string source;
  for (const std::string& header : before) source += fmt::format("#include \"{}\"\n", header);
  source += text.substr(0, prelude.covers);

  std::error_code ignored;
  std::string key = fmt::format("{} {}\n{}\n", fs::file_size(fs::canonical(compiler[0], ignored), ignored),
                                fs::last_write_time(compiler[0], ignored).time_since_epoch().count(), source);
  bool relative = false;
  for (size_t i = 0; i < compiler.size(); ++i) {
    key += compiler[i] + '\n';
    relative |= i > 2 && is_relative(compiler[i]);
  }
  if (relative) key += fs::current_path(ignored).string();
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})  // clang searches there, too
    if (const char* const value = std::getenv(name)) key += fmt::format("{}={}\n", name, value);
  const uint64_t hash = hash_of(key);
  const fs::path file = fs::path(toolchain::cache_folder()) / "hiprtc" / fmt::format("{:016x}.pch", hash);

  static std::mutex mutex;
  static auto& asked = *new std::map<uint64_t, int>;
  std::unique_lock lock(mutex);
  const int times = ++asked[hash];
  if (!fs::exists(file, ignored)) {
    if (times != 2) return {};  // the first time it may be the only one; after the second it can't be made
    lock.unlock();
    if (!make(compiler, source, file)) return {};
  }
  prelude.file = file.string();
  return prelude;
}

void drop_prelude(const Prelude& prelude, const std::string& said) {
  if (said.find(prelude.file) == said.npos) return;  // the program's own mistakes
  std::error_code ignored;
  fs::remove(prelude.file, ignored);
  fs::remove(fs::path(prelude.file).replace_extension(".hip"), ignored);
}

}  // namespace wavesmith::rtc
