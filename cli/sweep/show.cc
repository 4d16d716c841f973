// The faces of `wavesmith sweep`: text, JSON and a page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "cli/sweep/show.h"
#include "cli/terminal.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;

/// A time against the baseline's, which is 1.
std::string change_text(double time) {
  if (time <= 0) return "unknown";
  return std::abs(time - 1) < 5e-4 ? "0 %" : fmt::format("{:+.1f} %", 100 * (time - 1));
}

uint64_t code_bytes(const analysis::KernelAnalysis& kernel) {
  uint64_t bytes = 0;
  for (const analysis::Instruction& one : kernel.instructions) bytes += one.size;
  return bytes;
}

std::string registers(const analysis::KernelAnalysis& kernel) {
  const analysis::Registers& used = kernel.resources.used;
  return used.agprs ? fmt::format("{}+{}", used.vgprs, used.agprs) : std::to_string(used.vgprs);
}

std::string spills(const analysis::KernelAnalysis& kernel) {
  const auto& r = kernel.resources;
  if (!r.vgpr_spills && !r.sgpr_spills && !r.scratch_bytes) return "";
  return fmt::format("{} VGPRs, {} SGPRs, {} B", r.vgpr_spills, r.sgpr_spills, r.scratch_bytes);
}

std::vector<std::string> names(const study::Sweep& sweep, const std::vector<uint32_t>& trials) {
  std::vector<std::string> out;
  for (const uint32_t i : trials) out.push_back(sweep.trials[i].knob.name);
  return out;
}

/// The other settings that gave the same code as the trial.
std::vector<std::string> twins(const study::Sweep& sweep, uint32_t trial) {
  std::vector<std::string> out;
  for (uint32_t i = 0; i < sweep.trials.size(); ++i)
    if (i != trial && sweep.trials[i].kernel && sweep.trials[i].same_as == trial)
      out.push_back(sweep.trials[i].knob.name);
  return out;
}

}  // namespace

void print_sweep(const study::Sweep& sweep, bool verbose) {
  fmt::print("{}\n", styled(fmt::format("{} for {} ({})", sweep.kernel, sweep.gpu->name, sweep.gpu->target),
                            Style::Strong));
  fmt::print("{} settings in {:.1f} s: {} did nothing, {} did not compile, {} changed the results\n",
             sweep.trials.size() - 1 - sweep.combinations, sweep.seconds, sweep.idle.size(),
             sweep.failed.size(), sweep.changed.size());
  fmt::print("ranked by {}\n", sweep.ranking);
  if (sweep.simulated) fmt::print("{} runs under the cycle model; {}\n", sweep.simulations, sweep.checked);
  if (sweep.combinations) fmt::print("{} more builds try together what helps alone\n", sweep.combinations);
  const size_t most = verbose ? sweep.ranked.size() : 10;
  Table table({"setting", "time", sweep.simulated ? "kernel" : "", "static", "waves", "VGPRs", "spills",
               "code", "compile", verbose ? "what it does" : ""});
  for (const size_t column : {1, 2, 3, 4, 5, 7, 8}) table.align_right(column);
  size_t shown = 0;
  bool baseline = false;
  for (const uint32_t i : sweep.ranked) {
    if (shown == most && baseline) break;
    if (shown >= most && i != 0) continue;
    ++shown;
    baseline |= i == 0;
    const study::Trial& trial = sweep.trials[i];
    const auto same = twins(sweep, i);
    table.add({trial.knob.name + (i && !same.empty() ? fmt::format(" (and {})", fmt::join(same, ", ")) : ""),
               change_text(trial.time), trial.kernel_seconds ? time_text(*trial.kernel_seconds) : "",
               change_text(trial.static_time), std::to_string(trial.kernel->occupancy.now.waves_per_simd),
               registers(*trial.kernel), spills(*trial.kernel),
               fmt::format("{} B", code_bytes(*trial.kernel)), fmt::format("{:.2f} s", trial.seconds),
               verbose ? trial.knob.what : ""});
  }
  table.print();
  fmt::print(
      "{}\n",
      styled(fmt::format("  {}static: the hot loop for the same work [modelled], waves [derived], registers "
                         "[read], compile [measured]",
                         sweep.simulated ? "time, kernel: by simulation [modelled]; " : ""),
             Style::Faint));
  if (shown < sweep.ranked.size()) fmt::print("  and {} more: --verbose\n", sweep.ranked.size() - shown);
  if (!sweep.ranked.empty() && sweep.ranked.front() != 0 && sweep.trials[sweep.ranked.front()].time < 0.999) {
    const study::Trial& best = sweep.trials[sweep.ranked.front()];
    fmt::print("best: {}: {} {}\n", styled(best.knob.how(), Style::Good),
               sweep.simulated ? time_text(*best.kernel_seconds) + "," : "", change_text(best.time));
    if (!best.verdict.empty()) fmt::print("  its code: {}\n", best.verdict);
  } else {
    fmt::print("best: the baseline\n");
  }
  for (const uint32_t i : sweep.changed)
    fmt::print("changed the results: {}: {}\n", sweep.trials[i].knob.name, sweep.trials[i].refused);
  if (verbose) {
    fmt::print("did nothing: {}\n", fmt::join(names(sweep, sweep.idle), ", "));
    for (const uint32_t i : sweep.failed)
      fmt::print("did not compile: {}: {}\n", sweep.trials[i].knob.name, sweep.trials[i].failure);
  }
}

