// Comparing what the analysis says of two kernels.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "study/compare.h"
#include "study/names.h"

namespace wavesmith::study {
namespace {

using analysis::kNone;
using analysis::Tag;
using Better = Change::Better;

/// Lines of the source by their text, so that lines which only moved are the same line.
class Texts {
 public:
  explicit Texts(const analysis::KernelAnalysis& kernel) : kernel_(kernel), files_(kernel.files.size()) {}

  /// The text of an instruction's line without the blanks around it; its place where the text is not there;
  /// empty when the line is not known.
  std::string of(const analysis::SourceLine& at) {
    if (at.file >= files_.size() || at.line == 0) return {};
    auto& lines = files_[at.file];
    if (!lines) lines = read(kernel_.files[at.file]);
    const std::string name = std::filesystem::path(kernel_.files[at.file]).filename().string();
    if (at.line > lines->size()) return fmt::format("{}:{}", name, at.line);
    std::string text = (*lines)[at.line - 1];
    text.erase(0, text.find_first_not_of(" \t"));
    text.erase(text.find_last_not_of(" \t\r") + 1);
    return text;
  }

 private:
  static std::vector<std::string> read(const std::string& path) {
    std::vector<std::string> lines;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  const analysis::KernelAnalysis& kernel_;
  std::vector<std::optional<std::vector<std::string>>> files_;
};

std::set<std::string> lines_of(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop,
                               Texts& texts) {
  std::set<std::string> lines;
  for (const uint32_t b : loop.blocks)
    for (uint32_t i = kernel.blocks[b].begin; i < kernel.blocks[b].end; ++i)
      if (std::string text = texts.of(kernel.instructions[i].source); !text.empty())
        lines.insert(std::move(text));
  return lines;
}

double likeness(const std::set<std::string>& a, const std::set<std::string>& b) {
  size_t common = 0;
  for (const std::string& line : a) common += b.contains(line);
  const size_t all = a.size() + b.size() - common;
  return all ? static_cast<double>(common) / static_cast<double>(all) : 0;
}

/// Loops that come from the same lines; where that says nothing, the n-th of a depth on both sides.
std::vector<LoopPair> pair_loops(const analysis::KernelAnalysis& a, const analysis::KernelAnalysis& b) {
  Texts texts_a(a), texts_b(b);
  std::vector<std::set<std::string>> lines_a, lines_b;
  for (const auto& loop : a.loops) lines_a.push_back(lines_of(a, loop, texts_a));
  for (const auto& loop : b.loops) lines_b.push_back(lines_of(b, loop, texts_b));
  struct Match {
    double likeness;
    uint32_t a, b;
  };
  std::vector<Match> matches;
  for (uint32_t i = 0; i < a.loops.size(); ++i)
    for (uint32_t j = 0; j < b.loops.size(); ++j) {
      double like = likeness(lines_a[i], lines_b[j]);
      // Loops of the same lines (unrolled ones and their rests) are told apart by depth and order.
      like -= 0.01 * std::abs(static_cast<int>(a.loops[i].depth) - static_cast<int>(b.loops[j].depth));
      like -= 0.0001 * std::abs(static_cast<int>(i) - static_cast<int>(j));
      if (like > 0.2) matches.push_back({like, i, j});
    }
  std::sort(matches.begin(), matches.end(), [](const Match& x, const Match& y) {
    return x.likeness != y.likeness ? x.likeness > y.likeness : std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  std::vector<uint32_t> of_a(a.loops.size(), kNone), of_b(b.loops.size(), kNone);
  for (const Match& match : matches)
    if (of_a[match.a] == kNone && of_b[match.b] == kNone) of_a[match.a] = match.b, of_b[match.b] = match.a;
  for (uint32_t i = 0; i < a.loops.size(); ++i)
    for (uint32_t j = 0; j < b.loops.size() && of_a[i] == kNone; ++j)
      if (of_b[j] == kNone && a.loops[i].depth == b.loops[j].depth &&
          (lines_a[i].empty() || lines_b[j].empty()))
        of_a[i] = j, of_b[j] = i;
  std::vector<LoopPair> pairs;
  for (uint32_t i = 0; i < a.loops.size(); ++i) pairs.push_back({i, of_a[i]});
  for (uint32_t j = 0; j < b.loops.size(); ++j)
    if (of_b[j] == kNone) pairs.push_back({kNone, j});
  return pairs;
}

template <class Name>
std::vector<Share> shares(const analysis::KernelAnalysis& a, const analysis::KernelAnalysis& b, Name name) {
  std::map<std::string, Share> all;
  const auto add = [&](const analysis::KernelAnalysis& kernel, bool is_b) {
    const std::vector<double> counts = executions(kernel);
    Texts texts(kernel);
    for (uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      const std::string key = name(kernel, i, texts);
      if (key.empty()) continue;
      Share& share = all[key];
      share.name = key;
      ++(is_b ? share.count_b : share.count_a);
      (is_b ? share.cycles_b : share.cycles_a) += counts[i] * cost_of(kernel.instructions[i]);
      std::string& place = is_b ? share.place_b : share.place_a;
      if (place.empty()) place = place_of(kernel, i);
    }
  };
  add(a, false), add(b, true);
  std::vector<Share> out;
  for (auto& [key, share] : all)
    if (share.count_a != share.count_b || share.cycles_a != share.cycles_b) out.push_back(std::move(share));
  const auto weight = [](const Share& s) {
    return std::pair(std::fabs(s.cycles_b - s.cycles_a),
                     std::abs(static_cast<int>(s.count_b) - static_cast<int>(s.count_a)));
  };
  std::sort(out.begin(), out.end(), [&](const Share& x, const Share& y) {
    return weight(x) != weight(y) ? weight(x) > weight(y) : x.name < y.name;
  });
  return out;
}

/// Whether `few` runs a `times`th as often as `many`.
bool fewer_passes(const analysis::Loop& many, const analysis::Loop& few, int times) {
  if (many.trips.value && few.trips.value)
    return std::abs(*few.trips.value * times / *many.trips.value - 1) < 0.1;
  // "n (n: argument 5)" and "n / 8 (n: argument 5)"
  const auto formula = [](const analysis::Loop& loop) {
    return loop.trips_formula.substr(0, loop.trips_formula.find(" ("));
  };
  return !many.trips_formula.empty() &&
         formula(few).starts_with(fmt::format("{} / {}", formula(many), times));
}

/// How much more a pass of B's loop does, when it was unrolled otherwise: what can't be optimised away, all
/// in the same proportion.
std::pair<double, std::string> work_of(const Pass& a, const Pass& b, const analysis::Loop& loop_a,
                                       const analysis::Loop& loop_b) {
  const std::pair<double Pass::*, const char*> kinds[] = {
      {&Pass::matrix_operations, "matrix operations"},
      {&Pass::load_bytes, "bytes loaded"},
      {&Pass::store_bytes, "bytes stored"},
  };
  double work = 0;
  std::string by;
  for (const auto& [member, name] : kinds) {
    if (!(a.*member > 0) || !(b.*member > 0)) continue;
    const double ratio = b.*member / a.*member;
    if (by.empty()) work = ratio, by = name;
    // Different proportions: not the same work at all.
    if (ratio < 0.8 * work || ratio > 1.25 * work) return {1, ""};
  }
  // More arithmetic alone may be other work; with as many passes fewer it is the same.
  if (by.empty() && a.vector_operations > 0 && b.vector_operations > 0) {
    const double ratio = b.vector_operations / a.vector_operations, times = std::max(ratio, 1 / ratio);
    const auto whole = static_cast<int>(std::lround(times));
    if (whole > 1 && std::abs(times / whole - 1) < 0.1 &&
        (ratio > 1 ? fewer_passes(loop_a, loop_b, whole) : fewer_passes(loop_b, loop_a, whole)))
      work = ratio, by = "floating-point operations";
  }
  // A little more or less is another way to do the same.
  if (by.empty() || (work > 0.8 && work < 1.25)) return {1, ""};
  return {work, by};
}

/// What a pass of a loop is made of, on one side.
struct Parts {
  double work = 0;   ///< cycles of the busiest pipe
  double chain = 0;  ///< cycles of a wave alone
  double waves = 1;
  double mhz = 1;
};

double time_of(const Parts& parts) { return std::max(parts.work, parts.chain / parts.waves) / parts.mhz; }

std::string mnemonics_text(const analysis::KernelAnalysis& a, const analysis::KernelAnalysis& b,
                           const LoopPair& loop, isa::Pipe pipe) {
  std::map<std::string, int> counts;
  const auto add = [&](const analysis::KernelAnalysis& kernel, uint32_t index, int sign) {
    for (const uint32_t block : kernel.loops[index].blocks)
      for (uint32_t i = kernel.blocks[block].begin; i < kernel.blocks[block].end; ++i)
        if (kernel.instructions[i].pipe == pipe) counts[kernel.instructions[i].mnemonic] += sign;
  };
  add(a, loop.a, -1), add(b, loop.b, 1);
  std::vector<std::pair<int, std::string>> most;
  for (const auto& [mnemonic, count] : counts)
    if (count != 0) most.emplace_back(-std::abs(count), fmt::format("{:+} {}", count, mnemonic));
  std::sort(most.begin(), most.end());
  std::vector<std::string> words;
  for (const auto& [order, text] : most)
    if (words.size() < 3) words.push_back(text);
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Shares of the hot loop's difference that each part would make alone: the mean over all orders in which A's
/// parts can be exchanged for B's (Shapley's value), so that they add up.
std::vector<Cause> causes_of(const Comparison& comparison) {
  if (comparison.hot == kNone) return {};
  const LoopPair& pair = comparison.loops[comparison.hot];
  if (pair.a == kNone || pair.b == kNone) return {};
  const analysis::KernelAnalysis &a = *comparison.a.kernel, &b = *comparison.b.kernel;
  const analysis::Loop &loop_a = a.loops[pair.a], &loop_b = b.loops[pair.b];
  if (!loop_time(a, loop_a) || !loop_time(b, loop_b) || !comparable(a, loop_a, b, loop_b)) return {};
  const auto parts = [](const analysis::KernelAnalysis& kernel, const analysis::Loop& loop,
                        const gpus::Gpu& gpu) {
    const Pass pass = pass_of(kernel, loop);
    return Parts{std::max(pass.throughput, pass.l2), pass.one_wave,
                 static_cast<double>(std::max(1u, kernel.occupancy.now.waves_per_simd)),
                 static_cast<double>(std::max(1u, gpu.engine_mhz))};
  };
  const Parts from = parts(a, loop_a, *comparison.a.gpu);
  Parts to = parts(b, loop_b, *comparison.b.gpu);
  to.work /= comparison.work, to.chain /= comparison.work;
  constexpr std::array<double Parts::*, 4> kMembers = {&Parts::work, &Parts::chain, &Parts::waves,
                                                       &Parts::mhz};
  std::array<double, 4> share{};
  std::array<size_t, 4> order = {0, 1, 2, 3};
  int orders = 0;
  do {
    Parts now = from;
    for (const size_t i : order) {
      const double before = time_of(now);
      now.*kMembers[i] = to.*kMembers[i];
      share[i] += time_of(now) - before;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<Cause> causes;
  const auto add = [&](size_t i, const std::string& text) {
    // In cycles of A's clock.
    const double cycles = share[i] / orders * from.mhz;
    if (std::fabs(cycles) > 1e-9) causes.push_back({text, cycles});
  };
  const auto pipe_name = [](isa::Pipe pipe) { return std::string(isa::name_of(pipe)); };
  std::string work =
      fmt::format("the busiest pipe: {} {} instead of {} {} cycles", pipe_name(loop_b.cycles.bound),
                  number_text(to.work), pipe_name(loop_a.cycles.bound), number_text(from.work));
  if (const std::string text = mnemonics_text(a, b, pair, loop_b.cycles.bound); !text.empty())
    work += " (" + text + ")";
  add(0, work);
  add(1, fmt::format("dependencies and issue: a wave alone takes {} instead of {} cycles",
                     number_text(to.chain), number_text(from.chain)));
  add(2, fmt::format("occupancy: {} instead of {} waves per SIMD, limited by {}", to.waves, from.waves,
                     gpus::name_of(b.occupancy.now.limiter)));
  add(3, fmt::format("the clock: {} instead of {} MHz", to.mhz, from.mhz));
  std::sort(causes.begin(), causes.end(),
            [](const Cause& x, const Cause& y) { return std::fabs(x.cycles) > std::fabs(y.cycles); });
  return causes;
}

bool same_code(const analysis::KernelAnalysis& a, const analysis::KernelAnalysis& b) {
  return std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                    b.instructions.end(), [](const auto& x, const auto& y) { return x.text == y.text; });
}

void add_mix(std::vector<Change>& changes, const analysis::Mix& a, const analysis::Mix& b) {
  changes.push_back(
      {"instructions", static_cast<double>(a.total), static_cast<double>(b.total), Tag::Derived});
  for (size_t i = 0; i < a.count.size(); ++i)
    if (a.count[i] || b.count[i])
      changes.push_back({fmt::format("{} instructions", isa::name_of(static_cast<isa::Pipe>(i))),
                         static_cast<double>(a.count[i]), static_cast<double>(b.count[i]), Tag::Derived});
  if (a.scratch || b.scratch)
    changes.push_back({"scratch instructions", static_cast<double>(a.scratch), static_cast<double>(b.scratch),
                       Tag::Derived});
}

std::string verdict_of(const Comparison& comparison) {
  const bool same_gpu = comparison.a.gpu == comparison.b.gpu;
  const bool same_waves =
      comparison.a.kernel->occupancy.now.waves_per_simd == comparison.b.kernel->occupancy.now.waves_per_simd;
  if (comparison.same_code && same_gpu && same_waves)
    return "the same instructions, registers and waves: nothing has changed";
  if (comparison.hot == kNone) return "no loop to compare";
  const LoopPair& pair = comparison.loops[comparison.hot];
  if (pair.a == kNone || pair.b == kNone) return "B has no loop that matches A's hot one";
  const auto a = loop_time(*comparison.a.kernel, comparison.a.kernel->loops[pair.a]),
             b = loop_time(*comparison.b.kernel, comparison.b.kernel->loops[pair.b]);
  if (!a || !b) return "the cycles of the hot loop are unknown";
  if (!comparable(*comparison.a.kernel, comparison.a.kernel->loops[pair.a], *comparison.b.kernel,
                  comparison.b.kernel->loops[pair.b]))
    return "unknown: other loops are inside of the hot loop, and how often they run is not known";
  const double from = a->cycles / comparison.a.gpu->engine_mhz,
               to = b->cycles / comparison.work / comparison.b.gpu->engine_mhz;
  const double change = 100 * (to / from - 1);
  const std::string what =
      comparison.work == 1 ? "a pass of the hot loop"
                           : fmt::format("the hot loop's work (B does {} times as much in a pass, by its {})",
                                         number_text(comparison.work), comparison.work_by);
  if (std::fabs(change) < 0.05) return what + " takes as long on a SIMD";
  return fmt::format("{} takes {:.1f} % {} time on a SIMD", what, std::fabs(change),
                     change < 0 ? "less" : "more");
}

}  // namespace

bool comparable(const analysis::KernelAnalysis& a, const analysis::Loop& loop_a,
                const analysis::KernelAnalysis& b, const analysis::Loop& loop_b) {
  const Pass from = pass_of(a, loop_a), to = pass_of(b, loop_b);
  return from.inner == to.inner || (from.unknown == 0 && to.unknown == 0);
}

std::vector<Change> changes_of(const ComparedKernel& a, const ComparedKernel& b, const LoopPair& pair) {
  static const analysis::Loop kNothing;
  const analysis::Loop& from = pair.a == kNone ? kNothing : a.kernel->loops[pair.a];
  const analysis::Loop& to = pair.b == kNone ? kNothing : b.kernel->loops[pair.b];
  std::vector<Change> changes;
  const auto time_a = pair.a == kNone ? std::nullopt : loop_time(*a.kernel, from);
  const auto time_b = pair.b == kNone ? std::nullopt : loop_time(*b.kernel, to);
  if (time_a && time_b) {
    changes.push_back({"cycles per pass at its occupancy", time_a->cycles, time_b->cycles, Tag::Modelled});
    if (a.gpu != b.gpu) {
      changes.push_back({"ns per pass at the peak clock", 1e3 * time_a->cycles / a.gpu->engine_mhz,
                         1e3 * time_b->cycles / b.gpu->engine_mhz, Tag::Modelled});
      const auto whole = [](const gpus::Gpu& gpu, double cycles) {
        return static_cast<double>(gpu.compute_units) * gpu.simds_per_unit * gpu.engine_mhz / cycles;
      };
      changes.push_back({"passes a us of the whole GPU", whole(*a.gpu, time_a->cycles),
                         whole(*b.gpu, time_b->cycles), Tag::Modelled, Better::More});
    }
    changes.push_back({"cycles of a wave alone", from.cycles.one_wave, to.cycles.one_wave, Tag::Modelled});
    changes.push_back({"cycles of the longest chain", from.cycles.latency, to.cycles.latency, Tag::Modelled});
    for (size_t i = 0; i < from.cycles.pipe.size(); ++i)
      if (from.cycles.pipe[i] > 0 || to.cycles.pipe[i] > 0)
        changes.push_back({fmt::format("{} cycles", isa::name_of(static_cast<isa::Pipe>(i))),
                           from.cycles.pipe[i], to.cycles.pipe[i], Tag::Modelled});
  }
  add_mix(changes, from.mix, to.mix);
  changes.push_back(
      {"bytes of code", static_cast<double>(from.bytes), static_cast<double>(to.bytes), Tag::Derived});
  changes.push_back({"VGPRs live at most", static_cast<double>(from.live_peak.vgprs),
                     static_cast<double>(to.live_peak.vgprs), Tag::Derived});
  return changes;
}

Comparison compare(const ComparedKernel& a, const ComparedKernel& b) {
  Comparison out{a, b, same_code(*a.kernel, *b.kernel), {}, {}, kNone, {}, {}, {}, {}};
  const analysis::Resources &from = a.kernel->resources, &to = b.kernel->resources;
  const auto add = [&](std::string name, double x, double y, Tag tag, Better better = Better::Less) {
    out.changes.push_back({std::move(name), x, y, tag, better});
  };
  add("waves per SIMD", a.kernel->occupancy.now.waves_per_simd, b.kernel->occupancy.now.waves_per_simd,
      Tag::Derived, Better::More);
  add("VGPRs", from.used.vgprs, to.used.vgprs, Tag::Read);
  add("AGPRs", from.used.agprs, to.used.agprs, Tag::Read);
  add("SGPRs", from.used.sgprs, to.used.sgprs, Tag::Read);
  add("VGPRs spilled", from.vgpr_spills, to.vgpr_spills, Tag::Read);
  add("SGPRs spilled", from.sgpr_spills, to.sgpr_spills, Tag::Read);
  add("bytes of scratch per lane", from.scratch_bytes, to.scratch_bytes, Tag::Read);
  add("bytes of LDS", from.lds_bytes, to.lds_bytes, Tag::Read);
  add("VGPRs and AGPRs live at most", a.kernel->live_peak.vgprs + a.kernel->live_peak.agprs,
      b.kernel->live_peak.vgprs + b.kernel->live_peak.agprs, Tag::Derived);
  add("bytes of code", from.code_bytes, to.code_bytes, Tag::Derived);
  add_mix(out.changes, a.kernel->mix, b.kernel->mix);
  add("findings", static_cast<double>(a.kernel->findings.size()),
      static_cast<double>(b.kernel->findings.size()), Tag::Derived);
  out.loops = pair_loops(*a.kernel, *b.kernel);
  if (const uint32_t hot = hot_loop(*a.kernel); hot != kNone)
    for (uint32_t i = 0; i < out.loops.size(); ++i)
      if (out.loops[i].a == hot) out.hot = i;
  out.lines =
      shares(*a.kernel, *b.kernel, [](const analysis::KernelAnalysis& kernel, uint32_t i, Texts& texts) {
        return texts.of(kernel.instructions[i].source);
      });
  out.mnemonics =
      shares(*a.kernel, *b.kernel, [](const analysis::KernelAnalysis& kernel, uint32_t i, Texts&) {
        return kernel.instructions[i].mnemonic;
      });
  if (out.hot != kNone && out.loops[out.hot].b != kNone) {
    const analysis::Loop &loop_a = a.kernel->loops[out.loops[out.hot].a],
                         &loop_b = b.kernel->loops[out.loops[out.hot].b];
    std::tie(out.work, out.work_by) =
        work_of(pass_of(*a.kernel, loop_a), pass_of(*b.kernel, loop_b), loop_a, loop_b);
  }
  out.causes = causes_of(out);
  out.verdict = verdict_of(out);
  return out;
}

Pairs pair_kernels(const Analysed& a, const Analysed& b) {
  Pairs out;
  if (a.kernels.size() == 1 && b.kernels.size() == 1) {
    out.pairs.emplace_back(&a.kernels[0], &b.kernels[0]);
    return out;
  }
  std::vector<bool> used(b.kernels.size(), false);
  for (const analysis::KernelAnalysis& kernel : a.kernels) {
    size_t match = b.kernels.size();
    for (size_t j = 0; j < b.kernels.size() && match == b.kernels.size(); ++j)
      if (!used[j] && b.kernels[j].name == kernel.name) match = j;
    if (match < b.kernels.size()) {
      used[match] = true;
      out.pairs.emplace_back(&kernel, &b.kernels[match]);
    } else {
      out.only_a.push_back(readable(kernel.name));
    }
  }
  for (size_t j = 0; j < b.kernels.size(); ++j)
    if (!used[j]) out.only_b.push_back(readable(b.kernels[j].name));
  return out;
}

std::string change_text(const Change& change) {
  if (!change.changed()) return "the same";
  const double by = change.b - change.a;
  std::string text = fmt::format("{}{}", by > 0 ? "+" : "", number_text(by));
  if (change.a != 0)
    text += fmt::format(" ({:+.{}f} %)", 100 * by / change.a, std::fabs(by / change.a) < 0.0995 ? 1 : 0);
  return text;
}

}  // namespace wavesmith::study
