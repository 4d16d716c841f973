#include "cli/run/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/isa/isa.h"
#include "cli/terminal.h"
#include "emulate/translate/fidelity.h"
#include "gpus/gpu.h"
#include "isa/cost/cost.h"
#include "isa/rows.h"
#include "rocm/libraries/library_details.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;

double number(const ordered_json& object, const char* key) {
  const auto entry = object.find(key);
  return entry != object.end() && entry->is_number() ? entry->get<double>() : 0;
}

/// An instruction that ran, and what the emulator makes of it.
struct Counted {
  std::string mnemonic;
  double count;
  const isa::Target* target;
  emulate::InstructionFidelity fidelity;
};
using Counts = std::vector<Counted>;

/// From {"gfx942": {"v_add_f32": 12}}.
Counts read_counts(const ordered_json& json) {
  Counts counts;
  const auto targets = json.find("mnemonics");
  if (targets == json.end() || !targets->is_object()) return counts;
  for (const auto& [name, mnemonics] : targets->items()) {
    const isa::Target* target = isa::find_target(name);
    if (!target || !mnemonics.is_object()) continue;
    for (const auto& [mnemonic, count] : mnemonics.items())
      counts.push_back({mnemonic, count.get<double>(), target,
                        emulate::fidelity_of(mnemonic, isa::Encoding::Plain, *target)});
  }
  std::sort(counts.begin(), counts.end(),
            [](const Counted& a, const Counted& b) { return a.count > b.count; });
  return counts;
}

/// What an instruction is counted under in the mix: the pipe that takes it.
std::string_view class_of(const Counted& one) {
  const isa::Row* const row = isa::find_row(one.mnemonic, *one.target);
  switch (isa::pipe_of({.mnemonic = one.mnemonic}, row)) {
    case isa::Pipe::Matrix:
      return "matrix";
    case isa::Pipe::Lds:
      return "LDS";
    case isa::Pipe::Vmem:
      return "vector memory";
    case isa::Pipe::Smem:
      return "scalar memory";
    case isa::Pipe::Branch:
    case isa::Pipe::Message:
    case isa::Pipe::Internal:
      return "control and waits";
    case isa::Pipe::Salu:
      return "scalar ALU";
    default:
      return "vector ALU";
  }
}

void print_mix(const Counts& counts, double instructions) {
  std::map<std::string_view, double> classes;
  std::vector<std::pair<double, std::string>> most;
  for (const Counted& one : counts) {
    classes[class_of(one)] += one.count;
    most.emplace_back(one.count, one.mnemonic);
  }
  std::vector<std::pair<double, std::string_view>> sorted;
  for (const auto& [name, count] : classes) sorted.emplace_back(count, name);
  std::sort(sorted.rbegin(), sorted.rend());
  std::string line;
  for (const auto& [count, name] : sorted)
    line += fmt::format("{}{} {:.1f} %", line.empty() ? "" : ", ", name, 100 * count / instructions);
  fmt::print(stderr, "  mix           {}\n", line);
  std::sort(most.rbegin(), most.rend());
  line.clear();
  for (size_t i = 0; i < std::min<size_t>(5, most.size()); ++i)
    line += fmt::format("{}{} {:.1f} %", line.empty() ? "" : ", ", most[i].second,
                        100 * most[i].first / instructions);
  fmt::print(stderr, "  most          {}\n", line);
}

/// "171 of bitonic(int*, int, int)", or how many kernels there were.
std::string launched(const ordered_json& kernels, double launches) {
  if (kernels.size() != 1) return fmt::format("{} of {} kernels", count_text(launches), kernels.size());
  return fmt::format("{} of {}", count_text(launches),
                     study::readable(kernels[0].value("name", std::string())));
}

void print_fidelity(const Counts& counts, double instructions) {
  double exact = 0;
  for (const Counted& one : counts)
    if (one.fidelity.fidelity == isa::Fidelity::Exact) exact += one.count;
  fmt::print(stderr, "  fidelity      {:.2f} % of the instructions are exact\n",
             instructions > 0 ? 100 * exact / instructions : 100.0);
  for (const Counted& one : counts)
    if (one.fidelity.fidelity != isa::Fidelity::Exact)
      fmt::print(stderr, "    {:<28} {:>10}  {}{}{}\n", one.mnemonic, count_text(one.count),
                 fidelity_name(one.fidelity.fidelity), one.fidelity.note.empty() ? "" : ", ",
                 one.fidelity.note);
}

