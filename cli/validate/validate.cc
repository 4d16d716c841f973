// `wavesmith validate`: how wrong the models have been, recomputed here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/file.h"
#include "cli/terminal.h"
#include "gpus/gpu.h"
#include "validate/families/family.h"
#include "validate/gemm/fit.h"
#include "validate/markdown.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;
using validate::Case;
using validate::FamilyReport;
using validate::Stratum;
using validate::Summary;

ordered_json number_json(double value) {
  return std::isnan(value) ? ordered_json(nullptr) : ordered_json(value);
}

ordered_json json_of(const std::vector<FamilyReport>& reports) {
  ordered_json summary = ordered_json::array(), families = ordered_json::array();
  for (const FamilyReport& report : reports) {
    for (const Summary& each : report.summary)
      summary.push_back({{"name", each.name}, {"value", number_json(each.value)}, {"n", each.n}});
    ordered_json strata = ordered_json::array(), worst = ordered_json::array();
    for (const Stratum& each : report.strata)
      strata.push_back({{"name", each.name},
                        {"n", each.n},
                        {"median", number_json(each.median)},
                        {"mean", number_json(each.mean)},
                        {"p90", number_json(each.p90)},
                        {"roofline_median", number_json(each.baseline)},
                        {"origami_median", number_json(each.origami)},
                        {"origami_n", each.origami_n}});
    for (const Case& each : report.worst)
      worst.push_back({{"gpu", each.gpu},
                       {"case", each.label},
                       {"where", each.where},
                       {"measured", number_json(each.measured)},
                       {"predicted", number_json(each.predicted)},
                       {"roofline", number_json(each.baseline)},
                       {"note", each.note}});
    families.push_back({{"family", report.family},
                        {"method", report.method},
                        {"strata", strata},
                        {"worst", worst},
                        {"constants", report.constants},
                        {"notes", report.notes}});
  }
  return {{"summary", summary}, {"families", families}};
}

std::string percent(double value) { return std::isnan(value) ? "" : fmt::format("{:.1f} %", value * 100); }

void print(const FamilyReport& report, bool verbose) {
  fmt::print("{}\n", styled(report.family, Style::Strong));
  Table table({"stratum", "n", "median", "mean", "90 %", "roofline", "origami"});
  for (size_t column = 1; column < 7; ++column) table.align_right(column);
  for (const Stratum& each : report.strata)
    table.add({each.name, fmt::to_string(each.n), percent(each.median), percent(each.mean), percent(each.p90),
               percent(each.baseline), percent(each.origami)});
  table.print();
  if (verbose) {
    fmt::print("\nWorst cases\n");
    Table worst({"GPU", "case", "measured", "predicted", "bound"});
    worst.align_right(2);
    worst.align_right(3);
    for (const Case& each : report.worst)
      worst.add({each.gpu, each.label, fmt::format("{:.3g}", each.measured),
                 fmt::format("{:.3g}", each.predicted), each.note});
    worst.print();
    for (const std::string& note : report.notes) fmt::print("{}\n", note);
  }
  for (const Summary& each : report.summary)
    fmt::print("{} = {:.4f} (n = {})\n", each.name, each.value, each.n);
  fmt::print("\n");
}

struct Options {
  std::vector<std::string> families, data;
  std::string markdown, judged, against, gpu;
  bool json = false, verbose = false;
  std::optional<std::string> fit;
};

/// What is to be judged: the project's data, or those that the user gives.
Result<validate::Data> data_of(const Options& options) {
  validate::Data data;
  if (!options.data.empty()) {
    Result<validate::Data> files = validate::Data::from_files(options.data);
    if (!files) return files;
    data = *std::move(files);
  }
  if (!options.against.empty())
    if (const Result<void> read = data.compare_with(options.against); !read)
      return tl::unexpected(read.error());
  if (!options.gpu.empty()) {
    const Result<const gpus::Gpu*> gpu = gpus::find_gpu(options.gpu);
    if (!gpu) return tl::unexpected(gpu.error());
    data.set_target((*gpu)->target);
  }
  return data;
}

