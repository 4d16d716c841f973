// `wavesmith explain --html`: from what the analysis says to a page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/explain/explain.h"
#include "cli/terminal.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using analysis::kNone;
using report::Tag;
using report::Value;

/// Kernels with a listing each; the others have their figures.
constexpr size_t kMostListings = 8;

std::string text_of(const std::optional<study::LoopTime>& time) {
  return time ? study::number_text(time->cycles) : "unknown";
}

report::Level level_of(analysis::Severity severity) {
  return severity == analysis::Severity::Warning ? report::Level::Warning
         : severity == analysis::Severity::Hint  ? report::Level::Hint
                                                 : report::Level::Note;
}

class SectionMaker {
 public:
  SectionMaker(const analysis::KernelAnalysis& kernel, const gpus::Gpu& gpu, bool listing)
      : kernel_(kernel), gpu_(gpu), has_listing_(listing) {}

  report::Section make() {
    section_.title = study::readable(kernel_.name);
    section_.subtitle = fmt::format(
        "{} ({}), {}{}", gpu_.name, kernel_.target, section_.title == kernel_.name ? "" : kernel_.name + ", ",
        fmt::format("wave{}, workgroups of {}", kernel_.resources.wave_size, kernel_.resources.workgroup));
    tiles();
    findings();
    loop_charts();
    if (has_listing_) section_.listing = listing_of(kernel_);
    what_if();
    loops();
    waits();
    accesses();
    mix();
    blocks();
    unknowns();
    return std::move(section_);
  }

 private:
  [[nodiscard]] Value place(uint32_t instruction) const {
    return {study::place_of(kernel_, instruction), {}, instruction, {}};
  }

  void tiles() {
    const analysis::Resources& r = kernel_.resources;
    const auto& o = kernel_.occupancy;
    section_.tiles.push_back(
        {"Occupancy",
         {fmt::format("{} of {} waves per SIMD", o.now.waves_per_simd, gpu_.waves_per_simd), Tag::Derived},
         fmt::format("limited by {}{}{}", gpus::name_of(o.now.limiter), o.next.empty() ? "" : "; ",
                     analysis::text_of(o.next)),
         static_cast<double>(o.now.waves_per_simd) / std::max(1u, gpu_.waves_per_simd)});
    section_.tiles.push_back(
        {"VGPRs",
         {fmt::format("{}{}", r.used.vgprs, r.used.agprs ? fmt::format(" and {} AGPRs", r.used.agprs) : ""),
          Tag::Read},
         kernel_.live_peak_at == kNone
             ? ""
             : fmt::format("at most {} live, at {}", kernel_.live_peak.vgprs + kernel_.live_peak.agprs,
                           study::place_of(kernel_, kernel_.live_peak_at)),
         static_cast<double>(r.vgprs_total) / std::max(1u, gpu_.vgprs_per_wave)});
    section_.tiles.push_back({"SGPRs", {std::to_string(r.used.sgprs), Tag::Read}, "", {}});
    section_.tiles.push_back({"LDS",
                              {bytes_text(r.lds_bytes), Tag::Read},
                              fmt::format("of {} per workgroup{}", bytes_text(gpu_.lds_bytes),
                                          r.dynamic_lds ? "; more when it is launched" : ""),
                              static_cast<double>(r.lds_bytes) / std::max(1u, gpu_.lds_bytes)});
    section_.tiles.push_back({"Spills",
                              {fmt::format("{} VGPRs, {} SGPRs", r.vgpr_spills, r.sgpr_spills), Tag::Read},
                              fmt::format("{} of scratch per lane", bytes_text(r.scratch_bytes)),
                              {}});
    section_.tiles.push_back({"Code",
                              {fmt::format("{} instructions", kernel_.mix.total), Tag::Read},
                              fmt::format("{}; the instruction cache has {}", bytes_text(r.code_bytes),
                                          bytes_text(gpu_.l1_instruction_bytes)),
                              gpu_.l1_instruction_bytes ? std::optional(static_cast<double>(r.code_bytes) /
                                                                        gpu_.l1_instruction_bytes)
                                                        : std::nullopt});
    if (const uint32_t hot = study::hot_loop(kernel_); hot != kNone) {
      const analysis::Loop& loop = kernel_.loops[hot];
      const auto time = study::loop_time(kernel_, loop);
      const uint32_t first = kernel_.blocks[loop.header].begin;
      section_.tiles.push_back(
          {"Hot loop",
           {time ? text_of(time) + " cycles per pass" : "cycles unknown",
            time ? std::optional(Tag::Modelled) : std::nullopt,
            first,
            {}},
           study::place_of(kernel_, loop) + "; trips: " + study::trips_text(loop) +
               (time                                  ? ", bound by " + study::bound_of(kernel_, loop).text
                : loop.cycles.unknown_because.empty() ? ""
                                                      : ", because " + loop.cycles.unknown_because),
           {}});
    }
    if (const study::Total total = study::total_of(kernel_); !kernel_.loops.empty())
      section_.tiles.push_back(
          {"Whole wave",
           {total.cycles             ? study::number_text(std::round(*total.cycles)) + " cycles"
            : !total.formula.empty() ? total.formula + " cycles"
                                     : "unknown",
            total.cycles || !total.formula.empty() ? std::optional(Tag::Modelled) : std::nullopt,
            kNone,
            {}},
           total.unknown_because.empty() ? "of its SIMD, each block outside of loops once"
                                         : "because " + total.unknown_because,
           {}});
  }

