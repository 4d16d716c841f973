#include "cli/program_environment.h"

#include <cstdlib>

#include "cli/hip_library.h"
#include "cli/terminal.h"

namespace wavesmith::cli {

Result<machine::Environment> program_environment(const std::string& devices) {
  const toolchain::Toolchain tools = toolchain::discover();
  const Result<std::string> runtime = library_folder(tools);
  if (!runtime) return tl::unexpected(runtime.error());
  const auto gpus = gpus::find_machine(devices);
  if (!gpus) return tl::unexpected(gpus.error());
  machine::Environment environment;
  // A program that looks for nothing outside the library gets along without the machine's files.
  if (auto machine = machine::environment(*gpus, tools))
    environment = std::move(*machine);
  else
    report(machine.error());

  const char* const path = std::getenv("LD_LIBRARY_PATH");
  environment["LD_LIBRARY_PATH"] = *runtime + (path && *path ? ":" + std::string(path) : "");
  environment["WAVESMITH_GPU"] = devices;
  environment["WAVESMITH_RUN"] = devices;  // `wavesmith.use` then knows that the GPU is settled
  environment.merge(machine::client_variables(*runtime));
  return environment;
}

}  // namespace wavesmith::cli
