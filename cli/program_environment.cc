#include "cli/program_environment.h"

#include <cstdlib>

#include "cli/hip_library.h"
#include "cli/terminal.h"
#include "machine/library_paths.h"

namespace wavesmith::cli {

Result<ProgramEnvironment> program_environment(const std::string& devices, const std::string& libraries) {
  auto choice = machine::LibraryChoice::parse(libraries);
  if (!choice) return tl::unexpected(choice.error());
  // Headers are looked for there, too, here and by the program's compilers.
  if (!choice->folder.empty()) setenv("WAVESMITH_LIBRARIES", choice->folder.c_str(), 1);
  const toolchain::Toolchain tools = toolchain::discover();
  const Result<std::string> runtime = library_folder(tools);
  if (!runtime) return tl::unexpected(runtime.error());
  const auto gpus = gpus::find_machine(devices);
  if (!gpus) return tl::unexpected(gpus.error());
  choice->run_on(*gpus);
  auto found = machine::find_libraries(*runtime, *choice);
  if (!found) return tl::unexpected(found.error());
  ProgramEnvironment made;
  made.libraries = std::move(*found);
  machine::Environment& variables = made.variables;
  // A program that looks for nothing outside the library gets along without the machine's files.
  if (auto machine = machine::environment(*gpus, tools, made.libraries))
    variables = std::move(*machine);
  else
    report(machine.error());

  auto paths = machine::library_variables(made.libraries);
  if (!paths) {
    report(paths.error());
    found = machine::find_libraries(*runtime, {machine::LibraryChoice::Mode::StandIns, {}});
    if (!found) return tl::unexpected(found.error());
    made.libraries = std::move(*found);
    paths = machine::library_variables(made.libraries);
    if (!paths) return tl::unexpected(paths.error());
  }
  variables.merge(*paths);
  if (!choice->folder.empty()) variables["WAVESMITH_LIBRARIES"] = choice->folder;
  variables["WAVESMITH_GPU"] = devices;
  variables["WAVESMITH_RUN"] = devices;  // `wavesmith.use` then knows that the GPU is settled
  variables.merge(machine::client_variables(*runtime));
  return made;
}

}  // namespace wavesmith::cli