/// Calls of AMD's libraries that were served on the host, and with modelled time what they were taken to
/// take.
void print_library_calls(const ordered_json& calls) {
  double count = 0, seconds = 0, modelled = 0;
  bool predicted = false;
  for (const ordered_json& call : calls) {
    count += number(call, "calls"), seconds += number(call, "seconds"),
        modelled += number(call, "modelled_seconds");
    predicted |= call.contains("modelled");
  }
  if (calls.empty()) return;
  fmt::print(stderr, "  library calls {} of {} function{}, by stand-ins on the host: {:.3g} s{}\n",
             count_text(count), calls.size(), calls.size() == 1 ? "" : "s", seconds,
             predicted ? fmt::format("; modelled: predicted, {}", time_text(modelled)) : "");
  for (const ordered_json& call : calls) {
    std::string line = fmt::format("    {:<28} {:>10}  lib{}", call.value("function", std::string()),
                                   count_text(number(call, "calls")), call.value("library", std::string()));
    if (call.contains("modelled")) {
      std::string operations;
      for (const ordered_json& one : call["operations"])
        operations += (operations.empty() ? "" : ", ") + one.get<std::string>();
      line += fmt::format(", {} predicted{}{}", time_text(number(call, "modelled_seconds")),
                          operations.empty() ? "" : " as " + operations,
                          call.value("confidence", std::string()) == "low" ? ", low confidence" : "");
    }
    fmt::print(stderr, "{}\n", line);
  }
}

/// The kernels that take most of the modelled time. With the caches' state and the GPU's clock it differs
/// from launch to launch.
void print_modelled(const ordered_json& kernels) {
  std::vector<const ordered_json*> sorted;
  double sum = 0;
  for (const ordered_json& kernel : kernels)
    if (kernel.contains("modelled_seconds"))
      sorted.push_back(&kernel), sum += number(kernel, "modelled_seconds");
  if (sorted.empty()) return;
  std::ranges::sort(sorted, std::greater{},
                    [](const ordered_json* kernel) { return number(*kernel, "modelled_seconds"); });
  fmt::print(stderr, "  modelled      {} in kernels\n", time_text(sum));
  constexpr size_t kMost = 12, kLetters = 60;
  for (size_t i = 0; i < std::min(sorted.size(), kMost); ++i) {
    const double seconds = number(*sorted[i], "modelled_seconds");
    std::string name = study::readable(sorted[i]->value("name", std::string()));
    if (name.size() > kLetters) name = name.substr(0, kLetters - 3) + "...";
    fmt::print(stderr, "    {:>9}  {:>5.1f} %  {} x {}\n", time_text(seconds),
               sum > 0 ? 100 * seconds / sum : 0, count_text(number(*sorted[i], "launches")), name);
  }
  if (sorted.size() > kMost) fmt::print(stderr, "    and {} more (--json has all)\n", sorted.size() - kMost);
}

/// The libraries of AMD's whose kernels ran: name, file, release, and what of it.
ordered_json libraries_of(const ordered_json& kernels) {
  std::map<std::string, ordered_json> found;
  for (const ordered_json& kernel : kernels) {
    const std::string file = kernel.value("file", std::string());
    const rocm::LibraryProvider library = rocm::loaded_library(file);
    if (!library.library) continue;
    ordered_json& one = found[library.amd];
    if (one.is_null())
      one = {
          {"library", library.library->title},    {"soname", library.soname},         {"file", library.amd},
          {"version", rocm::version_of(library)}, {"kernels", ordered_json::array()}, {"launches", 0}};
    one["kernels"].push_back(kernel.value("name", std::string()));
    one["launches"] = one["launches"].get<uint64_t>() + kernel.value("launches", uint64_t{0});
  }
  ordered_json list = ordered_json::array();
  for (auto& [file, one] : found) list.push_back(std::move(one));
  return list;
}

