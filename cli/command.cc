#include "cli/command.h"

namespace wavesmith::cli {

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& about) {
  return app.add_subcommand(name, about);
}

}  // namespace wavesmith::cli