  void findings() {
    if (kernel_.findings.empty()) section_.findings_note = "None of the rules found anything.";
    for (const analysis::Finding& finding : kernel_.findings) {
      report::Finding out{level_of(finding.severity), finding.title,           {}, finding.evidence,
                          finding.experiment,         finding.unknown_because, {}};
      if (const std::string gain = gain_text(finding); !gain.empty())
        out.gain = {gain, finding.gain_percent.value ? finding.gain_percent.tag : finding.gain_cycles.tag};
      else if (!finding.gain_percent.unknown_because.empty())
        out.gain = {"gain unknown, because " + finding.gain_percent.unknown_because};
      constexpr size_t kMostPlaces = 8;
      for (const analysis::Location& where : finding.where)
        if (where.first != kNone && out.where.size() < kMostPlaces) out.where.push_back(place(where.first));
      section_.findings.push_back(std::move(out));
    }
  }

  void loop_charts() {
    report::BarChart chart{
        "What a pass of each loop keeps busy",
        "One wave's cycles of each pipe. Pipes work side by side, so the longest part, not the sum, bounds "
        "many waves; the number at the end is a wave's share on a SIMD at this occupancy.",
        "cycles",
        Tag::Modelled,
        {}};
    for (const analysis::Loop& loop : kernel_.loops) {
      const auto time = study::loop_time(kernel_, loop);
      if (!time) continue;
      report::Bar bar{
          {study::place_of(kernel_, loop), {}, kernel_.blocks[loop.header].begin, {}}, {}, text_of(time)};
      for (const auto& [pipe, busy] : study::busiest(loop.cycles))
        bar.parts.push_back({std::string(isa::name_of(pipe)), busy, false});
      chart.bars.push_back(std::move(bar));
    }
    if (!chart.bars.empty()) section_.charts.push_back(std::move(chart));
  }

  /// What each number of waves would ask for, and what the hot loop would take then.
  void what_if() {
    const gpus::KernelResources now = kernel_.occupancy.resources;
    const uint32_t hot = study::hot_loop(kernel_);
    report::Table table{
        "What if",
        "What a kernel may take at most for so many waves per SIMD, all else the same; and a pass of the hot "
        "loop then, where L2 serves its loads and where the memory behind all caches does.",
        {"waves per SIMD", "VGPRs at most", "LDS at most", "hot loop, cycles per pass, from L2",
         "from memory", ""},
        {0, 1, 2, 3, 4},
        {},
        false};
    for (uint32_t waves = 1; waves <= gpu_.waves_per_simd; ++waves) {
      const auto most = [&](uint32_t gpus::KernelResources::* member, uint32_t step, uint32_t limit,
                            uint32_t gpus::Occupancy::* by) {
        uint32_t best = 0;
        for (uint32_t value = step; value <= limit; value += step) {
          gpus::KernelResources asked = now;
          asked.*member = value;
          if (gpus::occupancy(gpu_, asked).*by >= waves) best = value;
        }
        return best;
      };
      const uint32_t vgprs = most(&gpus::KernelResources::vgprs, std::max(1u, gpu_.vgpr_granule),
                                  gpu_.vgprs_per_wave, &gpus::Occupancy::by_vgprs);
      const uint32_t lds = most(&gpus::KernelResources::lds_bytes, std::max(1u, gpu_.lds_granule),
                                gpu_.lds_per_workgroup, &gpus::Occupancy::by_lds);
      const auto pass_cycles = [&](analysis::ServedBy by) {
        // Of some GPUs nobody has published how long a load from memory takes; and where memory was taken to
        // serve, L2 was not looked at.
        const bool known =
            hot != kNone && study::loop_time(kernel_, kernel_.loops[hot]) &&
            (by == analysis::ServedBy::L2 ? kernel_.served_by == by
                                          : kernel_.loops[hot].cycles.exposed_memory.has_value());
        if (!known) return Value{"unknown"};
        return Value{
            study::number_text(study::cycles_with(study::pass_of(kernel_, kernel_.loops[hot], by), waves)),
            Tag::Modelled};
      };
      table.rows.push_back({{std::to_string(waves)},
                            {vgprs ? std::to_string(vgprs) : "cannot", Tag::Derived},
                            {lds ? bytes_text(lds) : "cannot", Tag::Derived},
                            pass_cycles(analysis::ServedBy::L2),
                            pass_cycles(analysis::ServedBy::Memory),
                            {waves == kernel_.occupancy.now.waves_per_simd ? "now" : ""}});
    }
    section_.tables.push_back(std::move(table));
  }

