// `wavesmith explain` for people: a summary that fits a screen, and everything behind it with --verbose.
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

std::string faint(std::string_view text) { return styled(text, Style::Faint); }
std::string tag(analysis::Tag tag) { return faint(fmt::format(" [{}]", gpus::name_of(tag))); }

/// At most `most` letters; the middle of a word may be lost, the ends tell kernels apart.
std::string clipped(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  const size_t tail = most / 3;
  return text.substr(0, most - tail - 3) + "..." + text.substr(text.size() - tail);
}

std::string mix_text(const analysis::Mix& mix, size_t most) {
  std::vector<std::pair<uint32_t, isa::Pipe>> parts;
  for (size_t i = 0; i < mix.count.size(); ++i)
    if (mix.count[i] > 0) parts.emplace_back(mix.count[i], static_cast<isa::Pipe>(i));
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> words;
  for (const auto& [count, pipe] : parts)
    if (words.size() < most) words.push_back(fmt::format("{} {}", isa::name_of(pipe), count));
  return fmt::format("{}{}", fmt::join(words, ", "), parts.size() > most ? ", ..." : "");
}

std::string pipes_text(const analysis::Cycles& cycles, size_t most) {
  std::vector<std::string> words;
  for (const auto& [pipe, busy] : study::busiest(cycles))
    if (words.size() < most)
      words.push_back(fmt::format("{} {}", isa::name_of(pipe), study::number_text(busy)));
  return fmt::format("{}", fmt::join(words, ", "));
}

class Summary {
 public:
  Summary(const analysis::KernelAnalysis& kernel, const gpus::Gpu& gpu) : gpu_(gpu), kernel_(kernel) {}

  void print() const {
    resources();
    occupancy();
    code();
    hot();
    total();
    findings();
  }

 private:
  static void line(std::string_view label, const std::string& text) {
    fmt::print("  {}{}\n", styled(fmt::format("{:<12}", label), Style::Strong), text);
  }

  void resources() const {
    const analysis::Resources& r = kernel_.resources;
    std::string spills = "no spills";
    if (r.vgpr_spills || r.sgpr_spills)
      spills = styled(fmt::format("{} VGPRs and {} SGPRs spilled", r.vgpr_spills, r.sgpr_spills), Style::Bad);
    if (r.scratch_bytes)
      spills += styled(fmt::format(", {} B of scratch per lane", r.scratch_bytes), Style::Warning);
    line("registers", fmt::format("{}; {}{}", registers_text(r.used), spills, tag(analysis::Tag::Read)));
    if (kernel_.live_peak_at != kNone)
      line("", fmt::format("at most {} live, at {}{}", registers_text(kernel_.live_peak),
                           study::place_of(kernel_, kernel_.live_peak_at), tag(analysis::Tag::Derived)));
    line("LDS", fmt::format("{} of {} per workgroup of {} work-items{}{}", bytes_text(r.lds_bytes),
                            bytes_text(gpu_.lds_bytes), r.workgroup, r.dynamic_lds ? launch_text() : "",
                            tag(analysis::Tag::Read)));
  }

  /// Of LDS that no file states.
  [[nodiscard]] std::string launch_text() const {
    const uint32_t asked = kernel_.occupancy.resources.lds_bytes - kernel_.resources.lds_bytes;
    return asked ? fmt::format(", {} more at launch", bytes_text(asked))
                 : std::string(", more when it is launched, which is not counted (--dynamic-lds)");
  }

  void occupancy() const {
    const analysis::Occupancy& o = kernel_.occupancy;
    std::string text =
        o.now.waves_per_simd == 0
            ? styled(fmt::format("does not fit the GPU: {}", gpus::name_of(o.now.limiter)), Style::Bad)
            : fmt::format("{} of {} waves per SIMD, limited by {}", o.now.waves_per_simd, gpu_.waves_per_simd,
                          gpus::name_of(o.now.limiter));
    if (const std::string next = analysis::text_of(o.next); !next.empty()) text += "; " + next;
    line("occupancy", text + tag(analysis::Tag::Derived));
  }

