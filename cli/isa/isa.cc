// `wavesmith isa`: every instruction of a GPU, and what the emulator makes of it.
#include "cli/isa/isa.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/terminal.h"
#include "emulate/translate/fidelity.h"
#include "gpus/gpu.h"
#include "isa/target.h"

namespace wavesmith::cli {
namespace {

Exit list(const IsaOptions& options) {
  if (!options.objects.empty()) return list_objects(options);
  const Result<const gpus::Gpu*> gpu = gpus::find_gpu(options.gpu);
  if (!gpu) return report(gpu.error());
  const isa::Target* target = isa::find_target((*gpu)->target);
  if (!target)
    return report({ErrorKind::Unsupported,
                   fmt::format("{} is a {}, which is not emulated", (*gpu)->name, (*gpu)->target)});
  const auto all = emulate::fidelity_of_all(*target);
  if (!all) return report(all.error());

  std::array<size_t, 3> totals{};
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  Table table({"instruction", "fidelity", "note"});
  for (const emulate::InstructionFidelity& one : *all) {
    const std::string_view name = fidelity_name(one.fidelity);
    if (!one.mnemonic.starts_with(options.match) || (!options.only.empty() && options.only != name)) continue;
    ++totals[static_cast<size_t>(one.fidelity)];
    if (options.json)
      json.push_back({{"mnemonic", one.mnemonic}, {"fidelity", name}, {"note", one.note}});
    else
      table.add({one.mnemonic, std::string(name), one.note});
  }
  if (options.json) return fmt::print("{}\n", json.dump(1)), Exit::Ok;
  table.print();
  fmt::print("\n{}: {} instructions: {} exact, {} approximate, {} unsupported\n", target->name,
             totals[0] + totals[1] + totals[2], totals[0], totals[1], totals[2]);
  return Exit::Ok;
}

}  // namespace

void add_isa(CLI::App& app, Action& action) {
  auto options = std::make_shared<IsaOptions>();
  CLI::App* command =
      add_command(app, "isa", "Lists every instruction of a GPU: emulated exactly, approximately, or not");
  command->add_option("match", options->match, "only instructions that begin with this: v_mfma");
  CLI::Option* const gpu = command->add_option("--gpu", options->gpu, "the GPU")->capture_default_str();
  command
      ->add_option(
          "--object", options->objects,
          "only those in these code objects, bundles or programs: how often, and whether each occurrence can be executed; for every target in them, or that of --gpu")
      ->expected(1, -1);
  command->add_option("--only", options->only, "only these")
      ->check(CLI::IsMember({"exact", "approximate", "unsupported"}));
  command->add_flag("--json", options->json,
                    "as JSON: a list of {mnemonic, fidelity, note}; with --object a list of targets");
  teach(
      *command,
      "  wavesmith isa --gpu mi300x                        all of them, and totals\n"
      "  wavesmith isa --gpu mi355x v_mfma                 matrix instructions\n"
      "  wavesmith isa --gpu rx9070xt --only approximate   with the bound of each\n"
      "  wavesmith isa --object app.co --only unsupported  instructions of a file that would not run, and where\n"
      "  wavesmith run --fidelity -- ./app                 those that a program really executes\n");
  command->callback([options, gpu, &action] {
    options->gpu_given = gpu->count() != 0;
    action = [options] { return list(*options); };
  });
}

}  // namespace wavesmith::cli