  void loops() {
    if (kernel_.loops.empty()) return;
    report::Table table{"Loops",
                        "Cycles are modelled, the rest is derived.",
                        {"loop", "lines", "depth", "trips", "instructions", "bytes", "most live", "issue",
                         "a wave alone", "busiest pipe", "at this occupancy", "bound"},
                        {0, 2, 3, 4, 5, 7, 8, 9, 10},
                        {},
                        false};
    for (size_t i = 0; i < kernel_.loops.size(); ++i) {
      const analysis::Loop& loop = kernel_.loops[i];
      const auto time = study::loop_time(kernel_, loop);
      const auto cycles = [&](double value) {
        return Value{time ? study::number_text(value) : "unknown", {}, kNone, loop.cycles.unknown_because};
      };
      table.rows.push_back({{std::to_string(i)},
                            {study::place_of(kernel_, loop), {}, kernel_.blocks[loop.header].begin, {}},
                            {std::to_string(loop.depth)},
                            {study::trips_text(loop), {}, kNone, loop.trips.unknown_because},
                            {std::to_string(loop.mix.total)},
                            {std::to_string(loop.bytes)},
                            {registers_text(loop.live_peak)},
                            cycles(loop.cycles.issue),
                            cycles(loop.cycles.one_wave),
                            cycles(loop.cycles.throughput),
                            {text_of(time)},
                            {study::bound_of(kernel_, loop).text}});
    }
    section_.tables.push_back(std::move(table));
  }

  void waits() {
    if (kernel_.waits.empty()) return;
    report::Table table{
        "Waits",
        "Slack: cycles between the issue of the youngest access that is waited for and the wait, a wave "
        "alone; modelled.",
        {"at", "address", "counter", "leaves", "waits for", "instructions between", "slack", "could leave",
         "remark"},
        {3, 5, 6, 7},
        {},
        false};
    for (const analysis::Wait& wait : kernel_.waits) {
      if (wait.instruction >= kernel_.instructions.size()) continue;
      Value for_;
      if (!wait.for_.empty() && wait.for_.front() < kernel_.instructions.size()) {
        for_ = place(wait.for_.front());
        for_.text =
            fmt::format("{:x} {}{}", kernel_.instructions[wait.for_.front()].pc,
                        kernel_.instructions[wait.for_.front()].mnemonic,
                        wait.for_.size() > 1 ? fmt::format(" and {} more", wait.for_.size() - 1) : "");
      }
      table.rows.push_back({place(wait.instruction),
                            {fmt::format("{:x}", kernel_.instructions[wait.instruction].pc)},
                            {std::string(analysis::name_of(wait.counter))},
                            {std::to_string(wait.value)},
                            for_,
                            {std::to_string(wait.between)},
                            {study::figure_text(wait.slack), {}, kNone, wait.slack.unknown_because},
                            {wait.could_be == kNone ? "" : std::to_string(wait.could_be)},
                            {wait.redundant ? "redundant" : wait.unknown_because}});
    }
    section_.tables.push_back(std::move(table));
  }

