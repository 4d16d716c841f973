#include "runtime/stream/ipc_event.h"

#include <sys/mman.h>

#include <chrono>
#include <new>
#include <thread>

namespace wavesmith::runtime {
namespace {

std::shared_ptr<SharedEvent> show(Result<std::shared_ptr<emulate::SharedPages>> pages, bool first) {
  if (!pages) return {};
  void* const at =
      mmap(nullptr, sizeof(EventCounters), PROT_READ | PROT_WRITE, MAP_SHARED, (*pages)->file(), 0);
  if (at == MAP_FAILED) return {};
  auto event = std::make_shared<SharedEvent>();
  event->pages = std::move(*pages);
  event->counters = first ? new (at) EventCounters : static_cast<EventCounters*>(at);
  return event;
}

}  // namespace

SharedEvent::~SharedEvent() {
  if (counters) munmap(counters, sizeof(EventCounters));
}

std::shared_ptr<SharedEvent> create_shared_event() {
  return show(emulate::SharedPages::create(emulate::Memory::page_bytes()), true);
}
std::shared_ptr<SharedEvent> open_shared_event(int process, int file, uint64_t serial) {
  return show(emulate::SharedPages::open(process, file, serial, emulate::Memory::page_bytes()), false);
}

void reach(EventCounters& counters, uint64_t number) {
  uint64_t before = counters.reached.load();
  while (before < number && !counters.reached.compare_exchange_weak(before, number)) {
  }
}

void wait_for(const EventCounters& counters) {
  const uint64_t wanted = counters.asked.load();
  for (int tries = 0; counters.reached.load() < wanted; ++tries)
    if (tries < 100)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace wavesmith::runtime
