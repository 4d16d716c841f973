#include "runtime/launch/library_call.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "model/operation.h"
#include "runtime/device/device.h"
#include "runtime/device/platform.h"
#include "runtime/observe/modelled_time.h"
#include "runtime/observe/statistics.h"
#include "runtime/observe/timeline.h"
#include "runtime/wavesmith.h"

namespace wavesmith::runtime {
namespace {

/// A host function of a stream while a thread runs it, with the GPU work that it has reported.
struct HostFunction {
  Stream& stream;
  std::optional<double> begins = {};  ///< seconds of modelled time
  double seconds = 0;                 ///< that the reported work takes
  double not_before = 0;              ///< seconds of modelled time
  bool reported = false;
  LibraryCall call = {};
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();

  double begin() {
    if (!begins) begins = stream.device.modelled->start(stream);
    return *begins;
  }
};
thread_local HostFunction* running = nullptr;

using Values = std::map<std::string, std::string, std::less<>>;

Values values_of(const wavesmith_work& work) {
  Values values;
  for (size_t i = 0; i < work.count; ++i) {
    const wavesmith_parameter& one = work.parameters[i];
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.0f", one.number);
    values[one.name] = one.word ? one.word : digits;
  }
  return values;
}

struct Known {
  double seconds = 0, error = 0;
  model::Confidence confidence = model::Confidence::Low;
};

/// The model's prediction, made once per GPU, operation and arguments. Work that it cannot predict takes no
/// time, and a line on stderr says so.
Known predict(const gpus::Gpu& gpu, const wavesmith_work& work) {
  const Values values = values_of(work);
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(&gpu)) + work.operation;
  for (const auto& [name, value] : values) key += " " + name + "=" + value;
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, Known>;
  const std::scoped_lock lock(mutex);
  const auto [found, added] = known.try_emplace(key);
  if (!added) return found->second;
  const auto operation = model::find_operation(work.operation);
  const auto predicted = operation ? (*operation)->predict(gpu, values) : tl::unexpected(operation.error());
  if (predicted)
    found->second = {predicted->prediction.seconds, predicted->prediction.error(),
                     predicted->prediction.confidence};
  else
    std::fprintf(stderr, "wavesmith: no modelled time for %s: %s\n", work.operation,
                 predicted.error().text().c_str());
  return found->second;
}

void report(const wavesmith_work& work) {
  if (!running->reported) {
    running->reported = true;
    running->call.calls = work.continues ? 0 : 1;
    running->call.library = work.library ? work.library : "";
    running->call.function = work.function ? work.function : "(unnamed)";
  }
  running->not_before = std::max(running->not_before, work.not_before);
  if (!work.operation) return;
  running->call.operations.insert(work.operation);
  const auto& modelled = running->stream.device.modelled;
  if (!modelled || work.times <= 0) return;
  const Known known = predict(running->stream.device.gpu, work);
  // One kernel behind the other.
  const double kernels = work.times - (running->seconds > 0 ? 0 : 1);
  running->seconds += known.seconds * work.times + modelled->gap_seconds() * kernels;
  running->call.weigh(model::name_of(known.confidence), known.error);
}

/// Prints once, where progress is wanted, that some of the program's times are not those of kernels.
void say_predicted(const std::string& function) {
  static std::once_flag said;
  std::call_once(said, [&] {
    const char* const wanted = std::getenv("WAVESMITH_PROGRESS");
    if (!wanted || std::string_view(wanted) != "1") return;
    std::fprintf(stderr,
                 "wavesmith: %s is served by a stand-in on the host: the times of such calls are predicted "
                 "(--report lists them)\n",
                 function.c_str());
  });
}

}  // namespace

void call_host(Stream& stream, void (*function)(void*), void* user) {
  static const bool wanted = wavesmith_work_wanted() != 0;
  if (!wanted) return function(user);
  HostFunction mine{.stream = stream};
  HostFunction* const outer = std::exchange(running, &mine);
  function(user);
  running = outer;
  if (!mine.reported) return;
  if (stream.device.modelled) {
    stream.modelled_until(std::max(mine.begin(), mine.not_before) + mine.seconds);
    mine.call.modelled = mine.seconds;
    if (mine.seconds > 0) say_predicted(mine.call.function);
    note_timed(stream, mine.call.function, "", mine.begin(), mine.begin() + mine.seconds);
    log_modelled(mine.call.function, mine.seconds, "predicted");
  }
  mine.call.host = std::chrono::steady_clock::now() - mine.since;
  count_library_call(mine.call);
}

extern "C" {

[[gnu::visibility("default")]] int wavesmith_work_wanted(void) {
  const char* const report = std::getenv("WAVESMITH_REPORT");
  return time_mode() != TimeMode::Host || (report && *report);
}

[[gnu::visibility("default")]] void wavesmith_tell_work(const wavesmith_work* work) {
  if (running && work) report(*work);
}

[[gnu::visibility("default")]] double wavesmith_work_begins(void) {
  return running && running->stream.device.modelled ? running->begin() : 0;
}

}  // extern "C"

}  // namespace wavesmith::runtime