  void accesses() {
    if (kernel_.accesses.empty()) return;
    report::Table table{
        "Memory accesses",
        "Cycles of LDS and cache lines are of a full wave; modelled from the addresses, where these are "
        "affine.",
        {"at", "instruction", "bytes per lane", "stride", "LDS cycles", "at best", "cache lines", "at best",
         "unknown, because"},
        {2, 3, 4, 5, 6, 7},
        {},
        false};
    const auto figure = [](const analysis::Figure& f) {
      return Value{f.value ? study::number_text(*f.value) : ""};
    };
    for (const analysis::AccessPattern& access : kernel_.accesses) {
      if (access.instruction >= kernel_.instructions.size()) continue;
      table.rows.push_back({place(access.instruction),
                            {kernel_.instructions[access.instruction].mnemonic},
                            {std::to_string(access.bytes)},
                            {access.affine ? std::to_string(access.stride) : ""},
                            figure(access.cycles),
                            figure(access.ideal_cycles),
                            figure(access.lines),
                            figure(access.ideal_lines),
                            {access.unknown_because}});
    }
    section_.tables.push_back(std::move(table));
  }

  void mix() {
    report::Table table{"Instructions by pipe",
                        "Counted in the code, each once; derived.",
                        {"pipe", "whole kernel", "hot loop"},
                        {1, 2},
                        {},
                        true};
    const uint32_t hot = study::hot_loop(kernel_);
    for (size_t i = 0; i < kernel_.mix.count.size(); ++i)
      if (kernel_.mix.count[i] > 0)
        table.rows.push_back({{std::string(isa::name_of(static_cast<isa::Pipe>(i)))},
                              {std::to_string(kernel_.mix.count[i])},
                              {hot == kNone ? "" : std::to_string(kernel_.loops[hot].mix.count[i])}});
    section_.tables.push_back(std::move(table));
  }

  void blocks() {
    report::Table table{"Blocks",  "", {"block", "at", "address", "instructions", "loop", "goes to"},
                        {0, 3, 4}, {}, true};
    for (size_t i = 0; i < kernel_.blocks.size(); ++i) {
      const analysis::Block& block = kernel_.blocks[i];
      if (block.begin >= kernel_.instructions.size()) continue;
      table.rows.push_back({{std::to_string(i)},
                            place(block.begin),
                            {fmt::format("{:x}", kernel_.instructions[block.begin].pc)},
                            {std::to_string(block.end - block.begin)},
                            {block.loop == kNone ? "" : std::to_string(block.loop)},
                            {fmt::format("{}", fmt::join(block.successors, ", "))}});
    }
    section_.tables.push_back(std::move(table));
  }

  void unknowns() {
    if (kernel_.unknown.empty()) return;
    report::Table table{"Unknown", "", {"at", "what", "because"}, {}, {}, false};
    for (const analysis::Unknown& unknown : kernel_.unknown)
      table.rows.push_back({unknown.instruction == kNone ? Value{""} : place(unknown.instruction),
                            {unknown.what},
                            {unknown.because}});
    section_.tables.push_back(std::move(table));
  }

  const analysis::KernelAnalysis& kernel_;
  const gpus::Gpu& gpu_;
  bool has_listing_;
  report::Section section_;
};

}  // namespace

report::Section section_of(const analysis::KernelAnalysis& kernel, const gpus::Gpu& gpu, bool listing) {
  return SectionMaker(kernel, gpu, listing).make();
}

report::Page page_of(const ExplainedFile& file) {
  const study::Code& code = file.analysed.code;
  const std::string name = std::filesystem::path(file.path).filename().string();
  report::Page page{fmt::format("{} on {}", name, code.gpu->name),
                    fmt::format("wavesmith explain: {}, {}", name_of(code.form), code.target),
                    {},
                    {}};
  for (size_t i = 0; i < file.analysed.kernels.size(); ++i)
    page.sections.push_back(section_of(file.analysed.kernels[i], *code.gpu, i < kMostListings));
  if (file.analysed.kernels.size() > kMostListings)
    page.notes.push_back(
        fmt::format("Only the first {} kernels are shown with their instructions; --kernel chooses others.",
                    kMostListings));
  for (const Error& error : file.analysed.refused) page.notes.push_back("Left out: " + error.text());
  return page;
}

}  // namespace wavesmith::cli