  void code() const {
    line("code",
         fmt::format("{} instructions, {}: {}; {} loop{}{}", kernel_.mix.total,
                     bytes_text(kernel_.resources.code_bytes), mix_text(kernel_.mix, 5), kernel_.loops.size(),
                     kernel_.loops.size() == 1 ? "" : "s", tag(analysis::Tag::Derived)));
  }

  void hot() const {
    const uint32_t index = study::hot_loop(kernel_);
    if (index == kNone) return straight();
    const analysis::Loop& loop = kernel_.loops[index];
    const auto time = study::loop_time(kernel_, loop);
    line("hot loop",
         fmt::format("{}, {} instructions, trips: {}{}", study::place_of(kernel_, loop), loop.mix.total,
                     loop.trips.value || !loop.trips_formula.empty()
                         ? study::trips_text(loop)
                         : "unknown, because " + loop.trips.unknown_because,
                     tag(analysis::Tag::Derived)));
    if (!time) {
      line("", mix_text(loop.mix, 6));
      return line("",
                  "cycles unknown: " + (loop.cycles.unknown_because.empty() ? "no costs for its instructions"
                                                                            : loop.cycles.unknown_because));
    }
    line("", fmt::format(
                 "{} cycles per pass and wave on a SIMD, bound by {}{}",
                 styled(study::number_text(time->cycles), Style::Strong),
                 study::bound_of(kernel_, loop).text +
                     (study::pass_of(kernel_, loop).unknown ? "; the loop inside of it counted once" : ""),
                 tag(analysis::Tag::Modelled)));
    constexpr double kMuchLess = 0.95;
    if (const auto shortest = study::shortest_pass(kernel_, loop);
        shortest && *shortest < kMuchLess * time->cycles)
      line("", fmt::format("{} where a pass comes to nothing that stands behind a condition{}",
                           study::number_text(std::round(*shortest)), tag(analysis::Tag::Modelled)));
    line("", fmt::format("busy: {}; a wave alone {}{}{}", pipes_text(loop.cycles, 5),
                         study::number_text(loop.cycles.one_wave),
                         loop.cycles.exposed > 0
                             ? fmt::format(" and {} in waits for loads from {}",
                                           study::number_text(std::round(loop.cycles.exposed)),
                                           study::server_of(kernel_))
                             : "",
                         tag(analysis::Tag::Modelled)));
    memory(loop.cycles, time->cycles);
  }

  /// Code without a loop, which runs once.
  void straight() const {
    const analysis::Cycles& cycles = kernel_.outside;
    const study::Bound bound = study::bound_of_straight(kernel_);
    line("hot loop", "none: the code has no loop");
    line("whole wave",
         fmt::format("{} cycles of its SIMD, bound by {}{}", study::number_text(std::round(bound.cycles)),
                     bound.text, tag(analysis::Tag::Modelled)));
    line("", fmt::format("busy: {}; a wave alone {}{}", pipes_text(cycles, 5),
                         study::number_text(cycles.one_wave), tag(analysis::Tag::Modelled)));
    memory(cycles, bound.cycles, "a wave");
  }

  /// With loops that take what they take, whatever it depends on.
  void total() const {
    if (kernel_.loops.empty()) return;
    const study::Total total = study::total_of(kernel_);
    line("whole wave",
         total.cycles ? fmt::format("{} cycles of its SIMD{}", study::number_text(std::round(*total.cycles)),
                                    tag(analysis::Tag::Modelled))
         : !total.formula.empty()
             ? fmt::format("{} cycles of its SIMD{}", total.formula, tag(analysis::Tag::Modelled))
             : "unknown, because " + total.unknown_because);
  }

