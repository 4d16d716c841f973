#include "runtime/observe/statistics.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include <nlohmann/json.hpp>

#include "runtime/device/platform.h"

namespace wavesmith::runtime {
namespace {

struct Line {
  uint64_t launches = 0, workgroups = 0, waves = 0, instructions = 0;
  std::chrono::nanoseconds time{0};
  std::optional<double> modelled;  ///< seconds
};

nlohmann::json json_of(const std::string& name, const std::string& file, const Line& line) {
  nlohmann::json json{{"name", name},
                      {"file", file},
                      {"launches", line.launches},
                      {"workgroups", line.workgroups},
                      {"waves", line.waves},
                      {"instructions", line.instructions},
                      {"seconds", std::chrono::duration<double>(line.time).count()}};
  if (line.modelled) json["modelled_seconds"] = *line.modelled;
  return json;
}

nlohmann::json json_of(const LibraryCall& call, bool modelled) {
  nlohmann::json json{{"library", call.library},
                      {"function", call.function},
                      {"calls", call.calls},
                      {"seconds", std::chrono::duration<double>(call.host).count()},
                      {"served", "stand-in"}};
  if (!modelled) return json;
  json["modelled"] = "predicted";
  json["modelled_seconds"] = call.modelled;
  json["operations"] = call.operations;
  json["confidence"] = call.confidence;
  json["expected_error"] = call.error > 0 ? nlohmann::json(call.error) : nlohmann::json(nullptr);
  return json;
}

struct Report {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, Line> kernels;  ///< by name and file
  std::map<std::string, LibraryCall> library_calls;             ///< by library and function
  std::set<const emulate::Program*> programs;
  std::map<std::string, std::map<std::string, uint64_t>> mnemonics;  ///< of programs that are gone, by target

  void add_mnemonics(const emulate::Program& program) {
    for (const auto& [mnemonic, count] : program.instruction_mix())
      if (count) mnemonics[std::string(program.target().name)][mnemonic] += count;
  }

  void write(const Platform& platform) {
    const std::scoped_lock lock(mutex);
    nlohmann::json json;
    for (const auto& device : platform.devices) json["gpus"].push_back(device->gpu.id);
    json["kernels"] = nlohmann::json::array();
    for (const auto& [key, line] : kernels) json["kernels"].push_back(json_of(key.first, key.second, line));
    json["library_calls"] = nlohmann::json::array();
    for (const auto& [key, call] : library_calls)
      json["library_calls"].push_back(json_of(call, static_cast<bool>(platform.devices.front()->modelled)));
    for (const emulate::Program* const program : programs) add_mnemonics(*program);
    json["mnemonics"] = mnemonics;
    std::ofstream file(platform.report_path);
    if (file) file << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    if (!file)
      std::fprintf(stderr, "wavesmith: cannot write the report to '%s'\n", platform.report_path.c_str());
  }
};

Report& whole() {
  static auto& report = *new Report;
  return report;
}

/// Writes the report when the library is unloaded: after the program's own ends.
[[gnu::destructor]] void at_exit() {
  const char* const wanted = std::getenv("WAVESMITH_REPORT");
  if (!wanted || !*wanted) return;
  if (const Platform* const platform = Platform::get()) whole().write(*platform);
}

}  // namespace

void count_launch(const std::string& kernel, const std::string& file, const emulate::Statistics& statistics,
                  std::chrono::nanoseconds time, std::optional<double> modelled) {
  Report& report = whole();
  const std::scoped_lock lock(report.mutex);
  Line& line = report.kernels[{kernel, file}];
  ++line.launches;
  line.workgroups += statistics.workgroups;
  line.waves += statistics.waves;
  line.instructions += statistics.instructions;
  line.time += time;
  if (modelled) line.modelled = line.modelled.value_or(0) + *modelled;
}

void LibraryCall::weigh(std::string_view trust, double expected) {
  // "low", "medium", "high", by how far down.
  const auto rank = [](std::string_view word) { return word == "low" ? 0 : word == "medium" ? 1 : 2; };
  if (confidence.empty() || rank(trust) < rank(confidence)) confidence = trust;
  error = std::max(error, expected);
}

void count_library_call(const LibraryCall& call) {
  Report& report = whole();
  const std::scoped_lock lock(report.mutex);
  LibraryCall& sum = report.library_calls[call.library + ' ' + call.function];
  sum.library = call.library, sum.function = call.function;
  sum.calls += call.calls;
  sum.host += call.host;
  sum.modelled += call.modelled;
  sum.operations.insert(call.operations.begin(), call.operations.end());
  if (!call.confidence.empty()) sum.weigh(call.confidence, call.error);
}

uint64_t instructions() {
  Report& report = whole();
  const std::scoped_lock lock(report.mutex);
  uint64_t sum = 0;
  for (const auto& [name, line] : report.kernels) sum += line.instructions;
  return sum;
}

void count_program(const emulate::Program& program) {
  const std::scoped_lock lock(whole().mutex);
  whole().programs.insert(&program);
}

void forget_program(const emulate::Program& program) {
  const std::scoped_lock lock(whole().mutex);
  if (whole().programs.erase(&program)) whole().add_mnemonics(program);
}

}  // namespace wavesmith::runtime
