#include "rocm/commands/tools.h"

#include <fmt/format.h>

#include <cstdlib>

#include "rocm/commands/amd_smi.h"
#include "rocm/commands/card.h"
#include "rocm/commands/rocm_smi.h"
#include "rocm/commands/rocminfo.h"

namespace wavesmith::rocm {
namespace {

CommandOutput agents(const Machine& machine, const std::vector<std::string>& arguments) {
  const bool names = arguments.size() == 1 && arguments[0] == "-name";
  if (!arguments.empty() && !names)
    return {{},
            fmt::format("rocm_agent_enumerator: '{}' is no option; -name is the only one\n", arguments[0]),
            2};
  std::string text;
  for (const Card& card : machine.cards) {
    if (!names) text += card.gpu->target + "\n";
    if (names)
      for (const std::string& name : isa_names(*card.gpu)) text += name + "\n";
  }
  return {text};
}

CommandOutput info(const Machine& machine, const std::vector<std::string>&) {
  // AMD's takes no option, and ignores what it is given (rocminfo --support).
  return {rocminfo(machine, std::getenv("ROCR_VISIBLE_DEVICES"))};
}

struct Tool {
  const char* name;
  CommandOutput (*run)(const Machine&, const std::vector<std::string>&);
};
constexpr Tool kTools[] = {
    {"amd-smi", amd_smi},
    {"rocm-smi", rocm_smi},
    {"rocm_agent_enumerator", agents},
    {"rocminfo", info},
};

}  // namespace

std::optional<CommandOutput> run_command(std::string_view name, const std::vector<std::string>& arguments) {
  for (const Tool& tool : kTools)
    if (name == tool.name) {
      const Result<Machine> machine = emulated_machine();
      if (!machine) return CommandOutput{{}, fmt::format("{}: {}\n", name, machine.error().text()), 1};
      return tool.run(*machine, arguments);
    }
  return {};
}

}  // namespace wavesmith::rocm
