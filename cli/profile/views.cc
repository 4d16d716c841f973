#include "cli/profile/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/profile/listing.h"
#include "cli/profile/memory.h"
#include "cli/terminal.h"
#include "gpus/gpu.h"
#include "study/analysed.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using report::Tag;
using timing::KernelProfile;

class KernelSection {
 public:
  KernelSection(const KernelProfile& kernel, const gpus::Gpu* gpu) : kernel_(kernel), gpu_(gpu) {}

  report::Section make() {
    out_.title = study::readable(kernel_.name);
    out_.subtitle = fmt::format("{} workgroups of {} work-items, {} launch{}; sampled: {}",
                                extents(kernel_.grid), extents(kernel_.block), kernel_.launches,
                                kernel_.launches == 1 ? "" : "es", kernel_.sample);
    if (!kernel_.has_time()) {
      out_.findings_note = "No time, because " + kernel_.refused;
      return std::move(out_);
    }
    tiles();
    out_.roofline = roofline_of(kernel_, gpu_);
    stalls();
    pipes();
    timeline();
    out_.listing = listing_of(kernel_);
    if (auto table = memory_of(kernel_, gpu_); !table.rows.empty()) out_.tables.push_back(std::move(table));
    instructions();
    return std::move(out_);
  }

 private:
  static std::string extents(const Extent3& extent) {
    std::string words = fmt::to_string(extent[0]);
    for (const uint32_t one : {extent[1], extent[2]})
      if (one != 1) words += fmt::format(" × {}", one);
    return words;
  }

  void tile(std::string label, std::string value, std::string detail, std::optional<double> share = {}) {
    out_.tiles.push_back({std::move(label), {std::move(value), Tag::Modelled}, std::move(detail), share});
  }

  void tiles() {
    tile("Time", time_text(kernel_.seconds), fmt::format("{:.0f} cycles of the whole grid", kernel_.cycles));
    tile("Bound by", kernel_.bound, kernel_.bound_why);
    tile("Clock", fmt::format("{:.0f} MHz", kernel_.clock_mhz),
         kernel_.clock_limited_by_power ? "the power limit allows no more" : "the peak",
         gpu_ && gpu_->engine_mhz ? std::optional(kernel_.clock_mhz / gpu_->engine_mhz) : std::nullopt);
    if (kernel_.matrix_flops > 0) {
      const double busy = kernel_.utilisation(isa::Pipe::Matrix);
      tile("Matrix work", fmt::format("{:.4g} TFLOP/s", kernel_.matrix_tflops),
           fmt::format("matrix pipes {:.0f} % busy", 100 * busy), busy);
    }
    tile("Nothing issued", fmt::format("{:.0f} %", 100 * kernel_.exposed_share), "of the SIMDs' cycles",
         kernel_.exposed_share);
    tile("Issued", fmt::format("{:.2f} a cycle", kernel_.instructions_per_cycle),
         "instructions of a compute unit");
    tile("Workgroups", fmt::format("{} at a time", kernel_.workgroups_per_unit),
         fmt::format("{} compute units at work", kernel_.units));
    if (kernel_.lds.cycles > 0)
      tile("LDS", fmt::format("{} cycles", kernel_.lds.cycles),
           fmt::format("{:.0f} % for bank conflicts", 100 * kernel_.lds.conflict_share),
           kernel_.lds.conflict_share);
    for (const std::string& note : kernel_.notes)
      out_.findings_note += (out_.findings_note.empty() ? "" : " ") + note + ".";
  }

  void stalls() {
    report::BarChart chart{"What waves waited for",
                           "Cycles of waves. The strong part was exposed: no other wave of the SIMD issued.",
                           "wave-cycles",
                           Tag::Modelled,
                           {}};
    for (const KernelProfile::Stall& stall : kernel_.stalls)
      if (stall.exposed + stall.hidden > 0 && chart.bars.size() < 12)
        chart.bars.push_back({{stall.cause},
                              {{stall.cause, stall.exposed, false}, {stall.cause, stall.hidden, true}},
                              fmt::format("{:.1f} % exposed", 100 * stall.exposed_share)});
    if (!chart.bars.empty()) out_.charts.push_back(std::move(chart));
  }

  void pipes() {
    report::BarChart chart{"Pipes", "Share of the time that each was busy.", "%", Tag::Modelled, {}};
    for (const KernelProfile::PipeUse& use : kernel_.pipes)
      if (use.pipe != isa::Pipe::Internal)
        chart.bars.push_back({{std::string(isa::name_of(use.pipe))},
                              {{"busy", 100 * use.utilisation}},
                              fmt::format("{:.1f} %", 100 * use.utilisation)});
    if (!chart.bars.empty()) out_.charts.push_back(std::move(chart));
  }