  static void memory(const analysis::Cycles& c, double cycles, std::string_view of = "per pass and wave") {
    if (c.memory == 0) return;
    line("", fmt::format("memory: {}{} B loaded, {} B stored {}: {}{} cycles from memory{}{}{}",
                         c.unknown_accesses ? "at least " : "", study::number_text(c.load_bytes),
                         study::number_text(c.store_bytes), of,
                         c.l2 > 0 ? study::number_text(std::round(c.l2)) + " cycles from L2, " : "",
                         study::number_text(std::round(c.memory)),
                         c.memory > cycles ? ", which bounds it where caches serve little" : "",
                         c.unknown_accesses == 0
                             ? ""
                             : fmt::format("; more where lanes are not side by side, not known of {} of {}",
                                           c.unknown_accesses, c.accesses),
                         tag(analysis::Tag::Modelled)));
  }

  void findings() const {
    constexpr size_t kMost = 3;
    // What gains nothing by itself, or is a note without a gain, is for --verbose.
    std::vector<const analysis::Finding*> found;
    for (const analysis::Finding& finding : kernel_.findings)
      if (finding.severity != analysis::Severity::Note) found.push_back(&finding);
    const size_t notes = kernel_.findings.size() - found.size();
    const std::string rest =
        notes ? fmt::format("{}{} that gain{} nothing by {} or cannot be weighed", found.empty() ? "" : "; ",
                            notes == 1 ? "1 note" : fmt::format("{} notes", notes), notes == 1 ? "s" : "",
                            notes == 1 ? "itself" : "themselves")
              : "";
    if (found.empty()) return line("findings", notes ? "none but " + rest : "none");
    line("findings", fmt::format("{}, the greatest gain first{}", found.size(), rest));
    for (size_t i = 0; i < std::min(kMost, found.size()); ++i) {
      const analysis::Finding& finding = *found[i];
      const Style style = finding.severity == analysis::Severity::Warning ? Style::Bad
                          : finding.severity == analysis::Severity::Hint  ? Style::Warning
                                                                          : Style::Plain;
      const std::string gain = gain_text(finding);
      const std::string where =
          finding.where.empty() ? "" : study::place_of(kernel_, finding.where.front().first);
      fmt::print("   {}. {}{}{}\n", i + 1, styled(finding.title, style), where.empty() ? "" : " at " + where,
                 gain.empty() ? "" : fmt::format(": {}{}", gain, tag(finding.gain_percent.tag)));
      if (!finding.evidence.empty()) fmt::print("      {}\n", finding.evidence.front());
      if (!finding.experiment.empty()) fmt::print("      {} {}\n", faint("to confirm:"), finding.experiment);
    }
    if (found.size() > kMost) fmt::print("   and {} more\n", found.size() - kMost);
  }

  const gpus::Gpu& gpu_;
  const analysis::KernelAnalysis& kernel_;
};

/// Everything behind the summary.
class Details {
 public:
  explicit Details(const analysis::KernelAnalysis& kernel) : kernel_(kernel) {}

  void print() const {
    occupancy();
    findings();
    loops();
    blocks();
    waits();
    accesses();
    unknowns();
    listing();
  }

 private:
  static void head(std::string_view text, std::optional<analysis::Tag> how = std::nullopt) {
    fmt::print("\n{}{}\n", styled(text, Style::Strong), how ? tag(*how) : std::string());
  }

  void occupancy() const {
    head("Occupancy", analysis::Tag::Derived);
    const analysis::Occupancy& o = kernel_.occupancy;
    fmt::print("  {} VGPRs: {} waves per SIMD; {} SGPRs: {}; {} B of LDS: {}; workgroups of {}: {}\n",
               o.resources.vgprs, o.now.by_vgprs, o.resources.sgprs, o.now.by_sgprs, o.resources.lds_bytes,
               o.now.by_lds, o.resources.workgroup, o.now.by_workgroups);
    fmt::print("  the compiler counts {}; {} workgroups at once on a multiprocessor\n", o.compiler_waves,
               o.now.workgroups);
    for (const analysis::OccupancyStep& step : o.next) fmt::print("  {}\n", step.text);
    if (!o.note.empty()) fmt::print("  {}\n", o.note);
  }

