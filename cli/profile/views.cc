#include "cli/profile/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/profile/json.h"
#include "cli/profile/listing.h"
#include "cli/profile/memory.h"
#include "gpus/gpu.h"
#include "study/analysed.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;
using report::Tag;

std::string time_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.4g} µs", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.4g} ms", seconds * 1e3)
                        : fmt::format("{:.4g} s", seconds);
}

class KernelSection {
 public:
  KernelSection(const ordered_json& kernel, const gpus::Gpu* gpu) : kernel_(kernel), gpu_(gpu) {}

  report::Section make() {
    out_.title = study::readable(text(kernel_, "name"));
    out_.subtitle = fmt::format("{} workgroups of {} work-items, {} launch{}; sampled: {}", extents("grid"),
                                extents("block"), number(kernel_, "launches"),
                                number(kernel_, "launches") == 1 ? "" : "es", text(kernel_, "sample"));
    if (const std::string refused = text(kernel_, "refused"); !refused.empty()) {
      out_.findings_note = "No time, because " + refused;
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
  [[nodiscard]] std::string extents(const char* key) const {
    std::string words;
    for (const ordered_json& extent : list(kernel_, key))
      if (words.empty() || extent != 1)
        words +=
            fmt::format("{}{}", words.empty() ? "" : " × ", extent.is_number() ? extent.get<double>() : 0.0);
    return words;
  }

  void tile(std::string label, std::string value, std::string detail, std::optional<double> share = {}) {
    out_.tiles.push_back({std::move(label), {std::move(value), Tag::Modelled}, std::move(detail), share});
  }

  void tiles() {
    tile("Time", time_text(number(kernel_, "seconds")),
         fmt::format("{:.0f} cycles of the whole grid", number(kernel_, "cycles")));
    if (!text(kernel_, "bound").empty()) tile("Bound by", text(kernel_, "bound"), text(kernel_, "bound_why"));
    tile("Clock", fmt::format("{:.0f} MHz", number(kernel_, "clock_mhz")),
         kernel_.value("clock_limited_by_power", false) ? "the power limit allows no more" : "the peak",
         gpu_ && gpu_->engine_mhz ? std::optional(number(kernel_, "clock_mhz") / gpu_->engine_mhz)
                                  : std::nullopt);
    if (number(kernel_, "matrix_flops") > 0) {
      double busy = 0;
      for (const ordered_json& pipe : list(kernel_, "pipes"))
        if (text(pipe, "pipe") == "matrix") busy = number(pipe, "utilisation");
      tile("Matrix work", fmt::format("{:.4g} TFLOP/s", number(kernel_, "matrix_tflops")),
           fmt::format("matrix pipes {:.0f} % busy", 100 * busy), busy);
    }
    tile("Nothing issued", fmt::format("{:.0f} %", 100 * number(kernel_, "exposed_share")),
         "of the SIMDs' cycles", number(kernel_, "exposed_share"));
    tile("Issued", fmt::format("{:.2f} a cycle", number(kernel_, "instructions_per_cycle")),
         "instructions of a compute unit");
    tile("Workgroups", fmt::format("{} at a time", number(kernel_, "workgroups_per_unit")),
         fmt::format("{} compute units at work", number(kernel_, "units")));
    if (const auto lds = kernel_.find("lds"); lds != kernel_.end() && number(*lds, "cycles") > 0)
      tile("LDS", fmt::format("{:.0f} cycles", number(*lds, "cycles")),
           fmt::format("{:.0f} % for bank conflicts", 100 * number(*lds, "conflict_share")),
           number(*lds, "conflict_share"));
    for (const ordered_json& note : list(kernel_, "notes"))
      if (note.is_string())
        out_.findings_note += (out_.findings_note.empty() ? "" : " ") + note.get<std::string>() + ".";
  }

  void stalls() {
    report::BarChart chart{"What waves waited for",
                           "Cycles of waves. The strong part was exposed: no other wave of the SIMD issued.",
                           "wave-cycles",
                           Tag::Modelled,
                           {}};
    for (const ordered_json& stall : list(kernel_, "stalls")) {
      const double exposed = number(stall, "exposed"), hidden = number(stall, "hidden");
      if (exposed + hidden <= 0 || chart.bars.size() == 12) continue;
      const std::string cause = text(stall, "cause");
      chart.bars.push_back({{cause},
                            {{cause, exposed, false}, {cause, hidden, true}},
                            fmt::format("{:.1f} % exposed", 100 * number(stall, "exposed_share"))});
    }
    if (!chart.bars.empty()) out_.charts.push_back(std::move(chart));
  }

  void pipes() {
    report::BarChart chart{"Pipes", "Share of the time that each was busy.", "%", Tag::Modelled, {}};
    for (const ordered_json& pipe : list(kernel_, "pipes"))
      if (text(pipe, "pipe") != "internal")
        chart.bars.push_back({{text(pipe, "pipe")},
                              {{"busy", 100 * number(pipe, "utilisation")}},
                              fmt::format("{:.1f} %", 100 * number(pipe, "utilisation"))});
    if (!chart.bars.empty()) out_.charts.push_back(std::move(chart));
  }

  void timeline() {
    constexpr double kWindow = 3000;
    constexpr size_t kMostWaves = 16, kMostSpans = 4000;
    const std::vector<WaveEvent> events = events_of(kernel_);
    if (events.empty()) return;
    // From the middle of what was kept: the start is not typical.
    double last = 0;
    for (const WaveEvent& event : events) last = std::max(last, event.issued);
    const double from = last > 2 * kWindow ? last / 2 : std::max(0.0, last - kWindow), to = from + kWindow;
    const ordered_json& instructions = list(kernel_, "instructions");
    std::map<uint32_t, std::vector<report::Timeline::Span>> waves;
    size_t spans = 0;
    for (const WaveEvent& event : events) {
      if (event.issued < from || event.issued > to || event.instruction >= instructions.size()) continue;
      if (!waves.contains(event.wave) && waves.size() == kMostWaves) continue;
      auto& row = waves[event.wave];
      const std::string pipe = text(instructions[event.instruction], "pipe");
      if (event.issued > event.reached + 4 && spans < kMostSpans) {
        row.push_back({std::max(from, event.reached), event.issued,
                       event.cause.empty() ? "wait" : event.cause,
                       text(instructions[event.instruction], "text"), true});
        ++spans;
      }
      if (!row.empty() && !row.back().waits && row.back().name == pipe && event.issued - row.back().end < 5) {
        row.back().end = event.issued + 4;
      } else if (spans < kMostSpans) {
        row.push_back({event.issued, event.issued + 4, pipe, text(instructions[event.instruction], "text")});
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
    const ordered_json& all = list(kernel_, "instructions");
    std::vector<uint32_t> order(all.size());
    double whole = 0;
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i, whole += number(all[i], "stall");
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const double x = number(all[a], "stall"), y = number(all[b], "stall");
      return x != y ? x > y : a < b;
    });
    for (size_t i = 0; i < std::min<size_t>(order.size(), 20); ++i) {
      const ordered_json& one = all[order[i]];
      if (number(one, "stall") <= 0) break;
      std::string cause =
          out_.listing && order[i] < out_.listing->code.size() ? out_.listing->code[order[i]].note : "";
      table.rows.push_back({{text(one, "text"), {}, order[i], {}},
                            {study::number_text(number(one, "hits"))},
                            {study::number_text(number(one, "latency"))},
                            {study::number_text(number(one, "stall"))},
                            {study::number_text(number(one, "idle"))},
                            {fmt::format("{:.1f} %", 100 * number(one, "stall") / whole)},
                            {cause}});
    }
    if (!table.rows.empty()) out_.tables.push_back(std::move(table));
  }

  const ordered_json& kernel_;
  const gpus::Gpu* gpu_;
  report::Section out_;
};

}  // namespace

report::Page page_of_profile(const ordered_json& profile) {
  constexpr size_t kMost = 8;
  const auto gpu = gpus::find_gpu(text(profile, "gpu"));
  report::Page page{
      fmt::format("Profile on {}", gpu ? (*gpu)->name : text(profile, "gpu")), "wavesmith profile", {}, {}};
  const auto kernels = kernels_of(profile);
  for (size_t i = 0; i < std::min(kMost, kernels.size()); ++i)
    page.sections.push_back(KernelSection(*kernels[i], gpu ? *gpu : nullptr).make());
  if (kernels.size() > kMost)
    page.notes.push_back(fmt::format("The {} costliest of {} kernels.", kMost, kernels.size()));
  return page;
}

}  // namespace wavesmith::cli