ordered_json json_of(const study::Sweep& sweep) {
  ordered_json out{{"kernel", sweep.kernel},
                   {"gpu", sweep.gpu->id},
                   {"target", sweep.gpu->target},
                   {"seconds", sweep.seconds},
                   {"ranked_by", sweep.simulated ? "simulation" : "static cycles"},
                   {"ranking", sweep.ranking},
                   {"checked", sweep.checked},
                   {"simulations", sweep.simulations},
                   {"combinations", sweep.combinations},
                   {"ranked", names(sweep, sweep.ranked)},
                   {"idle", names(sweep, sweep.idle)},
                   {"failed", names(sweep, sweep.failed)},
                   {"changed", names(sweep, sweep.changed)},
                   {"trials", ordered_json::array()}};
  for (const study::Trial& trial : sweep.trials) {
    ordered_json entry{{"name", trial.knob.name},
                       {"group", trial.knob.group},
                       {"how", trial.knob.how()},
                       {"what", trial.knob.what},
                       {"compile_seconds", trial.seconds}};
    if (!trial.kernel) {
      entry["failure"] = trial.failure;
    } else {
      const analysis::KernelAnalysis& kernel = *trial.kernel;
      entry["same_as"] = sweep.trials[trial.same_as].knob.name;
      entry["time"] = {{"value", trial.time > 0 ? ordered_json(trial.time) : ordered_json()},
                       {"tag", "modelled"}};
      entry["static_time"] = {
          {"value", trial.static_time > 0 ? ordered_json(trial.static_time) : ordered_json()},
          {"tag", "modelled"}};
      if (trial.kernel_seconds)
        entry["kernel_seconds"] = {{"value", *trial.kernel_seconds}, {"tag", "modelled"}};
      if (!trial.refused.empty()) entry[trial.changed ? "changed" : "refused"] = trial.refused;
      entry["verdict"] = trial.verdict;
      entry["waves_per_simd"] = kernel.occupancy.now.waves_per_simd;
      entry["vgprs"] = kernel.resources.used.vgprs;
      entry["agprs"] = kernel.resources.used.agprs;
      entry["sgprs"] = kernel.resources.used.sgprs;
      entry["vgpr_spills"] = kernel.resources.vgpr_spills;
      entry["scratch_bytes"] = kernel.resources.scratch_bytes;
      entry["instructions"] = kernel.mix.total;
      entry["code_bytes"] = code_bytes(kernel);
    }
    out["trials"].push_back(std::move(entry));
  }
  return out;
}

report::Page page_of(const study::Sweep& sweep, const std::string& path) {
  using report::Tag;
  report::Page page{
      fmt::format("{} under the compiler's knobs", std::filesystem::path(path).filename().string()),
      fmt::format("wavesmith sweep: {} ({})", sweep.gpu->name, sweep.gpu->target),
      {},
      {}};
  report::Section section;
  section.title = sweep.kernel;
  section.subtitle =
      fmt::format("{} settings: {} gave code of their own, {} did nothing, {} did not compile",
                  sweep.trials.size() - 1, sweep.ranked.size() - 1, sweep.idle.size(), sweep.failed.size());
  report::BarChart chart{
      sweep.simulated ? "The kernel's time under the cycle model" : "The hot loop's time for the same work",
      "The baseline is 100.",
      "% of the baseline",
      Tag::Modelled,
      {}};
  report::Table table{
      "Settings",
      fmt::format("Time is {}; compile times are not in this page, so that it is the same each time.",
                  sweep.simulated ? "the cycle model's, of the kernel"
                                  : "of the hot loop for the same work, with memory answering at once"),
      {"setting", "time", "waves", "VGPRs", "spills", "instructions", "how", "what it does"},
      {1, 2, 3, 5},
      {},
      false};
  for (const uint32_t i : sweep.ranked) {
    const study::Trial& trial = sweep.trials[i];
    const auto same = twins(sweep, i);
    if (trial.time > 0)
      chart.bars.push_back(
          {{trial.knob.name}, {{"time", 100 * trial.time}}, fmt::format("{:.1f}", 100 * trial.time)});
    table.rows.push_back(
        {{trial.knob.name + (i && !same.empty() ? fmt::format(" (and {})", fmt::join(same, ", ")) : "")},
         {change_text(trial.time), Tag::Modelled},
         {std::to_string(trial.kernel->occupancy.now.waves_per_simd), Tag::Derived},
         {registers(*trial.kernel), Tag::Read},
         {spills(*trial.kernel)},
         {std::to_string(trial.kernel->mix.total)},
         {trial.knob.how()},
         {trial.knob.what}});
  }
  section.charts.push_back(std::move(chart));
  section.tables.push_back(std::move(table));
  report::Table idle{"What did nothing",
                     "The baseline's code, instruction for instruction.",
                     {"setting", "how"},
                     {},
                     {},
                     true};
  for (const uint32_t i : sweep.idle)
    idle.rows.push_back({{sweep.trials[i].knob.name}, {sweep.trials[i].knob.how()}});
  if (!idle.rows.empty()) section.tables.push_back(std::move(idle));
  report::Table failed{"What did not compile", "", {"setting", "because"}, {}, {}, true};
  for (const uint32_t i : sweep.failed)
    failed.rows.push_back({{sweep.trials[i].knob.name}, {sweep.trials[i].failure}});
  if (!failed.rows.empty()) section.tables.push_back(std::move(failed));
  page.sections.push_back(std::move(section));
  return page;
}

}  // namespace wavesmith::cli
