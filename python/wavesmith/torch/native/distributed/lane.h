// A communicator of RCCL with a stream of its own, and a thread that sees its work end.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "distributed/exchange_work.h"
#include "distributed/rccl.h"

namespace wavesmith::device {

// What is given to a lane's stream: RCCL's calls, which become one group, and copies around them.
struct Launch {
  std::function<void(RcclComm*, hipStream_t)> calls;
  std::function<void(hipStream_t)> before, after;
};

// Which rank of how many this is, of what.
struct Place {
  std::string name;
  int rank, ranks;
};

class Lane {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // The ranks find one another by the store, under the place's name.
  Lane(Place place, c10::Device device, c10::intrusive_ptr<c10d::Store> store);
  // Waits for the work that there is.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  c10::Device device() const { return device_; }

  // Meets the other ranks, where that has not happened yet.
  void connect(Milliseconds timeout);
  // Gives the stream work after what the caller's stream has, which may be captured; meets the other ranks
  // first.
  void launch(const WorkPointer& work, const std::vector<Launch>& launches, Milliseconds timeout);
  // As `launch`, done by the lane's thread once its earlier work has ended: the caller does not wait for
  // other ranks.
  void post(const WorkPointer& work, std::vector<Launch> launches, Milliseconds timeout);
  // All work fails, the other ranks' too.
  void abort(const std::string& why);
  // What went wrong; empty: nothing.
  std::string failure();

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  struct Item {
    WorkPointer work;
    std::vector<Launch> launches;  // of a posted one
    Milliseconds timeout;
    Deadline deadline;
  };

  static Deadline after(Milliseconds timeout) { return std::chrono::steady_clock::now() + timeout; }
  void connect_until(Deadline deadline, Milliseconds timeout);
  UniqueId shared_id(Deadline deadline, Milliseconds timeout);
  std::string missing();
  void start(ExchangeWork& work, const std::vector<Launch>& launches, Deadline deadline);
  void queue(Item item);
  void run();
  void see_end(const Item& item);
  void fail(const std::string& why);
  std::string me() const;

  const Place place_;
  const c10::Device device_;
  const c10::intrusive_ptr<c10d::Store> store_;
  const c10::Stream stream_, done_;  // done_: what comes after an end and not after later work

  std::mutex communicator_mutex_;  // held while RCCL is called
  RcclComm* communicator_ = nullptr;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::string failure_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace wavesmith::device
