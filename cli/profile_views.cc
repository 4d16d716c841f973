#include "cli/profile_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "analysis/mix.h"
#include "cli/analysed.h"
#include "cli/names.h"
#include "gpus/gpu.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;
using report::Tag;

double number(const ordered_json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_number() ? at->get<double>() : 0;
}
std::string text(const ordered_json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}
const ordered_json& list(const ordered_json& object, const char* key) {
  static const ordered_json kNone = ordered_json::array();
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_array() ? *at : kNone;
}

std::string time_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.4g} µs", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.4g} ms", seconds * 1e3)
                        : fmt::format("{:.4g} s", seconds);
}

/// Kernels by what they cost in all.
std::vector<const ordered_json*> kernels_of(const ordered_json& profile) {
  std::vector<const ordered_json*> kernels;
  for (const ordered_json& kernel : list(profile, "kernels"))
    if (kernel.is_object()) kernels.push_back(&kernel);
  const auto cost = [](const ordered_json* kernel) {
    return number(*kernel, "seconds") * std::max(1.0, number(*kernel, "launches"));
  };
  std::vector<size_t> order(kernels.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return cost(kernels[a]) != cost(kernels[b]) ? cost(kernels[a]) > cost(kernels[b]) : a < b;
  });
  std::vector<const ordered_json*> sorted;
  for (const size_t i : order) sorted.push_back(kernels[i]);
  return sorted;
}

/// A place in the source: "function 'f' + 0x0, /src/kernel.hip:12".
std::optional<std::pair<std::string, uint32_t>> line_of(const std::string& source) {
  const size_t colon = source.rfind(':');
  if (colon == source.npos) return std::nullopt;
  uint32_t line = 0;
  const char* const end = source.data() + source.size();
  if (std::from_chars(source.data() + colon + 1, end, line).ptr != end || line == 0) return std::nullopt;
  size_t begin = source.rfind(", ", colon);
  begin = begin == source.npos ? 0 : begin + 2;
  return std::pair(source.substr(begin, colon - begin), line);
}

/// The events of the replay: [wave, simd, reached, ready, issued, instruction, cause].
struct Event {
  uint32_t wave = 0, simd = 0;
  double reached = 0, issued = 0;
  size_t instruction = 0;
  std::string cause;
};
std::vector<Event> events_of(const ordered_json& kernel) {
  std::vector<Event> events;
  const auto at = kernel.find("timeline");
  if (at == kernel.end() || !at->is_object()) return events;
  const ordered_json& causes = list(*at, "causes");
  for (const ordered_json& one : list(*at, "events")) {
    if (!one.is_array() || one.size() != 6) continue;
    const auto of = [&](size_t i) { return one[i].is_number() ? one[i].get<double>() : 0.0; };
    Event event{static_cast<uint32_t>(of(0)),
                static_cast<uint32_t>(of(1)),
                of(2),
                of(3),
                static_cast<size_t>(of(4)),
                {}};
    if (const auto cause = static_cast<size_t>(of(5)); cause < causes.size() && causes[cause].is_string())
      event.cause = causes[cause].get<std::string>();
    events.push_back(std::move(event));
  }
  return events;
}

class KernelSection {
 public:
  KernelSection(const ordered_json& kernel, const gpus::Gpu* gpu) : kernel_(kernel), gpu_(gpu) {}

  report::Section make() {
    out_.title = readable(text(kernel_, "name"));
    out_.subtitle = fmt::format("{} workgroups of {} work-items, {} launch{}; sampled: {}", extents("grid"),
                                extents("block"), number(kernel_, "launches"),
                                number(kernel_, "launches") == 1 ? "" : "es", text(kernel_, "sample"));
    if (const std::string refused = text(kernel_, "refused"); !refused.empty()) {
      out_.findings_note = "No time, because " + refused;
      return std::move(out_);
    }
    tiles();
    roofline();
    stalls();
    pipes();
    timeline();
    listing();
    memory();
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
    out_.tiles.push_back({
        std::move(label), {std::move(value), Tag::Modelled},
         std::move(detail), share
    });
  }