  void findings() const {
    if (kernel_.findings.empty()) return;
    head("Findings");
    size_t number = 0;
    for (const analysis::Finding& finding : kernel_.findings) {
      fmt::print("  {}. {} {}\n", ++number, finding.title,
                 faint(fmt::format("({}, {})", analysis::name_of(finding.severity), finding.rule)));
      if (const std::string gain = gain_text(finding); !gain.empty())
        fmt::print("     gain: {}{}\n", gain, tag(finding.gain_percent.tag));
      else if (!finding.gain_percent.unknown_because.empty())
        fmt::print("     gain: unknown, because {}\n", finding.gain_percent.unknown_because);
      for (const analysis::Location& location : finding.where)
        fmt::print("     at {}{}\n", study::place_of(kernel_, location.first),
                   location.first < kernel_.instructions.size()
                       ? fmt::format(": {:#x} {}", kernel_.instructions[location.first].pc,
                                     kernel_.instructions[location.first].text)
                       : "");
      for (const std::string& evidence : finding.evidence) fmt::print("     {}\n", evidence);
      if (!finding.experiment.empty()) fmt::print("     to confirm: {}\n", finding.experiment);
      if (!finding.unknown_because.empty()) fmt::print("     unknown: {}\n", finding.unknown_because);
    }
  }

  void loops() const {
    if (kernel_.loops.empty()) return;
    head("Loops", analysis::Tag::Modelled);
    Table table({"loop", "lines", "depth", "trips", "instructions", "bytes", "live", "busy", "one wave",
                 "at this occupancy", "bound"});
    for (size_t column : {2, 3, 4, 5, 8, 9}) table.align_right(column);
    for (size_t i = 0; i < kernel_.loops.size(); ++i) {
      const analysis::Loop& loop = kernel_.loops[i];
      const auto time = study::loop_time(kernel_, loop);
      table.add({std::to_string(i), study::place_of(kernel_, loop), std::to_string(loop.depth),
                 study::trips_text(loop), std::to_string(loop.mix.total), std::to_string(loop.bytes),
                 registers_text(loop.live_peak), pipes_text(loop.cycles, 4),
                 time ? study::number_text(loop.cycles.one_wave) : "unknown",
                 time ? study::number_text(time->cycles) : "unknown", study::bound_of(kernel_, loop).text});
    }
    table.print();
  }

  void blocks() const {
    head("Blocks", analysis::Tag::Derived);
    Table table({"block", "pc", "instructions", "at", "loop", "goes to"});
    for (size_t column : {0, 2}) table.align_right(column);
    for (size_t i = 0; i < kernel_.blocks.size(); ++i) {
      const analysis::Block& block = kernel_.blocks[i];
      table.add({std::to_string(i),
                 block.begin < kernel_.instructions.size()
                     ? fmt::format("{:#x}", kernel_.instructions[block.begin].pc)
                     : "",
                 std::to_string(block.end - block.begin), study::place_of(kernel_, block.begin),
                 block.loop == kNone ? "" : std::to_string(block.loop),
                 fmt::format("{}", fmt::join(block.successors, ", "))});
    }
    table.print();
  }

