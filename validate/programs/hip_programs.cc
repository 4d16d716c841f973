#include "validate/programs/hip_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/split.h"

namespace wavesmith::validate {
namespace {

namespace fs = std::filesystem;

/// The folder of the programs' sources, installed or in the source tree.
Result<std::string> sources(const std::string& folder) {
  const Result<std::string> data = data_folder();
  if (!data) return data;
  for (const fs::path& place : {fs::path(*data) / folder, fs::path(*data).parent_path() / folder})
    if (fs::is_directory(place)) return place.string();
  return fail(ErrorKind::NotFound, fmt::format("the {} programs' sources are not there", folder), *data);
}

/// The command itself, which compiles and runs programs.
std::string command() {
  std::error_code ignored;
  const std::string self = fs::read_symlink("/proc/self/exe", ignored).string();
  if (fs::path(self).filename() == "wavesmith") return self;
  return toolchain::find_program({"wavesmith"});
}

std::vector<HipPrograms::Words> fields(const std::string& output) {
  std::vector<HipPrograms::Words> lines;
  for (const std::string_view line : split(output, '\n')) {
    const std::vector<std::string_view> parts = split(line, ',');
    lines.emplace_back(parts.begin(), parts.end());
  }
  if (output.empty() || output.ends_with('\n')) lines.pop_back();
  return lines;
}

}  // namespace

Result<void> HipPrograms::prepare() {
  const Result<std::string> found = sources(folder_);
  if (!found) return tl::unexpected(found.error());
  sources_ = *found;
  command_ = command();
  if (command_.empty())
    return fail(ErrorKind::NotFound, "the wavesmith command is not there", {},
                fmt::format("it compiles and runs the {} programs: put it into PATH", folder_));
  if (!scratch_.made())
    return fail(ErrorKind::Internal, fmt::format("no folder for the {} programs could be made", folder_));
  return {};
}

Result<std::vector<HipPrograms::Words>> HipPrograms::run(const std::string& program, const Words& arguments) {
  const std::string at = (scratch_ / program).string();
  if (!fs::exists(at))
    if (Result<void> done = compile(program, at); !done) return tl::unexpected(done.error());
  toolchain::Command words{command_};
  words.insert(words.end(), how_.begin(), how_.end());
  words.insert(words.end(), {"--", at});
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Result<toolchain::Outcome> done = toolchain::run(words, true);
  if (!done) return tl::unexpected(done.error());
  std::vector<Words> lines = fields(done->output);
  if (done->code != 0 || lines.empty())
    return fail(ErrorKind::Internal,
                fmt::format("{} {} ended with {}", program, fmt::join(arguments, " "), done->code),
                done->output);
  return lines;
}

Result<void> HipPrograms::compile(const std::string& program, const std::string& to) {
  data_.tell(fmt::format("compiling {}", program));
  toolchain::Command words{command_, "cc", "-O2"};
  words.insert(words.end(), compiler_.begin(), compiler_.end());
  words.push_back("-I" + fs::path(sources_).parent_path().parent_path().string());  // validate/FOLDER/x.h
  words.insert(words.end(), {fmt::format("{}/{}.hip", sources_, program), "-o", to});
  const Result<toolchain::Outcome> done = toolchain::run(words, true);
  if (!done) return tl::unexpected(done.error());
  if (done->code != 0)
    return fail(ErrorKind::Unsupported, fmt::format("the {} programs could not be compiled", folder_),
                done->output, "'wavesmith cc --doctor' says what is missing");
  return {};
}

}  // namespace wavesmith::validate
