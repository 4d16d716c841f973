#include "study/sweep/knob_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/file.h"
#include "base/hash.h"
#include "base/split.h"
#include "study/kernel_arguments.h"
#include "study/profiled_run.h"
#include "toolchain/process.h"

namespace wavesmith::study {
namespace {

namespace fs = std::filesystem;

uint64_t hash_of_file(const fs::path& path) {
  const auto bytes = read_file(path);
  return bytes ? hash_of({reinterpret_cast<const char*>(bytes->data()), bytes->size()}) : hash_of("");
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

/// Programs tell their own times and rates: these are the host's, and another variant's differ.
bool tells_time(const std::string& line) {
  static const std::regex words(
      R"(\btimes?\b|\btook\b|elapsed|seconds?|latency|\b\d[\d.e+-]*\s*[mun]?s\b|\([mun]?s\)|[fi]lop|\w/s\b|per second|throughput|bandwidth|speed)",
      std::regex::icase | std::regex::optimize);
  return std::regex_search(line, words);
}

}  // namespace

bool has_main(std::string_view source) {
  // Without comments, and without what stands in quotes.
  std::string code;
  for (size_t i = 0; i < source.size(); ++i) {
    const std::string_view rest = source.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(source.find('\n', i), source.size()) - 1;
    } else if (rest.starts_with("/*")) {
      const size_t end = source.find("*/", i + 2);
      i = end == source.npos ? source.size() : end + 1;
      code += ' ';
    } else if (source[i] == '"') {
      for (++i; i < source.size() && source[i] != '"' && source[i] != '\n'; ++i)
        if (source[i] == '\\') ++i;
    } else {
      code += source[i];
    }
  }
  static const std::regex definition(R"((^|[^\w])(int|auto)\s+main\s*\()");
  return std::regex_search(code, definition);
}

Result<void> KnobLauncher::build(const std::string& source, const std::vector<std::string>& flags,
                                 size_t number) {
  toolchain::Command command{this_command(), "cc", "--gpu=" + devices_.substr(0, devices_.find('+'))};
  if (source.ends_with(".hip") || source.ends_with(".cpp") || source.ends_with(".cc")) {
    command.push_back(source);
  } else {
    command.insert(command.end(), {"-x", "hip", source, "-x", "none"});
  }
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", (scratch_ / fmt::format("app{}", number)).string()});
  const auto built = toolchain::run(command, true);
  if (!built) return tl::unexpected(built.error());
  if (built->code != 0)
    return fail(ErrorKind::BadInput, "it does not compile and link as a program of its own", source,
                built->output);
  return {};
}

Result<Simulation> KnobLauncher::simulate(const fs::path& code, size_t program, size_t number, int threads,
                                          double timeout) const {
  ProfiledCommand command{
      .devices = devices_, .sampled = launch_.sampled, .threads = threads, .timeout = timeout};
  const bool alone = launch_.method == KernelLaunch::Method::Kernel;
  if (!alone) command.variables.push_back("WAVESMITH_CODE=" + code.string());
  std::vector<std::string>& words = command.words;
  std::vector<fs::path> dumps;
  if (alone) {
    const RunOptions& kernel = launch_.kernel;
    words.insert(words.end(), {code.string(), "--grid", kernel.grid, "--block", kernel.block});
    if (!kernel.kernel.empty()) words.insert(words.end(), {"--kernel", kernel.kernel});
    if (kernel.shared) words.insert(words.end(), {"--shared", fmt::to_string(kernel.shared)});
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      words.insert(words.end(), {"--arg", kernel.arguments[i]});
      if (const auto argument = parse_argument(kernel.arguments[i]); argument && argument->buffer) {
        dumps.push_back(scratch_ / fmt::format("{}-{}.npy", number, i));
        words.insert(words.end(), {"--dump", fmt::format("{}={}", i, dumps.back().string())});
      }
    }
  } else {
    words.emplace_back("--");
    if (launch_.method == KernelLaunch::Method::Source)
      words.push_back((scratch_ / fmt::format("app{}", program)).string());
    words.insert(words.end(), launch_.words.begin(), launch_.words.end());
  }
  auto ran = profiled_run(command, scratch_, number);
  if (!ran) return tl::unexpected(ran.error());
  Simulation result;
  result.host_seconds = ran->host_seconds;
  result.code = ran->code;
  if (!alone) result.output = std::move(ran->output);
  result.complaint = ran->complaint;
  for (const fs::path& dump : dumps) result.buffers.push_back(hash_of_file(dump));
  std::error_code ignored;
  for (const fs::path& file : dumps) fs::remove(file, ignored);
  if (!ran->profile) {
    if (ran->code == 0)
      return fail(ErrorKind::Unsupported, "the program launched no kernel", {},
                  "is it linked with libamdhip64?");
    return result;
  }
  result.replaced = ran->profile->replaced;
  for (const timing::KernelProfile& one : ran->profile->kernels) {
    Simulation::KernelTiming& kernel = result.kernels[one.name];
    kernel.launches += static_cast<double>(one.launches);
    if (one.has_time())
      kernel.seconds += one.total_seconds();
    else
      kernel.refused = one.refused;
  }
  return result;
}

OutputCheck::OutputCheck(const Simulation& once, const Simulation& again)
    : first_(once), lines_(lines_of(once.output)) {
  const std::vector<std::string> others = lines_of(again.output);
  compared_.resize(lines_.size());
  if (lines_.size() == others.size())
    for (size_t i = 0; i < lines_.size(); ++i)
      compared_[i] = lines_[i] == others[i] && !tells_time(lines_[i]);
}

size_t OutputCheck::lines() const {
  return static_cast<size_t>(std::count(compared_.begin(), compared_.end(), true));
}

std::string OutputCheck::difference(const Simulation& other) const {
  if (other.code != first_.code)
    return fmt::format("exit code {} in place of {}{}{}", other.code, first_.code,
                       other.complaint.empty() ? "" : ": ", other.complaint);
  for (size_t i = 0; i < first_.buffers.size(); ++i)
    if (i >= other.buffers.size() || other.buffers[i] != first_.buffers[i])
      return fmt::format("buffer {} has other contents", i);
  if (lines() == 0) return {};
  const std::vector<std::string> others = lines_of(other.output);
  if (others.size() != lines_.size())
    return fmt::format("{} lines of output in place of {}", others.size(), lines_.size());
  for (size_t i = 0; i < lines_.size(); ++i)
    if (compared_[i] && lines_[i] != others[i])
      return fmt::format("writes '{:.40}' in place of '{:.40}'", others[i], lines_[i]);
  return {};
}

}  // namespace wavesmith::study
