// One emulated GPU of the process.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "gpus/gpu.h"
#include "object/target_id.h"
#include "runtime/abi/launch.h"
#include "runtime/observe/modelled_switch.h"
#include "runtime/stream/stream.h"

namespace wavesmith::isa {
struct Target;
}

namespace wavesmith::runtime {

class HostcallHost;

class Device {
 public:
  Device(int ordinal, int number, const gpus::Gpu& gpu, object::TargetId target, const isa::Target& isa);
  ~Device();

  const int ordinal;
  const int number;  ///< in the machine, of which a process may see a part
  const gpus::Gpu& gpu;
  const object::TargetId target;  ///< with the settings that this process runs under
  const isa::Target& isa;

  /// The legacy default stream.
  std::shared_ptr<Stream> null_stream();
  std::shared_ptr<Stream> create_stream(Stream::Kind kind, unsigned flags, int priority);
  /// Forgets a stream; its work is done all the same.
  void remove_stream(const Stream& stream);
  /// Forgets every stream that the program has created.
  void remove_streams();
  /// The created stream at that address; null if there is none.
  std::shared_ptr<Stream> find_stream(const Stream* address);
  /// Every stream, the null stream included.
  std::vector<std::shared_ptr<Stream>> streams();
  /// Waits for everything that was enqueued before.
  void synchronize();

  /// Adds the tickets for which an operation of `stream` has to wait by the rules of the legacy default
  /// stream: the null stream waits for all blocking streams, and those for it.
  void add_default_stream_tickets(Stream& stream, std::vector<Ticket>& tickets);

  /// The failure that stays until the device is reset.
  [[nodiscard]] hipError_t failure() const { return failure_.load(std::memory_order_acquire); }
  void fail(hipError_t error) {
    hipError_t none = hipSuccess;
    failure_.compare_exchange_strong(none, error);
  }
  void clear_failure() { failure_ = hipSuccess; }

  /// The queue structure that kernels find apertures in (a page of device memory).
  const void* queue = nullptr;
  std::atomic<uint64_t> dispatches{0};
  HostcallHost* hostcalls = nullptr;  ///< the host's side of printf and the like, once a kernel wants it
  const void* heap = nullptr;         ///< device malloc's books, the same
  std::once_flag hostcalls_made, heap_made;
  unsigned flags = 0;  ///< hipSetDeviceFlags
  ModelledSwitch modelled;

 private:
  std::mutex mutex_;
  std::shared_ptr<Stream> null_;
  std::vector<std::shared_ptr<Stream>> created_;
  std::atomic<hipError_t> failure_{hipSuccess};
};

}  // namespace wavesmith::runtime