  void waits() const {
    if (kernel_.waits.empty()) return;
    head("Waits", analysis::Tag::Modelled);
    fmt::print(
        "{}\n",
        faint("  slack: cycles between the youngest access that is waited for and the wait, one wave alone"));
    Table table({"at", "pc", "counter", "leaves", "waits for", "between", "slack", "could leave", "remark"});
    for (size_t column : {3, 5, 6, 7}) table.align_right(column);
    for (const analysis::Wait& wait : kernel_.waits) {
      std::vector<std::string> for_;
      for (const uint32_t access : wait.for_)
        if (access < kernel_.instructions.size() && for_.size() < 3)
          for_.push_back(fmt::format("{:#x} {}", kernel_.instructions[access].pc,
                                     kernel_.instructions[access].mnemonic));
      table.add(
          {study::place_of(kernel_, wait.instruction),
           wait.instruction < kernel_.instructions.size()
               ? fmt::format("{:#x}", kernel_.instructions[wait.instruction].pc)
               : "",
           std::string(analysis::name_of(wait.counter)), std::to_string(wait.value),
           fmt::format(
               "{}{}", fmt::join(for_, ", "),
               wait.for_.size() > for_.size() ? fmt::format(" +{}", wait.for_.size() - for_.size()) : ""),
           std::to_string(wait.between), study::figure_text(wait.slack),
           wait.could_be == kNone ? "" : std::to_string(wait.could_be),
           wait.redundant ? "redundant" : wait.unknown_because});
    }
    table.print();
  }

  void accesses() const {
    if (kernel_.accesses.empty()) return;
    head("Memory accesses", analysis::Tag::Modelled);
    Table table({"at", "pc", "instruction", "bytes per lane", "stride", "LDS cycles", "of at least", "lines",
                 "of at least", "unknown, because"});
    for (size_t column : {3, 4, 5, 6, 7, 8}) table.align_right(column);
    const auto figure = [](const analysis::Figure& f) {
      return f.value ? study::number_text(*f.value) : std::string();
    };
    for (const analysis::AccessPattern& access : kernel_.accesses) {
      if (access.instruction >= kernel_.instructions.size()) continue;
      const analysis::Instruction& at = kernel_.instructions[access.instruction];
      table.add({study::place_of(kernel_, access.instruction), fmt::format("{:#x}", at.pc), at.mnemonic,
                 std::to_string(access.bytes), access.affine ? std::to_string(access.stride) : "",
                 figure(access.cycles), figure(access.ideal_cycles), figure(access.lines),
                 figure(access.ideal_lines), access.unknown_because});
    }
    table.print();
  }

  void unknowns() const {
    if (kernel_.unknown.empty()) return;
    head("Unknown");
    for (const analysis::Unknown& unknown : kernel_.unknown)
      fmt::print("  {}{}, because {}\n",
                 unknown.instruction == kNone ? "" : study::place_of(kernel_, unknown.instruction) + ": ",
                 unknown.what, unknown.because);
  }

  void listing() const {
    head("Instructions", analysis::Tag::Derived);
    fmt::print("{}\n", faint("  pc, live VGPRs+AGPRs/SGPRs, loop depth, cycles of its pipe, instruction"));
    const report::Listing text = listing_of(kernel_);
    std::string shown;
    for (size_t i = 0; i < kernel_.instructions.size(); ++i) {
      const analysis::Instruction& at = kernel_.instructions[i];
      if (at.source.known()) {
        const std::string place = study::place_of(kernel_, static_cast<uint32_t>(i));
        if (place != shown) {
          shown = place;
          fmt::print("{}\n", faint(fmt::format("  ; {}  {}", place, source_of(text, at.source))));
        }
      }
      const uint32_t depth = at.loop < kernel_.loops.size() ? kernel_.loops[at.loop].depth : 0;
      fmt::print("  {:08x}  {:>4}+{}/{:<3} {} {:>4}  {}\n", at.pc, at.live.vgprs, at.live.agprs,
                 at.live.sgprs, depth ? std::to_string(depth) : " ",
                 at.issue_cycles > 0 ? study::number_text(at.issue_cycles) : "", at.text);
    }
  }

  static std::string source_of(const report::Listing& listing, const analysis::SourceLine& line) {
    if (line.file >= listing.files.size()) return {};
    for (const auto& one : listing.files[line.file].lines)
      if (one.number == line.line) return one.text;
    return {};
  }

  const analysis::KernelAnalysis& kernel_;
};

