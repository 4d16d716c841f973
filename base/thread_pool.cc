#include "base/thread_pool.h"

#include <algorithm>

namespace wavesmith {

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
    if (stop_) return;
    Job& job = *jobs_.back();
    const unsigned index = job.next++;
    if (job.next == job.count) jobs_.pop_back();
    ++job.running;
    lock.unlock();
    (*job.work)(index);
    lock.lock();
    if (--job.running == 0) done_.notify_all();
  }
}

void ThreadPool::run(unsigned count, const std::function<void(unsigned)>& work) {
  if (count == 0) return;
  Job job{&work, 1, count, 0};
  if (count > 1) {
    {
      const std::scoped_lock lock(mutex_);
      jobs_.insert(jobs_.begin(), &job);
    }
    for (unsigned i = 1; i < count; ++i) wake_.notify_one();
  }
  work(0);
  if (count == 1) return;
  std::unique_lock lock(mutex_);
  while (job.next < job.count) {
    const unsigned index = job.next++;
    if (job.next == job.count) std::erase(jobs_, &job);
    lock.unlock();
    work(index);
    lock.lock();
  }
  done_.wait(lock, [&job] { return job.running == 0; });
}

ThreadPool& ThreadPool::shared() {
  // Never destroyed: at exit its threads may be in the middle of a kernel.
  static ThreadPool* const pool = new ThreadPool(std::max(1u, std::thread::hardware_concurrency()) - 1);
  return *pool;
}

}  // namespace wavesmith
