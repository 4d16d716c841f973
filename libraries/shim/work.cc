#include "libraries/shim/work.h"

#include <dlfcn.h>

#include <atomic>

extern "C" int hipLaunchHostFunc(void* stream, void (*function)(void*), void* data);

namespace wavesmith::libraries {
namespace {

/// A function of the runtime that this library is linked to, which may be AMD's and lack it.
void* function_of_runtime(const char* name) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(hipLaunchHostFunc), &info)) return nullptr;
  void* const runtime = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!runtime) return nullptr;
  void* const found = dlsym(runtime, name);
  dlclose(runtime);
  return found;
}

void ignore(const wavesmith_work*) {}

}  // namespace

WorkListener work_listener() {
  static std::atomic<WorkListener> listener{nullptr};
  WorkListener known = listener.load(std::memory_order_relaxed);
  if (!known) {
    const auto wanted = reinterpret_cast<int (*)()>(function_of_runtime("wavesmith_work_wanted"));
    void* const report = wanted && wanted() ? function_of_runtime("wavesmith_tell_work") : nullptr;
    known = report ? reinterpret_cast<WorkListener>(report) : ignore;
    listener.store(known, std::memory_order_relaxed);
  }
  return known == ignore ? nullptr : known;
}

void tell_served(const void* request, size_t bytes) {
  using Listener = void (*)(const void*, size_t);
  static const auto listener = reinterpret_cast<Listener>(function_of_runtime("wavesmith_tell_served"));
  if (listener) listener(request, bytes);
}

void WorkReporter::operator()(const GpuWork& work) const {
  const wavesmith_work record = work.record(WAVESMITH_LIBRARY, call_.function, call_.continues);
  listener_(&record);
}

double work_begins() {
  if (!work_listener()) return 0;
  const auto begins = reinterpret_cast<double (*)()>(function_of_runtime("wavesmith_work_begins"));
  return begins ? begins() : 0;
}

}  // namespace wavesmith::libraries
