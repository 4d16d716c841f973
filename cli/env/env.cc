// `wavesmith env`: what `wavesmith run` sets, for shells and for programs that start others.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/terminal.h"
#include "gpus/chosen.h"
#include "study/program_environment.h"
#include "toolchain/process.h"

namespace wavesmith::cli {
void add_env(CLI::App& app, Action& action) {
  struct Options {
    std::string gpu, libraries;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  options->gpu = gpus::chosen_devices();
  CLI::App* command =
      add_command(app, "env", "Prints the environment in which programs find the emulated GPUs");
  command->add_option("--gpu", options->gpu, "as for wavesmith run")->capture_default_str();
  command->add_option("--libraries", options->libraries, "as for wavesmith run");
  command->add_flag("--json", options->json, "as one JSON object");
  teach(*command,
        "  eval \"$(wavesmith env --gpu mi300x:2)\"                 every program of this shell sees two\n");
  command->callback([options, &action] {
    action = [options]() -> Exit {
      const auto environment = study::program_environment(options->gpu, options->libraries);
      if (!environment) return report(environment.error());
      for (const Error& note : environment->notes) report(note);
      if (options->json)
        fmt::print("{}\n", nlohmann::json(environment->variables).dump(2));
      else
        for (const auto& [name, value] : environment->variables)
          fmt::print("export {}={}\n", name, toolchain::in_quotes(value));
      return Exit::Ok;
    };
  });
}

}  // namespace wavesmith::cli