  void tiles() {
    tile("Time", time_text(number(kernel_, "seconds")),
         fmt::format("{:.0f} cycles of the whole grid", number(kernel_, "cycles")));
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

  struct Level {
    std::string name;
    double bytes = 0, peak = 0;       ///< of the whole grid; bytes a second, 0: not known
    std::optional<double> hits = {};  ///< share of its requests
  };

  /// What each level of memory gave to the whole grid: the replay's lines, times the workgroups that it
  /// stands for.
  [[nodiscard]] std::vector<Level> levels() const {
    const auto at = kernel_.find("memory");
    const auto replay = kernel_.find("replay");
    if (at == kernel_.end() || replay == kernel_.end() || !gpu_ || !(number(*replay, "workgroups") > 0))
      return {};
    double groups = 1;
    for (const ordered_json& extent : list(kernel_, "grid"))
      if (extent.is_number()) groups *= extent.get<double>();
    const double bytes = number(*at, "line_bytes") * groups / number(*replay, "workgroups");
    const double memory = number(*at, "memory_lines"), cache = number(*at, "infinity_cache_lines");
    std::vector<Level> all;
    const double units = gpu_->compute_units * gpu_->engine_mhz * 1e6;
    if (const auto lds = kernel_.find("lds"); lds != kernel_.end() && number(*lds, "cycles") > 0)
      all.push_back({"LDS",
                     (number(*lds, "cycles") - number(*lds, "conflict_cycles")) *
                         gpu_->lds_read_bytes_per_clock * groups / number(*replay, "workgroups"),
                     gpu_->lds_read_bytes_per_clock * units,
                     {}});
    // A line a clock, where nobody measured less.
    all.push_back({"L1", number(*at, "l1_requests") * bytes,
                   gpu_->l1_bytes_per_clock.value_or(gpu_->l1_line_bytes) * units,
                   number(*at, "l1_hit_rate")});
    double peak = 0;
    if (gpu_->l2_channels && gpu_->l2_bytes_per_clock_per_channel)
      peak = static_cast<double>(*gpu_->l2_channels) * *gpu_->l2_bytes_per_clock_per_channel * gpu_->xcds *
             gpu_->engine_mhz * 1e6;
    all.push_back({"L2", number(*at, "l2_requests") * bytes, peak, number(*at, "l2_hit_rate")});
    if (gpu_->infinity_cache_bytes > 0)
      all.push_back({"Infinity Cache", (cache + memory) * bytes,
                     1e9 * gpu_->infinity_cache_gigabytes_per_second.value_or(0),
                     cache + memory > 0 ? cache / (cache + memory) : 0});
    all.push_back({"memory", memory * bytes, 1e9 * gpu_->memory_gigabytes_per_second, {}});
    return all;
  }

  /// Floating-point operations of the VALU, of the whole grid; `doubles` of them in 64 bits.
  struct VectorWork {
    double flops = 0, doubles = 0;
  };
  [[nodiscard]] VectorWork vector_work() const {
    VectorWork work;
    const auto replay = kernel_.find("replay");
    const double waves = number(kernel_, "waves_per_workgroup");
    if (replay == kernel_.end() || !(waves > 0) || !(number(*replay, "workgroups") > 0)) return work;
    double lanes = 1 / waves, groups = 1;
    for (const ordered_json& extent : list(kernel_, "block"))
      if (extent.is_number()) lanes *= extent.get<double>();
    for (const ordered_json& extent : list(kernel_, "grid"))
      if (extent.is_number()) groups *= extent.get<double>();
    for (const ordered_json& one : list(kernel_, "instructions")) {
      const std::string code = text(one, "text");
      // Of a pair that is issued at once both halves stand in the text.
      double operations = 0;
      for (size_t at = 0; at < code.size();) {
        const size_t end = std::min(code.find(" :: ", at), code.size());
        std::string name = code.substr(at, std::min(code.find(' ', at), end) - at);
        if (name.starts_with("v_dual_")) name.erase(2, 5);
        operations += analysis::vector_operations_of(name);
        at = end == code.size() ? end : end + 4;
      }
      const double flops = operations * number(one, "hits") * lanes * groups / number(*replay, "workgroups");
      work.flops += flops;
      if (code.find("_f64") != code.npos) work.doubles += flops;
    }
    return work;
  }

  void roofline() {
    const double seconds = number(kernel_, "seconds"), matrix = number(kernel_, "matrix_flops");
    if (!(seconds > 0) || !gpu_) return;
    const VectorWork vector = vector_work();
    // What most of its arithmetic is.
    const bool by_matrix = matrix > vector.flops;
    const double flops = by_matrix ? matrix : vector.flops;
    if (!(flops > 0)) return;
    report::Roofline chart;
    chart.tag = Tag::Modelled;
    for (const Level& level : levels()) {
      if (level.peak <= 0 || level.bytes <= 0) continue;
      chart.roofs.push_back({level.name, level.peak});
      chart.points.push_back({"against bytes of " + level.name, flops / level.bytes, flops / seconds});
    }
    if (by_matrix) {
      // What the matrix pipes would give if they were always busy.
      for (const ordered_json& pipe : list(kernel_, "pipes"))
        if (text(pipe, "pipe") == "matrix" && number(pipe, "utilisation") > 0)
          chart.ceilings.push_back({"matrix, units at work", flops / seconds / number(pipe, "utilisation")});
    } else {
      // 64 multiply-adds a clock and compute unit in all generations; twice as many in pairs. Sources: AMD,
      // CDNA2, CDNA3, CDNA4 and RDNA white papers. Those of 64 bits go at the same rate on CDNA alone.
      const double peak = 128.0 * gpu_->compute_units * gpu_->engine_mhz * 1e6;
      const bool doubles = vector.doubles > vector.flops / 2;
      if (doubles && gpu_->matrix_f64 == 0) return;
      chart.ceilings.push_back({doubles ? "VALU, 64 bits" : "VALU", peak});
      if (!doubles) chart.ceilings.push_back({"VALU, pairs", 2 * peak});
    }
    chart.note = fmt::format("Each point is the kernel's {} work against the bytes of one level of memory.",
                             by_matrix ? "matrix" : "vector floating-point");
    if (!chart.ceilings.empty() && !chart.points.empty()) out_.roofline = std::move(chart);
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
      chart.bars.push_back({
          {cause},
          {{cause, exposed, false}, {cause, hidden, true}},
          fmt::format("{:.1f} % exposed", 100 * number(stall, "exposed_share"))
      });
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
    const std::vector<Event> events = events_of(kernel_);
    if (events.empty()) return;
    // From the middle of what was kept: the start is not typical.
    double last = 0;
    for (const Event& event : events) last = std::max(last, event.issued);
    const double from = last > 2 * kWindow ? last / 2 : std::max(0.0, last - kWindow), to = from + kWindow;
    const ordered_json& instructions = list(kernel_, "instructions");
    std::map<uint32_t, std::vector<report::Timeline::Span>> waves;
    size_t spans = 0;
    for (const Event& event : events) {
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

  void listing() {
    constexpr uint32_t kContext = 3;
    const ordered_json& instructions = list(kernel_, "instructions");
    double whole = 0;
    for (const ordered_json& one : instructions) whole += number(one, "latency") + number(one, "idle");
    if (instructions.empty() || whole <= 0) return;
    report::Listing listing;
    listing.cost_head = "stall a hit";
    listing.heat_note = "Heat is the share of the waves' time.";
    listing.heat_tag = Tag::Modelled;
    std::map<std::string, uint32_t> files;
    std::vector<std::map<uint32_t, std::pair<double, uint32_t>>> lines;
    for (const ordered_json& one : instructions) {
      const auto index = static_cast<uint32_t>(listing.code.size());
      report::Listing::Code code;
      code.pc = static_cast<uint64_t>(number(one, "offset"));
      code.text = text(one, "text");
      code.pipe = text(one, "pipe");
      code.heat = (number(one, "latency") + number(one, "idle")) / whole;
      if (const double hits = number(one, "hits"); hits > 0)
        code.cost = number_text(number(one, "stall") / hits);
      double most = 0;
      if (const auto causes = one.find("causes"); causes != one.end() && causes->is_object())
        for (const auto& [cause, cycles] : causes->items())
          if (cycles.is_number() && cycles.get<double>() > most)
            most = cycles.get<double>(), code.note = cause;
      if (const auto place = line_of(text(one, "source"))) {
        const auto [file, added] = files.try_emplace(place->first, static_cast<uint32_t>(files.size()));
        if (added) lines.emplace_back();
        code.file = file->second, code.line = place->second;
        const auto [line, first] = lines[file->second].try_emplace(place->second, 0.0, index);
        line->second.first += code.heat;
      }
      listing.code.push_back(std::move(code));
    }
    listing.files.resize(files.size());
    for (const auto& [path, index] : files) {
      report::Listing::File& file = listing.files[index];
      file.name = std::filesystem::path(path).filename().string();
      std::vector<std::string> all;
      std::error_code ignored;
      if (std::filesystem::is_regular_file(path, ignored)) {
        std::ifstream stream(path);
        for (std::string line; all.size() < 200'000 && std::getline(stream, line);) all.push_back(line);
      }
      std::set<uint32_t> shown;
      for (const auto& [line, fact] : lines[index])
        for (uint32_t n = line > kContext ? line - kContext : 1; n <= line + kContext; ++n)
          if (n == line || n <= all.size()) shown.insert(n);
      for (const uint32_t n : shown) {
        report::Listing::Line line{n, n <= all.size() ? all[n - 1] : std::string(), 0, "", report::kNowhere};
        if (const auto fact = lines[index].find(n); fact != lines[index].end())
          line.heat = fact->second.first, line.code = fact->second.second;
        file.lines.push_back(std::move(line));
      }
    }
    out_.listing = std::move(listing);
  }

  void memory() {
    const double seconds = number(kernel_, "seconds");
    report::Table table{
        "Memory",
        "Bytes of the whole grid, from the replay's cache lines; peaks are of the GPU's description; "
        "modelled.",
        {"level", "bytes", "hit rate", "bytes a second", "of its peak"},
        {1, 2, 3, 4},
        {},
        false
    };
    for (const Level& level : levels())
      table.rows.push_back(
          {{level.name},
           {fmt::format("{:.4g}", level.bytes)},
           {level.hits ? fmt::format("{:.1f} %", 100 * *level.hits) : ""},
           {seconds > 0 ? fmt::format("{:.4g}", level.bytes / seconds) : ""},
           {seconds > 0 && level.peak > 0 ? fmt::format("{:.1f} %", 100 * level.bytes / seconds / level.peak)
                                          : ""}});
    if (!table.rows.empty()) out_.tables.push_back(std::move(table));
  }

  void instructions() {
    report::Table table{
        "Instructions that stalled most",
        "Wave-cycles, as a thread trace counts them: latency is stall and issue, idle is before the wave got "
        "there; modelled.",
        {"instruction", "hits", "latency", "stall", "idle", "of all stalls", "mostly for"},
        {1, 2, 3, 4, 5},
        {},
        false
    };
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
      table.rows.push_back({
          {text(one, "text"), {}, order[i], {}},
          {number_text(number(one, "hits"))},
          {number_text(number(one, "latency"))},
          {number_text(number(one, "stall"))},
          {number_text(number(one, "idle"))},
          {fmt::format("{:.1f} %", 100 * number(one, "stall") / whole)},
          {cause}
      });
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

report::Trace trace_of_profile(const ordered_json& profile) {
  report::Trace trace;
  const auto kernels = kernels_of(profile);
  for (uint32_t k = 0; k < kernels.size(); ++k) {
    const ordered_json& kernel = *kernels[k];
    const ordered_json& instructions = list(kernel, "instructions");
    const double mhz = std::max(1.0, number(kernel, "clock_mhz"));
    std::set<std::pair<uint32_t, uint32_t>> waves;
    for (const Event& event : events_of(kernel)) {
      if (event.instruction >= instructions.size()) continue;
      const ordered_json& one = instructions[event.instruction];
      waves.insert({event.wave, event.simd});
      if (event.issued > event.reached)
        trace.events.push_back({k,
                                event.wave,
                                event.reached / mhz,
                                (event.issued - event.reached) / mhz,
                                event.cause.empty() ? "wait" : event.cause,
                                "stall",
                                {{"before", text(one, "text")}}});
      trace.events.push_back({
          k,
          event.wave,
          event.issued / mhz,
          4 / mhz,
          text(one, "text"),
          text(one, "pipe"),
          {{"offset", fmt::format("{:#x}", static_cast<uint64_t>(number(one, "offset")))},
                         {"source", text(one, "source")}}
      });
    }
    for (const auto& [wave, simd] : waves)
      trace.threads.push_back(
          {k, wave, readable(text(kernel, "name")), fmt::format("wave {} on SIMD {}", wave, simd)});
  }
  return trace;
}

}  // namespace wavesmith::cli