/// The families of these names; all of them, where none is named.
Result<std::vector<const validate::Family*>> families_named(const std::vector<std::string>& names) {
  std::vector<const validate::Family*> chosen;
  for (const std::string& name : names) {
    const validate::Family* const family = validate::find_family(name);
    if (family == nullptr) {
      std::string known;
      for (const validate::Family& each : validate::families()) known += " " + std::string(each.name);
      return fail(ErrorKind::NotFound, "no family '" + name + "'", {}, "there are:" + known);
    }
    chosen.push_back(family);
  }
  if (chosen.empty())
    for (const validate::Family& each : validate::families()) chosen.push_back(&each);
  return chosen;
}

Result<std::vector<FamilyReport>> judge(const std::vector<const validate::Family*>& families,
                                        validate::Data& data, Progress& progress) {
  std::vector<FamilyReport> reports;
  for (const validate::Family* family : families) {
    if (std::ranges::none_of(family->tables, [&](validate::TableKind kind) { return data.has(kind); }))
      continue;
    Result<FamilyReport> judged = family->judge(data);
    if (!judged) return tl::unexpected(judged.error());
    reports.push_back(*std::move(judged));
    progress.step(fmt::format("{} of {} families judged", reports.size(), families.size()));
  }
  progress.clear();
  return reports;
}

Exit validate_models(const Options& options) {
  Progress progress("wavesmith validate");
  Result<validate::Data> data = data_of(options);
  if (!data) return report(data.error());
  data->set_progress([&progress](const std::string& what) { progress.step(what); });
  if (options.fit) {
    const Result<std::string> table = validate::fit_gemm(*data, {.only = *options.fit});
    if (!table) return report(table.error());
    fmt::print("{}", *table);
    return Exit::Ok;
  }
  const auto families = families_named(options.families);
  if (!families) return report(families.error());
  const auto reports = judge(*families, *data, progress);
  if (!reports) return report(reports.error());
  if (!options.judged.empty())
    if (const auto written = write_text(options.judged, validate::judged_source(*reports)); !written)
      return report(written.error());
  if (!options.markdown.empty()) {
    const std::vector<uint8_t> before = read_file(options.markdown).value_or(std::vector<uint8_t>());
    const std::string text = validate::markdown(*reports, std::string(before.begin(), before.end()));
    if (const auto written = write_text(options.markdown, text); !written) return report(written.error());
  }
  if (options.json) {
    fmt::print("{}\n", json_of(*reports).dump(2));
  } else {
    for (const FamilyReport& each : *reports) print(each, options.verbose);
  }
  return Exit::Ok;
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "validate", "Recomputes how wrong the models have been, from measured data");
  command->add_option("family", options->families, "what to judge (default: every family in the data)");
  command
      ->add_option("--data", options->data,
                   "your own CSV (or .csv.gz), with the columns of one of our tables; all of its rows count")
      ->type_name("FILE");
  command
      ->add_option("--against", options->against,
                   "compare statistics of a thread trace with this file, which `profile --statistics` wrote")
      ->type_name("FILE");
  command->add_option("--gpu", options->gpu, "the GPU of such statistics, where they are judged alone");
  command->add_option("--markdown", options->markdown, "also write the tables as Markdown (docs/ACCURACY.md)")
      ->type_name("FILE");
  command
      ->add_option("--judged", options->judged,
                   "also write the medians that predictions carry, as source (model/judged_table.cc)")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "as JSON; 'summary' is a list of {name, value, n}");
  command->add_flag("--verbose,-v", options->verbose, "also the worst twenty cases, and excluded rows");
  command
      ->add_option(
          "--fit", options->fit,
          "refit the constants of matrix multiplication on half A and print the rows of their tables; SET: only sets whose name contains it")
      ->type_name("SET")
      ->expected(0, 1);
  teach(*command,
        "  wavesmith validate                        everything\n"
        "  wavesmith validate gemm -v                one family, with its worst cases\n"
        "  wavesmith validate --data mine.csv        rows that the models have never seen\n"
        "  wavesmith validate --data stats_ui_output_agent_1_dispatch_2.csv --against ours.csv\n"
        "                                            rocprofv3's thread trace against profile --statistics\n"
        "  wavesmith validate --json | jq .summary   for scripts\n");
  command->callback([options, &action] { action = [options] { return validate_models(*options); }; });
}

}  // namespace wavesmith::cli
