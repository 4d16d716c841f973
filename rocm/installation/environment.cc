#include "rocm/installation/environment.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/environment.h"
#include "rocm/installation/rocm.h"
#include "rocm/installation/tree.h"
#include "rocm/kernel_driver/topology.h"
#include "toolchain/process.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;

/// Below another `wavesmith run` the driver's files are the ones that it shows.
bool has_driver() {
  return environment_variable("WAVESMITH_MACHINE_ROOT").empty() && is_there("/sys/class/kfd");
}

/// Commands of the user's own ROCm, beside AMD's driver: they tell of the GPUs that are there.
std::set<std::string> users_commands() {
  std::set<std::string> names;
  if (!has_driver()) return names;
  for (const char* name : kCommands)
    if (const std::string found = toolchain::find_program({name});
        !found.empty() && !is_there(fs::path(found).parent_path().parent_path() / toolchain::kShownFile))
      names.insert(name);
  return names;
}

}  // namespace

Result<Environment> environment(std::span<const gpus::Gpu* const> machine, const toolchain::Toolchain& tools,
                                const Libraries& libraries) {
  Environment environment;
  const std::string asked = environment_variable("WAVESMITH_MACHINE");
  if (asked == "0") return environment;
  const std::string folder = toolchain::cache_folder() + "/machine";

  const std::string preload = tools.runtime + "/libwavesmith_machine.so";
  if ((asked == "1" || !has_driver()) && !tools.runtime.empty() && is_there(preload)) {
    Tree driver;
    const Host host = this_host();
    add_topology(driver, machine, host);
    add_devices(driver, machine, host);
    const Result<std::string> root = stored(driver, folder);
    if (!root) return tl::unexpected(root.error());
    environment["WAVESMITH_MACHINE_ROOT"] = *root;
    // Behind what the user preloads: a sanitizer's library wants to be the first.
    const std::string before = environment_variable("LD_PRELOAD");
    if (before.find(preload) == std::string::npos)
      environment["LD_PRELOAD"] = before.empty() ? preload : before + ":" + preload;
    // A program linked with AddressSanitizer's shared library refuses to start with any library before that
    // one; ours takes nothing from it.
    const std::string options = environment_variable("ASAN_OPTIONS"), order = "verify_asan_link_order=0";
    if (options.find(order) == std::string::npos)
      environment["ASAN_OPTIONS"] = options.empty() ? order : options + ":" + order;
  }

  const std::string rocm = environment_variable("ROCM_PATH");
  if (rocm.empty() || is_there(rocm + "/" + toolchain::kShownFile)) {
    Tree tree;
    add_rocm(tree, "rocm", tools, users_commands(), libraries);
    const Result<std::string> root = stored(tree, folder);
    if (!root) return tl::unexpected(root.error());
    environment["ROCM_PATH"] = *root + "/rocm";
    if (environment_variable("HIP_PATH").empty()) environment["HIP_PATH"] = *root + "/rocm";
    // hipcc: before a distribution's, which may be for another GPU's compiler.
    const std::string bin = *root + "/rocm/bin", path = environment_variable("PATH");
    if (!path.starts_with(bin + ":")) environment["PATH"] = path.empty() ? bin : bin + ":" + path;
  }
  return environment;
}

Environment client_variables(const std::string& libraries) {
  Environment variables = {
      // RCCL refuses to start without it.
      {"HSA_NO_SCRATCH_RECLAIM", "1"},
      // Triton wants the library, IREE its folder.
      {"TRITON_LIBHIP_PATH", libraries + "/libamdhip64.so"},
      {"IREE_HIP_DYLIB_PATH", libraries},
      // XLA would take three quarters of the GPU's memory in advance: it is the host's, and so is the
      // book-keeping of it, some gigabytes.
      {"XLA_PYTHON_CLIENT_PREALLOCATE", "false"},
      // XLA would choose the kernel of each matrix product by measuring a dozen: seconds each, and what is
      // fast here says nothing about the GPU. So it takes the first of all tilings that fits.
      {"XLA_FLAGS", "--xla_gpu_autotune_level=0 --xla_gpu_exhaustive_tiling_search=true"},
  };
  std::erase_if(variables, [](const auto& each) { return std::getenv(each.first.c_str()) != nullptr; });
  return variables;
}

}  // namespace wavesmith::rocm
