#include "study/program_environment.h"

#include <cstdlib>

#include "rocm/libraries/library_paths.h"
#include "study/hip_library.h"

namespace wavesmith::study {

Result<ProgramEnvironment> program_environment(const std::string& devices, const std::string& libraries) {
  auto choice = rocm::LibraryChoice::parse(libraries);
  if (!choice) return tl::unexpected(choice.error());
  // Headers are looked for there, too, here and by the program's compilers.
  if (!choice->folder.empty()) setenv("WAVESMITH_LIBRARIES", choice->folder.c_str(), 1);
  const toolchain::Toolchain tools = toolchain::discover();
  const Result<std::string> runtime = library_folder(tools);
  if (!runtime) return tl::unexpected(runtime.error());
  const auto gpus = gpus::find_machine(devices);
  if (!gpus) return tl::unexpected(gpus.error());
  choice->run_on(*gpus);
  auto found = rocm::find_libraries(*runtime, *choice);
  if (!found) return tl::unexpected(found.error());
  ProgramEnvironment made;
  made.libraries = std::move(*found);
  rocm::Environment& variables = made.variables;
  // A program that looks for nothing outside the library gets along without the machine's files.
  if (auto machine = rocm::environment(*gpus, tools, made.libraries))
    variables = std::move(*machine);
  else
    made.notes.push_back(machine.error());

  auto paths = rocm::library_variables(made.libraries);
  if (!paths) {
    made.notes.push_back(paths.error());
    found = rocm::find_libraries(*runtime, {rocm::LibraryChoice::Mode::StandIns, {}});
    if (!found) return tl::unexpected(found.error());
    made.libraries = std::move(*found);
    paths = rocm::library_variables(made.libraries);
    if (!paths) return tl::unexpected(paths.error());
  }
  variables.merge(*paths);
  if (!choice->folder.empty()) variables["WAVESMITH_LIBRARIES"] = choice->folder;
  variables["WAVESMITH_GPU"] = devices;
  variables["WAVESMITH_RUN"] = devices;  // `wavesmith.use` then knows that the GPU is settled
  variables.merge(rocm::client_variables(*runtime));
  return made;
}

}  // namespace wavesmith::study
