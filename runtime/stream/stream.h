// Streams: queues of operations, each executed in order, all of them independent of the thread that filled
// them.
//
// An operation waits for the operations of other streams that its tickets name. Whoever needs a stream's work
// done executes it: a worker thread, woken when work arrives, or the thread that waits for it, which saves
// the hand-over. At any time one thread owns a stream. A ticket is always older than the operation that holds
// it, so that waiting for one another cannot end in a circle.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "check/stream_point.h"
#include "runtime/abi/launch.h"
#include "runtime/graph/capture.h"

namespace wavesmith::runtime {

class Device;
class Stream;

/// Something a stream executes. It may be executed more than once (graphs do).
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;
  /// Executes the operation. An error becomes the device's sticky error.
  virtual hipError_t run(Stream& stream) = 0;
  /// Whether it is executed even after a failure (events, callbacks), so that nobody waits for ever.
  [[nodiscard]] virtual bool always() const { return false; }
};

/// Everything up to operation `number` of a stream.
struct Ticket {
  std::shared_ptr<Stream> stream;
  uint64_t number = 0;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  enum class Kind : uint8_t { Null, PerThread, Created };
  Stream(Device& device, Kind kind, unsigned flags, int priority)
      : device(device), kind(kind), flags(flags), priority(priority) {}

  /// Enqueues an operation after `tickets` and what the rules of the default stream demand. Returns its
  /// ticket. All operations enter a stream here.
  Ticket enqueue(std::shared_ptr<Operation> operation, std::vector<Ticket> tickets = {});
  /// Waits until operation `number` is done, executing operations that have not started.
  void wait(uint64_t number);
  void wait_all() { wait(last()); }
  [[nodiscard]] bool done(uint64_t number) const {
    return completed_.load(std::memory_order_acquire) >= number;
  }
  [[nodiscard]] bool idle() const { return done(last()); }
  /// The number of the operation added last.
  [[nodiscard]] uint64_t last() const { return added_.load(std::memory_order_acquire); }
  [[nodiscard]] Ticket ticket() { return {shared_from_this(), last()}; }

  /// Whether all work of the stream is done; for the null stream that of blocking streams too.
  [[nodiscard]] bool all_done() { return kind == Kind::Null ? nothing_before() : idle(); }
  /// Orders all later operations after operation `ticket.number` of another stream.
  void follow(const Ticket& ticket);
  [[nodiscard]] bool follows(uint64_t stream, uint64_t number) const;
  /// Whether an operation added now could run at once.
  [[nodiscard]] bool nothing_before();
  /// Whether it is ordered with the legacy default stream.
  [[nodiscard]] bool blocking() const { return kind != Kind::Null && !(flags & hipStreamNonBlocking); }
  /// The program's handle of the stream.
  [[nodiscard]] hipStream_t handle() {
    return kind == Kind::Null ? nullptr : reinterpret_cast<hipStream_t>(this);
  }

  /// Streams that there have been, default ones too.
  [[nodiscard]] static uint64_t made() { return ids() - 1; }

  const uint64_t id = ids()++;  ///< never used twice
  Device& device;
  const Kind kind;
  const unsigned flags;
  const int priority;

  CapturePoint captured;  ///< where it is in a graph, while it is captured; under the captures' lock

  /// Of modelled time, for the operation that runs: seconds of the stream's clock at which what is before it
  /// has ended, those at which it was asked for, and that it takes until `seconds`.
  [[nodiscard]] double before() const { return modelled_; }
  [[nodiscard]] double asked() const { return asked_; }
  void modelled_until(double seconds) { modelled_ = seconds; }
  /// The number of the operation that runs (runtime/observe/timeline.h).
  [[nodiscard]] uint64_t operation_number() const { return number_; }

  /// Executes all operations, for workers; does nothing if another thread owns the stream.
  void work();

 private:
  struct Item {
    std::shared_ptr<Operation> operation;
    std::vector<Ticket> tickets;
    double asked = 0;     ///< modelled time of the thread that asked
    uint64_t number = 0;  ///< with modelled time: of all streams' operations
  };
  static std::atomic<uint64_t>& ids() {
    static std::atomic<uint64_t> next{1};
    return next;
  }
  bool own();
  std::vector<check::StreamPoint> all_before(const std::vector<Ticket>& tickets);
  void run_until(uint64_t number);
  void execute(Item& item);
  void finish(uint64_t number);
  double modelled_at(uint64_t number) const;

  mutable std::mutex mutex_;
  std::deque<Item> queue_;
  std::unordered_map<uint64_t, uint64_t>
      followed_;  ///< the last operation of each stream that an event named
  /// Modelled time: of the stream, of the operation that runs, and of those that ended last.
  double modelled_ = 0, asked_ = 0;
  std::deque<double> ended_;
  uint64_t number_ = 0;  ///< of the operation that runs
  bool owned_ = false, scheduled_ = false;
  std::atomic<uint64_t> added_{0}, completed_{0};
};

}  // namespace wavesmith::runtime