  void timeline() {
    constexpr double kWindow = 3000;
    constexpr size_t kMostWaves = 16, kMostSpans = 4000;
    if (!kernel_.timeline || kernel_.timeline->events.empty()) return;
    // From the middle of what was kept: the start is not typical.
    double last = 0;
    for (const auto& event : kernel_.timeline->events)
      last = std::max(last, static_cast<double>(event.issued));
    const double from = last > 2 * kWindow ? last / 2 : std::max(0.0, last - kWindow), to = from + kWindow;
    std::map<uint32_t, std::vector<report::Timeline::Span>> waves;
    size_t spans = 0;
    for (const auto& event : kernel_.timeline->events) {
      const auto reached = static_cast<double>(event.reached), issued = static_cast<double>(event.issued);
      if (issued < from || issued > to || event.instruction >= kernel_.instructions.size()) continue;
      if (!waves.contains(event.wave) && waves.size() == kMostWaves) continue;
      auto& row = waves[event.wave];
      const KernelProfile::Instruction& one = kernel_.instructions[event.instruction];
      const std::string pipe(isa::name_of(one.pipe));
      if (issued > reached + 4 && spans < kMostSpans) {
        row.push_back({std::max(from, reached), issued, kernel_.timeline->wait(event), one.text, true});
        ++spans;
      }
      if (!row.empty() && !row.back().waits && row.back().name == pipe && issued - row.back().end < 5) {
        row.back().end = issued + 4;
      } else if (spans < kMostSpans) {
        row.push_back({issued, issued + 4, pipe, one.text});
        ++spans;
      }
    }
    report::Timeline chart{
        "Waves of a compute unit",
        "clocks",
        "What each wave issues, by pipe, and as low bars what it waits for; a part of the replay.",
        Tag::Modelled,
        {}};
    for (auto& [wave, row] : waves) chart.rows.push_back({fmt::format("wave {}", wave), std::move(row)});
    if (!chart.rows.empty()) out_.timelines.push_back(std::move(chart));
  }

  void instructions() {
    report::Table table{
        "Instructions that stalled most",
        "Wave-cycles, as a thread trace counts them: latency is stall and issue, idle is before the wave got "
        "there; modelled.",
        {"instruction", "hits", "latency", "stall", "idle", "of all stalls", "mostly for"},
        {1, 2, 3, 4, 5},
        {},
        false};
    constexpr size_t kMostRows = 20;
    const auto& all = kernel_.instructions;
    std::vector<uint32_t> order(all.size());
    uint64_t whole = 0;
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i, whole += all[i].stall;
    std::ranges::sort(order, {}, [&](uint32_t i) { return std::pair(~all[i].stall, i); });
    const auto text = [](uint64_t count) { return study::number_text(static_cast<double>(count)); };
    for (const uint32_t i : order) {
      const KernelProfile::Instruction& one = all[i];
      if (one.stall == 0 || table.rows.size() == kMostRows) break;
      table.rows.push_back(
          {{one.text, {}, i, {}},
           {text(one.hits)},
           {text(one.latency)},
           {text(one.stall)},
           {text(one.idle)},
           {fmt::format("{:.1f} %", 100 * static_cast<double>(one.stall) / static_cast<double>(whole))},
           {one.main_cause()}});
    }
    if (!table.rows.empty()) out_.tables.push_back(std::move(table));
  }

  const KernelProfile& kernel_;
  const gpus::Gpu* gpu_;
  report::Section out_;
};

}  // namespace

report::Page page_of_profile(const timing::ProgramProfile& profile) {
  constexpr size_t kMost = 8;
  const auto gpu = gpus::find_gpu(profile.gpu);
  report::Page page{
      fmt::format("Profile on {}", gpu ? (*gpu)->name : profile.gpu), "wavesmith profile", {}, {}};
  const auto kernels = profile.costliest_first();
  for (size_t i = 0; i < std::min(kMost, kernels.size()); ++i)
    page.sections.push_back(KernelSection(*kernels[i], gpu ? *gpu : nullptr).make());
  if (kernels.size() > kMost)
    page.notes.push_back(fmt::format("The {} costliest of {} kernels.", kMost, kernels.size()));
  return page;
}

}  // namespace wavesmith::cli
