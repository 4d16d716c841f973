#include "runtime/wavesmith.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "check/json.h"
#include "gpus/slot.h"
#include "runtime/api/error.h"
#include "runtime/device/platform.h"
#include "runtime/device/started.h"
#include "runtime/observe/check.h"
#include "runtime/observe/statistics.h"
#include "runtime/observe/timeline.h"

namespace wavesmith::runtime {
namespace {

/// The text's length; the text, cut, where there is room.
size_t copied(const std::string& from, char* text, size_t size) {
  if (text && size > 0) {
    const size_t count = std::min(size - 1, from.size());
    std::memcpy(text, from.data(), count);
    text[count] = 0;
  }
  return from.size();
}

/// The report of the checks that this thread ended last.
std::string& last_check() {
  static thread_local std::string text;
  return text;
}

std::string field_of(const Device& device, std::string_view name) {
  if (name == "node") return fmt::to_string(device.number + 1);
  if (name == "uuid") return fmt::format("GPU-{:016x}", gpus::unique_id(device.gpu, device.number));
  for (const gpus::Field& field : gpus::fields())
    if (field.path == name) return gpus::value_text(device.gpu, field);
  return {};
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] uint64_t wavesmith_instructions(void) { return instructions(); }

[[gnu::visibility("default")]] void wavesmith_set_threads(int threads) {
  if (Platform* const platform = Platform::get()) platform->limits.threads = threads < 0 ? 0 : threads;
}

[[gnu::visibility("default")]] void wavesmith_show_host_memory(int all) {
  if (Platform* const platform = Platform::get()) platform->show_host_memory(all != 0);
}

[[gnu::visibility("default")]] size_t wavesmith_last_failure(char* text, size_t size) {
  return copied(last_report(), text, size);
}

[[gnu::visibility("default")]] int wavesmith_model_time(int on) {
  Platform* const platform = Platform::get();
  if (!platform) return 0;
  for (const auto& device : platform->devices) device->synchronize();
  return record_timeline(on != 0) ? 1 : 0;
}

[[gnu::visibility("default")]] uint64_t wavesmith_asked(void) { return operations_asked(); }

[[gnu::visibility("default")]] size_t wavesmith_timed_count(void) { return timeline_size(); }

[[gnu::visibility("default")]] int wavesmith_timed_at(size_t index, wavesmith_timed* timed) {
  const TimelineEntry* const entry = timeline_entry(index);
  if (!entry || !timed) return 0;
  *timed = {entry->name.c_str(), entry->bound, entry->device, entry->stream,
            entry->number,       entry->begin, entry->end};
  return 1;
}

[[gnu::visibility("default")]] int wavesmith_check_begin(const char* checkers) {
  Platform* const platform = Platform::get();
  if (!platform || !checkers) return 1;
  for (const auto& device : platform->devices) device->synchronize();
  const auto begun = begin_checks(checkers);
  if (!begun) report(begun.error());
  return begun ? 0 : 1;
}

[[gnu::visibility("default")]] size_t wavesmith_check_end(void) {
  Platform* const platform = Platform::get();
  if (!platform) return 0;
  for (const auto& device : platform->devices) device->synchronize();
  const auto ended = end_checks();
  if (!ended) return 0;
  last_check() = check::to_json(*ended);
  return last_check().size();
}

[[gnu::visibility("default")]] size_t wavesmith_check_report(char* text, size_t size) {
  return copied(last_check(), text, size);
}

[[gnu::visibility("default")]] void wavesmith_tell_served(const void* request, size_t bytes) {
  Platform* const platform = Platform::get();
  if (!platform || !checks()) return;
  for (size_t i = 0; i + sizeof(void*) <= bytes; i += sizeof(void*)) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, static_cast<const char*>(request) + i, sizeof pointer);
    if (const auto found = platform->allocations.find(pointer)) tell_served(pointer, *found);
  }
}

[[gnu::visibility("default")]] int wavesmith_started(void) { return started(); }

[[gnu::visibility("default")]] size_t wavesmith_gpu_field(int device, const char* field, char* text,
                                                          size_t size) {
  Platform* const platform = Platform::get();
  const Device* const one = platform ? platform->device(device) : nullptr;
  return copied(one && field ? field_of(*one, field) : std::string(), text, size);
}

}  // extern "C"

}  // namespace wavesmith::runtime
