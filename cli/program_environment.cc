#include "cli/program_environment.h"

#include <cstdlib>

#include "cli/terminal.h"
#include "toolchain/discover.h"

namespace wavesmith::cli {

Result<machine::Environment> program_environment(const std::string& devices) {
  const std::string runtime = toolchain::discover().runtime;
  if (runtime.empty())
    return fail(ErrorKind::NotFound, "no libamdhip64.so beside this command", {},
                "build all of Wavesmith: make build");
  const auto gpus = gpus::find_machine(devices);
  if (!gpus) return tl::unexpected(gpus.error());
  machine::Environment environment;
  // A program that looks for nothing outside the library gets along without the machine's files.
  if (auto machine = machine::environment(*gpus))
    environment = std::move(*machine);
  else
    report(machine.error());

  const char* const path = std::getenv("LD_LIBRARY_PATH");
  environment["LD_LIBRARY_PATH"] = runtime + (path && *path ? ":" + std::string(path) : "");
  environment["WAVESMITH_GPU"] = devices;
  environment["WAVESMITH_RUN"] = devices;  // `wavesmith.use` then knows that the GPU is settled
  // Programs that look for the library by a path of their own: Triton, and IREE, which wants the folder.
  if (!std::getenv("TRITON_LIBHIP_PATH")) environment["TRITON_LIBHIP_PATH"] = runtime + "/libamdhip64.so";
  if (!std::getenv("IREE_HIP_DYLIB_PATH")) environment["IREE_HIP_DYLIB_PATH"] = runtime;
  // XLA would take three quarters of the GPU's memory in advance: it is the host's, and so is the
  // book-keeping of it, some gigabytes.
  if (!std::getenv("XLA_PYTHON_CLIENT_PREALLOCATE")) environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false";
  return environment;
}

}  // namespace wavesmith::cli
