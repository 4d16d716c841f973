#include "runtime/stream/workers.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "runtime/stream/stream.h"

namespace wavesmith::runtime {
namespace {

/// More threads than this do not help; streams then wait for a free one.
constexpr int kMostWorkers = 256;

struct Workers {
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<std::shared_ptr<Stream>> waiting;
  int idle = 0, threads = 0;

  void loop() {
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      arrived.wait(lock, [&] { return !waiting.empty(); });
      --idle;
      const std::shared_ptr<Stream> stream = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      stream->work();
      lock.lock();
    }
  }
};

}  // namespace

void submit_to_workers(std::shared_ptr<Stream> stream) {
  // Never destroyed: threads may run until the process is gone.
  static auto& workers = *new Workers;
  std::unique_lock lock(workers.mutex);
  workers.waiting.push_back(std::move(stream));
  if (static_cast<size_t>(workers.idle) < workers.waiting.size() && workers.threads < kMostWorkers) {
    ++workers.threads;
    std::thread([] { workers.loop(); }).detach();
  }
  lock.unlock();
  workers.arrived.notify_one();
}

}  // namespace wavesmith::runtime
