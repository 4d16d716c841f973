#include "runtime/rtc/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "base/hash.h"
#include "toolchain/standby.h"

namespace wavesmith::rtc {
namespace {

using toolchain::Command;

// What differs from program to program.
constexpr std::string_view kFolder = "\1", kInput = "\2", kUnit = "\3";

/// The word behind the last "-o".
std::string* output_of(Command& command) {
  const auto found = std::find(command.rbegin(), command.rend(), "-o");
  return found == command.rend() || found == command.rbegin() ? nullptr : &*std::prev(found);
}

/// With marks for what differs; none when the driver does more, or something else.
std::vector<Command> general(std::vector<Command> steps, const std::string& input, const Scratch& scratch) {
  if (steps.empty() || steps.size() > 2 || steps[0].size() < 2 || steps[0][1] != "-cc1") return {};
  std::string* const output = output_of(steps[0]);
  if (!output) return {};
  // The object lies in the folder for temporary files.
  const std::string object = steps.size() == 2 ? *output : std::string();
  const std::string folder = scratch.prefix();
  for (Command& step : steps)
    for (std::string& word : step) {
      if (word.find_first_of("\1\2\3") != word.npos) return {};
      if (word == object) word = std::string(kFolder) + ".o";
      replace_all(word, folder + input, std::string(kFolder) + std::string(kInput));
      replace_all(word, folder, kFolder);
      if (word == input) word = kInput;
      if (word.starts_with("-cuid=")) word = "-cuid=" + std::string(kUnit);
    }
  return steps;
}

/// The driver's answer for commands that differ in their folder and input only.
std::vector<Command> steps_of(const Command& command, const std::string& input, const Scratch& scratch) {
  std::error_code ignored;
  std::string key =
      fmt::format("{} {}\n", toolchain::environment_hash(), std::filesystem::current_path(ignored).string());
  for (const std::string& word : command) key += word + '\n';
  replace_all(key, scratch.prefix() + input, kInput);
  replace_all(key, scratch.prefix(), kFolder);

  static std::mutex mutex;
  static auto& known = *new std::map<std::string, std::vector<Command>>;
  {
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  Command ask = command;
  ask.insert(ask.begin() + 1, "-###");
  const auto printed = toolchain::run(ask, true);
  if (!printed) return {};
  auto steps =
      printed->code == 0 ? general(parse_steps(printed->output), input, scratch) : std::vector<Command>();
  const std::scoped_lock lock(mutex);
  return known[key] = std::move(steps);
}

}  // namespace

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::vector<Command> parse_steps(std::string_view printed) {
  std::vector<Command> steps;
  while (!printed.empty()) {
    const size_t end = std::min(printed.find('\n'), printed.size());
    std::string_view line = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    if (line == " (in-process)") continue;
    if (!line.starts_with(' ')) {  // "Target: ..."
      if (line.find("warning:") != line.npos || line.find("error:") != line.npos) return {};
      continue;
    }
    Command step;
    std::string word;
    bool inside = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') {
        if (inside) step.push_back(std::exchange(word, {}));
        inside = !inside;
      } else if (inside) {
        if (line[i] == '\\' && i + 1 < line.size()) ++i;
        word += line[i];
      }
    }
    if (inside || step.empty()) return {};
    steps.push_back(std::move(step));
  }
  return steps;
}

std::optional<toolchain::Outcome> run_steps(const Command& command, const std::string& input,
                                            const Scratch& scratch) {
  if (!toolchain::stands_by()) return {};
  toolchain::Outcome all;
  const std::vector<Command> steps = steps_of(command, input, scratch);
  if (steps.empty()) return {};
  // The driver's hash of the path: two programs that are linked may not have the same.
  const std::string unit = fmt::format("{:016x}", hash_of(scratch.prefix() + input));
  for (Command step : steps) {
    for (std::string& word : step) {
      replace_all(word, kFolder, scratch.prefix());
      replace_all(word, kInput, input);
      replace_all(word, kUnit, unit);
    }
    const auto outcome = toolchain::run_standing_by(step);
    if (!outcome) return {};
    all.output += outcome->output;
    all.code = outcome->code;
    if (all.code == 1 && step[1] == "-cc1") return all;  // mistakes in the program: the driver adds nothing
    if (all.code != 0) return {};
  }
  return all;
}

}  // namespace wavesmith::rtc