/// One line per kernel, where there are several.
void print_overview(const ExplainedFile& file, bool verbose) {
  constexpr size_t kMost = 14;
  const auto& kernels = file.analysed.kernels;
  Table table({"kernel", "VGPRs", "AGPRs", "SGPRs", "LDS", "waves", "limited by", "hot loop",
               "cycles per pass", "bound", "findings"});
  for (size_t column : {1, 2, 3, 4, 5, 8, 10}) table.align_right(column);
  for (size_t i = 0; i < kernels.size() && (verbose || i < kMost); ++i) {
    const analysis::KernelAnalysis& kernel = kernels[i];
    const uint32_t hot = study::hot_loop(kernel);
    const study::Bound bound = hot == kNone ? study::Bound{} : study::bound_of(kernel, kernel.loops[hot]);
    table.add(
        {clipped(study::readable(kernel.name), 44), std::to_string(kernel.resources.used.vgprs),
         std::to_string(kernel.resources.used.agprs), std::to_string(kernel.resources.used.sgprs),
         bytes_text(kernel.resources.lds_bytes),
         fmt::format("{}/{}", kernel.occupancy.now.waves_per_simd, file.analysed.code.gpu->waves_per_simd),
         std::string(gpus::name_of(kernel.occupancy.now.limiter)),
         hot == kNone ? "none" : clipped(study::place_of(kernel, kernel.loops[hot]), 28),
         bound.known() ? study::number_text(bound.cycles) : "", bound.by,
         std::to_string(kernel.findings.size())});
  }
  table.print();
  fmt::print("{}\n", faint("  registers and LDS [read], waves [derived], cycles [modelled]"));
  if (!verbose && kernels.size() > kMost) fmt::print("  and {} kernels more\n", kernels.size() - kMost);
  if (!verbose)
    fmt::print(
        "One kernel, with its findings: --kernel NAME (or a part of its name); all of it: --verbose\n");
}

}  // namespace

std::string registers_text(const analysis::Registers& registers) {
  return fmt::format("{} VGPRs{}, {} SGPRs", registers.vgprs,
                     registers.agprs ? fmt::format(", {} AGPRs", registers.agprs) : "", registers.sgprs);
}

std::string gain_text(const analysis::Finding& finding) {
  const bool in_loop = !finding.where.empty() && finding.where.front().loop != kNone;
  if (finding.gain_percent.value && *finding.gain_percent.value > 0)
    return fmt::format("up to {:.{}f} % of the {}", *finding.gain_percent.value,
                       *finding.gain_percent.value < 9.95 ? 1 : 0, in_loop ? "loop" : "kernel");
  if (finding.gain_cycles.value && *finding.gain_cycles.value > 0)
    return fmt::format("up to {} cycles per pass", study::number_text(*finding.gain_cycles.value));
  return {};
}

void print_explained(const ExplainedFile& file, bool verbose) {
  const study::Code& code = file.analysed.code;
  fmt::print(
      "{}\n",
      styled(fmt::format(
                 "{} ({}) for {} ({}){}", file.path, name_of(code.form), code.gpu->name, code.target,
                 code.command.empty() ? "" : fmt::format(", compiled in {:.1f} s", code.compile_seconds)),
             Style::Strong));
  const auto& kernels = file.analysed.kernels;
  for (const Error& error : file.analysed.refused) fmt::print("  left out: {}\n", error.text());
  if (kernels.size() > 1) print_overview(file, verbose);
  for (const analysis::KernelAnalysis& kernel : kernels) {
    if (kernels.size() > 1 && !verbose) break;
    fmt::print("{}{}\n", kernels.size() > 1 ? "\n" : "",
               styled(clipped(study::readable(kernel.name), verbose ? 2000 : 200), Style::Strong));
    Summary(kernel, *code.gpu).print();
    if (verbose) Details(kernel).print();
  }
  if (!verbose && kernels.size() == 1)
    fmt::print("{}\n", faint("--verbose: the rest, with source beside instructions; --html FILE: as a page; "
                             "--json: for programs"));
}

}  // namespace wavesmith::cli