void print_libraries(const ordered_json& libraries) {
  for (const ordered_json& one : libraries) {
    const std::string version = one.value("version", std::string());
    const auto& kernels = one["kernels"];
    std::string first = study::readable(kernels[0].get<std::string>());
    constexpr size_t kMost = 100;  // Tensile's have three hundred letters
    if (first.size() > kMost) first = first.substr(0, kMost) + "...";
    fmt::print(stderr, "  library       AMD's {} ({}{}): {} launch{} of {} kernel{}, {}{}\n",
               one.value("library", std::string()), one.value("soname", std::string()),
               version.empty() ? "" : ", " + version, count_text(number(one, "launches")),
               number(one, "launches") == 1 ? "" : "es", kernels.size(), kernels.size() == 1 ? "" : "s",
               first, kernels.size() == 1 ? "" : ", ...");
  }
}

}  // namespace

void print_report(const std::string& text, const ReportOptions& options) {
  ordered_json json = ordered_json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) json = ordered_json::object();
  for (const char* list : {"gpus", "kernels", "library_calls"})
    if (!json.contains(list)) json[list] = ordered_json::array();
  if (!options.json && json["kernels"].empty() && json["library_calls"].empty())
    return fmt::print(
        stderr, "\nwavesmith: no kernel ran to its end: the program launched none, or none that ended\n");
  double workgroups = 0, waves = 0, instructions = 0, seconds = 0, launches = 0;
  for (const ordered_json& kernel : json["kernels"]) {
    launches += number(kernel, "launches"), workgroups += number(kernel, "workgroups"),
        waves += number(kernel, "waves");
    instructions += number(kernel, "instructions"), seconds += number(kernel, "seconds");
  }
  const ordered_json libraries = libraries_of(json["kernels"]);
  if (options.json) {
    json["libraries"] = libraries;
    json["exit"] = options.code;
    if (options.fidelity)
      for (const Counted& one : read_counts(json))
        json["fidelity"].push_back({{"mnemonic", one.mnemonic},
                                    {"count", one.count},
                                    {"fidelity", fidelity_name(one.fidelity.fidelity)},
                                    {"note", one.fidelity.note}});
    json["total"] = {{"launches", launches},
                     {"workgroups", workgroups},
                     {"waves", waves},
                     {"instructions", instructions},
                     {"seconds", seconds}};
    return fmt::print("{}\n", json.dump(2));
  }
  std::string machine;
  for (const ordered_json& id : json["gpus"]) {
    const auto gpu = id.is_string() ? gpus::find_gpu(id.get<std::string>()) : tl::unexpected(Error{});
    const std::string name =
        gpu ? fmt::format("{} ({}, {} CUs)", (*gpu)->name, (*gpu)->target, (*gpu)->compute_units) : id.dump();
    if (machine.find(name) == machine.npos) machine += (machine.empty() ? "" : ", ") + name;
  }
  if (json["gpus"].size() > 1) machine = fmt::format("{} x {}", json["gpus"].size(), machine);
  fmt::print(stderr, "\n{}\n", "wavesmith: what ran");
  fmt::print(stderr, "  GPU           {}, emulated\n", machine);
  print_library_calls(json["library_calls"]);
  print_libraries(libraries);
  if (launches == 0) return;
  fmt::print(stderr, "  launches      {}\n", launched(json["kernels"], launches));
  fmt::print(stderr, "  waves         {} in {} workgroups\n", count_text(waves), count_text(workgroups));
  fmt::print(stderr, "  instructions  {} (of whole waves)\n", count_text(instructions));
  fmt::print(stderr, "  time          {:.3g} s in kernels\n", seconds);
  print_modelled(json["kernels"]);
  if (seconds > 0)
    fmt::print(stderr, "  speed         {} wave-instructions/s\n", count_text(instructions / seconds));
  const Counts counts = read_counts(json);
  if (counts.empty()) return;
  double counted = 0;
  for (const Counted& one : counts) counted += one.count;
  print_mix(counts, counted);
  if (options.fidelity) print_fidelity(counts, counted);
}

}  // namespace wavesmith::cli
