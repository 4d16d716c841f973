// Host threads that wait for work, so that starting work costs microseconds.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace wavesmith {

/// Threads that run a function together. Several callers may use it at once; each gets the threads that are
/// idle.
class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls work(i) for every i in [0, count): i = 0 on the calling thread, the others on idle threads, or,
  /// when there are none, after it on the calling thread. Returns when all calls have returned.
  void run(unsigned count, const std::function<void(unsigned)>& work);

  /// The process's own pool, with a thread for each of the host's cores but the caller's.
  static ThreadPool& shared();

 private:
  struct Job {
    const std::function<void(unsigned)>* work;
    unsigned next, count, running;
  };
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<Job*> jobs_;
  std::vector<std::thread> threads_;
  bool stop_ = false;
};

}  // namespace wavesmith
