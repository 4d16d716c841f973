// `wavesmith explain`: what a kernel does and what holds it up, from its code alone.
#include "cli/explain/explain.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/file.h"
#include "cli/terminal.h"
#include "report/html.h"
#include "study/explained.h"

namespace wavesmith::cli {
namespace {

struct ExplainOptions {
  std::string file, gpu, kernel, html;
  std::vector<std::string> flags;
  uint32_t workgroup = 0, dynamic_lds = 0;
  analysis::ServedBy served_by = analysis::ServedBy::L2;
  bool verbose = false, json = false;
};

Exit explain(const ExplainOptions& options) {
  study::CodeRequest request{options.file, nullptr, options.flags};
  if (!options.gpu.empty()) {
    const auto gpu = gpus::find_gpu(options.gpu);
    if (!gpu) return report(gpu.error());
    request.gpu = *gpu;
  }
  analysis::Options how;
  if (options.workgroup) how.workgroup = options.workgroup;
  how.dynamic_lds = options.dynamic_lds;
  how.served_by = options.served_by;
  Result<study::Analysed> analysed = study::analyse_file(request, options.kernel, how);
  if (!analysed) return report(analysed.error());
  const ExplainedFile file{options.file, std::move(*analysed)};
  if (!options.html.empty())
    if (const auto written = write_text(options.html, report::html(page_of(file))); !written)
      return report(written.error());
  if (options.json)
    fmt::print("{}\n", study::json_of(file.path, file.analysed)
                           .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  else
    print_explained(file, options.verbose);
  return Exit::Ok;
}

}  // namespace

void add_explain(CLI::App& app, Action& action, std::vector<std::string> flags) {
  auto options = std::make_shared<ExplainOptions>();
  options->flags = std::move(flags);
  CLI::App* command =
      add_command(app, "explain", "Finds what bounds a kernel and what to change, from its code alone");
  command
      ->add_option("file", options->file,
                   "HIP source, LLVM IR, assembly, code object, bundle, program or library with GPU code")
      ->required();
  command->add_option("--gpu", options->gpu,
                      "the GPU to explain for: mi300x; without it, one that the file has code for");
  command->add_option("--kernel", options->kernel, "only kernels of this name, or with it in their names");
  command
      ->add_option("--workgroup", options->workgroup,
                   "work-items per workgroup, where the kernel leaves it open")
      ->check(CLI::Range(1, 1024));
  command->add_option("--dynamic-lds", options->dynamic_lds, "bytes of LDS requested at launch")
      ->transform(CLI::AsSizeValue(false));
  command
      ->add_option("--served-by", options->served_by,
                   "what serves loads and stores for passes and gains: l2, or memory, the one behind all "
                   "caches, for a kernel that streams")
      ->transform(CLI::CheckedTransformer(std::map<std::string, analysis::ServedBy>{
          {"l2", analysis::ServedBy::L2}, {"memory", analysis::ServedBy::Memory}}));
  command->add_flag(
      "-v,--verbose", options->verbose,
      "everything: findings, loops, blocks, waits with their slack, accesses, source beside instructions");
  command->add_flag("--json", options->json, "everything, as JSON");
  command->add_option("--html", options->html,
                      "write everything as a page that needs no network and no script");
  teach(
      *command,
      "  wavesmith explain attention.hip                      compile for an MI300X and show what holds it up\n"
      "  wavesmith explain attention.hip --gpu rx9070xt -- -DTILE=64 -ffast-math    flags for the compiler\n"
      "  wavesmith explain ./app --kernel reduce -v           a kernel of a program, with all details\n"
      "  wavesmith explain kernel.s --html report.html        source and instructions side by side, in a "
      "browser\n"
      "  wavesmith explain norm.hip --served-by memory        gains of a kernel that reads everything once\n"
      "  wavesmith explain librocrand.so --gpu mi210 --json   all kernels of a library, for a program\n"
      "What the figures mean: docs/EXPLAIN.md\n");
  command->callback([options, &action] { action = [options] { return explain(*options); }; });
}

}  // namespace wavesmith::cli
