// `wavesmith libraries`: which of AMD's libraries programs get here, and AMD's own from Debian.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/libraries/install.h"
#include "cli/terminal.h"
#include "gpus/gpu.h"
#include "rocm/libraries/libraries.h"
#include "rocm/libraries/library_details.h"
#include "study/hip_library.h"
#include "toolchain/discover.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;
using rocm::LibraryProvider;

/// "gfx942 gfx1100", or how many.
std::string short_list(const std::vector<std::string>& targets) {
  std::vector<std::string> processors;
  for (const std::string& target : targets)
    if (const std::string name = target.substr(0, target.find(':'));
        processors.empty() || processors.back() != name)
      processors.push_back(name);
  return processors.empty() ? "-" : fmt::format("{}", fmt::join(processors, " "));
}

ordered_json to_json(const LibraryProvider& provider) {
  ordered_json json = {{"library", provider.library->title},
                       {"soname", provider.soname},
                       {"answers", provider.is_amd ? "amd" : "stand-in"},
                       {"amd", nullptr},
                       {"stand_in", nullptr},
                       {"refused", nullptr}};
  if (!provider.amd.empty())
    json["amd"] = {{"file", provider.amd},
                   {"from", rocm::name_of(provider.origin)},
                   {"version", rocm::version_of(provider)},
                   {"targets", rocm::targets_of(provider)}};
  if (!provider.stand_in.empty()) json["stand_in"] = provider.stand_in;
  if (!provider.refused.empty()) json["refused"] = provider.refused;
  return json;
}

void print(const rocm::Libraries& libraries) {
  Table table({"library", "soname", "answers", "version", "kernels for", "from"});
  for (const LibraryProvider& provider : libraries.providers) {
    if (provider.amd.empty()) continue;
    table.add({provider.library->title, provider.soname, provider.is_amd ? "AMD's" : "stand-in",
               rocm::version_of(provider), short_list(rocm::targets_of(provider)), provider.amd});
  }
  if (std::any_of(libraries.providers.begin(), libraries.providers.end(),
                  [](const LibraryProvider& provider) { return !provider.amd.empty(); }))
    table.print();
  else
    fmt::print("None of AMD's libraries is on this machine.\n");
  for (const LibraryProvider& provider : libraries.providers)
    if (!provider.refused.empty()) fmt::print("\n{} is not used: {}.\n", provider.amd, provider.refused);
  std::string others;
  for (const LibraryProvider& provider : libraries.providers)
    if (provider.amd.empty()) others += (others.empty() ? "" : ", ") + provider.soname;
  if (!others.empty()) fmt::print("\nWavesmith's stand-ins answer for: {}\n", others);
  if (!libraries.loader.empty())
    fmt::print("\nPrograms are started by {}: the libraries want a newer C library than this machine's.\n",
               libraries.loader);
  fmt::print("\nAMD's own, from Debian, with no root: wavesmith libraries install rocblas ({})\n",
             fmt::join(installable(), ", "));
}

Exit list(const std::string& wanted, const std::string& devices, bool as_json) {
  const auto runtime = study::library_folder(toolchain::discover());
  if (!runtime) return report(runtime.error());
  auto choice = rocm::LibraryChoice::parse(wanted);
  if (!choice) return report(choice.error());
  if (!devices.empty()) {
    const auto gpus = gpus::find_machine(devices);
    if (!gpus) return report(gpus.error());
    choice->run_on(*gpus);
  }
  const auto libraries = rocm::find_libraries(*runtime, *choice);
  if (!libraries) return report(libraries.error());
  if (!as_json) return print(*libraries), Exit::Ok;
  ordered_json json = {
      {"loader", libraries->loader.empty() ? ordered_json() : ordered_json(libraries->loader)},
      {"libraries", ordered_json::array()}};
  for (const LibraryProvider& provider : libraries->providers) json["libraries"].push_back(to_json(provider));
  fmt::print("{}\n", json.dump(2));
  return Exit::Ok;
}

}  // namespace

void add_libraries(CLI::App& app, Action& action) {
  struct Options {
    std::string choice, devices;
    bool json = false;
    InstallOptions install;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      app, "libraries",
      "Shows which of AMD's libraries (rocBLAS, MIOpen, RCCL, ...) programs get, and installs AMD's own from Debian");
  command->add_option("--libraries", options->choice, "as for wavesmith run");
  command->add_option("--gpu", options->devices,
                      "the programs' GPU; AMD's libraries without kernels for it are not used");
  command->add_flag("--json", options->json, "as one JSON object");
  command->require_subcommand(0, 1);
  teach(
      *command,
      "  wavesmith libraries                                    what is here, from where, for which GPUs\n"
      "  wavesmith libraries --gpu mi300x                       and which of them run on that GPU\n"
      "  wavesmith libraries install rocblas rccl               AMD's own, compiled by Debian, without root\n"
      "  wavesmith run --libraries amd --report -- ./app        and which library's kernels ran\n"
      "  wavesmith run --libraries stand-ins -- ./app           Wavesmith's, whatever is here\n");

  CLI::App* install =
      add_command(*command, "install",
                  "Fetches AMD's libraries from Debian into your own folder, with all that they need");
  install->add_option("names", options->install.names, fmt::format("{}", fmt::join(installable(), ", ")))
      ->required();
  install->add_option(
      "--to", options->install.folder,
      "the folder; without it wavesmith/libraries under XDG_DATA_HOME or ~/.local/share, where "
      "'wavesmith run' looks");
  install
      ->add_option("--suite", options->install.suite, "of Debian: unstable or experimental (the newest ROCm)")
      ->capture_default_str();
  install->add_option("--mirror", options->install.mirror,
                      "of Debian, as apt writes it; without it this machine's own");
  install->add_flag("--dry-run", options->install.dry_run, "say what would be fetched");
  teach(*install,
        "  wavesmith libraries install rocblas                    for CuPy's and PyTorch's matrix products\n"
        "  wavesmith libraries install miopen rocfft --dry-run    what that would fetch\n"
        "  wavesmith libraries install rccl --to /data/amd        and: wavesmith run --libraries /data/amd "
        "-- ...\n"
        "  wavesmith libraries install hiprtc                     AMD's own compiler in place of "
        "Wavesmith's, too\n");
  command->callback([options, install, &action] {
    if (install->parsed())
      action = [options] { return install_libraries(options->install); };
    else
      action = [options] { return list(options->choice, options->devices, options->json); };
  });
}

}  // namespace wavesmith::cli
