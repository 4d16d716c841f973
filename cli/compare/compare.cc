// `wavesmith compare`: two kernels, compilers' flags, GPUs or versions.
#include "cli/compare/show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/file.h"
#include "cli/terminal.h"
#include "report/html.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

struct CompareOptions {
  std::string a, b, gpu, kernel, flags_a, flags_b, html;
  std::vector<std::string> flags;  ///< for both
  bool verbose = false, json = false;
};

/// The two parts of "mi300x,mi355x"; both the same where there is no comma.
std::pair<std::string, std::string> halves(const std::string& text) {
  const size_t comma = text.find(',');
  return comma == text.npos ? std::pair(text, text)
                            : std::pair(text.substr(0, comma), text.substr(comma + 1));
}

/// Flags as a shell would split them: blanks between, quotes around what has blanks.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false;
  for (const char c : text) {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? '\0' : c;
      any = true;
    } else if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      if (any || !word.empty()) words.push_back(std::exchange(word, {}));
      any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.empty()) words.push_back(word);
  return words;
}

/// "attention.hip for mi300x with -O2".
std::string version_text(const std::string& path, const study::Analysed& analysed, const std::string& flags) {
  return fmt::format("{} for {} ({}){}", path, analysed.code.gpu->id, analysed.code.target,
                     flags.empty() ? "" : " with " + flags);
}

Result<study::Analysed> open_side(const CompareOptions& options, bool second) {
  const auto [gpu_a, gpu_b] = halves(options.gpu);
  const auto [kernel_a, kernel_b] = halves(options.kernel);
  study::CodeRequest request{second ? options.b : options.a, nullptr, options.flags};
  const std::vector<std::string> own = words_of(second ? options.flags_b : options.flags_a);
  request.flags.insert(request.flags.end(), own.begin(), own.end());
  if (const std::string& id = second ? gpu_b : gpu_a; !id.empty()) {
    const auto gpu = gpus::find_gpu(id);
    if (!gpu) return tl::unexpected(gpu.error());
    request.gpu = *gpu;
  }
  // A comma may belong to the name of a kernel.
  Result<study::Analysed> whole = study::analyse_file(request, options.kernel);
  if (whole || kernel_a == kernel_b || whole.error().kind != ErrorKind::NotFound) return whole;
  Result<study::Analysed> half = study::analyse_file(request, second ? kernel_b : kernel_a);
  return half ? std::move(half) : std::move(whole);
}

Exit compare_files(CompareOptions options) {
  if (options.b.empty()) options.b = options.a;
  const auto a = open_side(options, false);
  if (!a) return report(a.error());
  const auto b = open_side(options, true);
  if (!b) return report(b.error());
  const study::Pairs pairs = study::pair_kernels(*a, *b);
  const study::Versions versions{version_text(options.a, *a, options.flags_a),
                                 version_text(options.b, *b, options.flags_b)};
  if (pairs.pairs.empty())
    return report({ErrorKind::NotFound,
                   "the two have no kernel of the same name",
                   {},
                   fmt::format("name one of each: --kernel A,B; A has {}; B has {}",
                               fmt::join(pairs.only_a, ", "), fmt::join(pairs.only_b, ", "))});
  std::vector<study::Comparison> comparisons;
  for (const auto& [from, to] : pairs.pairs)
    comparisons.push_back(study::compare({from, a->code.gpu}, {to, b->code.gpu}));

  if (!options.html.empty()) {
    report::Page page{fmt::format("{} compared with {}", std::filesystem::path(options.a).filename().string(),
                                  std::filesystem::path(options.b).filename().string()),
                      fmt::format("A: {}; B: {}", versions.a, versions.b),
                      {},
                      {}};
    for (const study::Comparison& comparison : comparisons) page.sections.push_back(section_of(comparison));
    for (const std::string& name : pairs.only_a) page.notes.push_back("Only in A: " + name);
    for (const std::string& name : pairs.only_b) page.notes.push_back("Only in B: " + name);
    if (const auto written = write_text(options.html, report::html(page)); !written)
      return report(written.error());
  }
  if (options.json) {
    nlohmann::ordered_json out{{"a", versions.a},
                               {"b", versions.b},
                               {"kernels", nlohmann::ordered_json::array()},
                               {"only_a", pairs.only_a},
                               {"only_b", pairs.only_b}};
    for (const study::Comparison& comparison : comparisons) out["kernels"].push_back(json_of(comparison));
    fmt::print("{}\n", out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return Exit::Ok;
  }
  fmt::print("A: {}\nB: {}\n", versions.a, versions.b);
  if (comparisons.size() > 1 && !options.verbose) {
    constexpr size_t kMost = 18;
    for (size_t i = 0; i < std::min(kMost, comparisons.size()); ++i) {
      std::string name = study::readable(comparisons[i].a.kernel->name);
      if (name.size() > 50) name = name.substr(0, 47) + "...";
      fmt::print("  {:<50}  {}\n", name, comparisons[i].verdict);
    }
    if (comparisons.size() > kMost) fmt::print("  and {} kernels more\n", comparisons.size() - kMost);
    fmt::print("One of them: --kernel NAME; all of all: --verbose\n");
  } else {
    for (const study::Comparison& comparison : comparisons) print_comparison(comparison, options.verbose);
  }
  if (!pairs.only_a.empty()) fmt::print("only in A: {} kernels\n", pairs.only_a.size());
  if (!pairs.only_b.empty()) fmt::print("only in B: {} kernels\n", pairs.only_b.size());
  return Exit::Ok;
}

}  // namespace

void add_compare(CLI::App& app, Action& action, std::vector<std::string> flags) {
  auto options = std::make_shared<CompareOptions>();
  options->flags = std::move(flags);
  CLI::App* command = add_command(
      app, "compare", "Compares two kernels, flags, GPUs or versions, and explains the difference");
  command->add_option("a", options->a, "a file with GPU code, in any form that explain accepts")->required();
  command->add_option("b", options->b, "another one; without it, the same file");
  command->add_option("--gpu", options->gpu, "a GPU for both, or one for each: mi300x,mi355x");
  command->add_option("--kernel", options->kernel, "a kernel of both, or one of each: NAME_A,NAME_B");
  command->add_option("--flags-a", options->flags_a,
                      "flags for the compiler, for A only: --flags-a=\"-O2 -DTILE=64\"");
  command->add_option("--flags-b", options->flags_b, "the same for B");
  command->add_flag("-v,--verbose", options->verbose, "every loop, line and instruction that differs");
  command->add_flag("--json", options->json, "everything, as JSON");
  command->add_option("--html", options->html,
                      "write everything as a page that needs no network and no script");
  teach(*command,
        "  wavesmith compare old.hip new.hip --kernel gemm            two versions: what changed, and why it "
        "matters\n"
        "  wavesmith compare gemm.hip --flags-a=-O2 --flags-b=-O3     two sets of flags; flags for both "
        "after --\n"
        "  wavesmith compare gemm.hip --gpu mi300x,mi355x             one kernel on two GPUs\n"
        "  wavesmith compare a.s b.s --kernel tuned,plain -v          two kernels, line by line\n"
        "  wavesmith compare old.co new.co --html difference.html\n");
  command->callback([options, &action] { action = [options] { return compare_files(*options); }; });
}

}  // namespace wavesmith::cli
