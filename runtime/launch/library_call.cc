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
#include "runtime/wavesmith.h"

namespace wavesmith::runtime {
namespace {

/// The function of the host that a thread runs.
struct Turn {
  Stream& stream;
  std::optional<double> begins = {};  ///< of modelled time
  double seconds = 0;                 ///< that what was told takes
  double not_before = 0;
  bool told = false;
  LibraryCall call = {};
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();

  double begin() {
    if (!begins) begins = stream.device.modelled->start(stream);
    return *begins;
  }
};
thread_local Turn* turn = nullptr;

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

/// What the model says, asked once for each GPU, operation and arguments. What it cannot predict takes no
/// time, and is said.
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
    found->second = {predicted->prediction.seconds, predicted->prediction.error,
                     predicted->prediction.confidence};
  else
    std::fprintf(stderr, "wavesmith: no modelled time for %s: %s\n", work.operation,
                 predicted.error().text().c_str());
  return found->second;
}

void tell(const wavesmith_work& work) {
  if (!turn->told) {
    turn->told = true;
    turn->call.calls = work.continues ? 0 : 1;
    turn->call.library = work.library ? work.library : "";
    turn->call.function = work.function ? work.function : "(unnamed)";
  }
  turn->not_before = std::max(turn->not_before, work.not_before);
  if (!work.operation) return;
  turn->call.operations.insert(work.operation);
  const auto& modelled = turn->stream.device.modelled;
  if (!modelled || work.times <= 0) return;
  const Known known = predict(turn->stream.device.gpu, work);
  // One kernel behind the other.
  const double kernels = work.times - (turn->seconds > 0 ? 0 : 1);
  turn->seconds += known.seconds * work.times + modelled->gap_seconds() * kernels;
  turn->call.weigh(model::name_of(known.confidence), known.error);
}

/// Says once, where anything is said, that not all of the program's times are those of kernels.
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
  Turn mine{.stream = stream};
  Turn* const before = std::exchange(turn, &mine);
  function(user);
  turn = before;
  if (!mine.told) return;
  if (stream.device.modelled) {
    stream.modelled_until(std::max(mine.begin(), mine.not_before) + mine.seconds);
    mine.call.modelled = mine.seconds;
    if (mine.seconds > 0) say_predicted(mine.call.function);
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
  if (turn && work) tell(*work);
}

[[gnu::visibility("default")]] double wavesmith_work_begins(void) {
  return turn && turn->stream.device.modelled ? turn->begin() : 0;
}

}  // extern "C"

}  // namespace wavesmith::runtime
