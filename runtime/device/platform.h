// The process's GPUs and memory, made by the first call that needs them.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "emulate/memory/memory.h"
#include "emulate/run/dispatch.h"
#include "runtime/api/error.h"
#include "runtime/device/device.h"
#include "runtime/memory/allocations.h"

namespace wavesmith::runtime {

class Platform {
 public:
  /// The platform, created by the first call; nullptr if that failed, which stderr says once.
  static Platform* get();

  /// The calling thread's device, chosen by hipSetDevice.
  [[nodiscard]] Device& current() { return *devices[static_cast<size_t>(current_ordinal())]; }
  static int& current_ordinal();
  [[nodiscard]] Device* device(int ordinal) {
    return ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size()
               ? devices[static_cast<size_t>(ordinal)].get()
               : nullptr;
  }
  /// Reports a device that does not exist, for a plausible number with a hint how to emulate so many. Returns
  /// the error.
  [[nodiscard]] hipError_t no_device(int ordinal) const;

  /// Memory of the arena, entered in `allocations`. Error: OutOfMemory when the device has no more.
  /// `hidden`: the runtime's own.
  Result<void*> allocate(Device& device, size_t size, Allocation::Kind kind, unsigned flags = 0,
                         bool hidden = false);
  /// Takes back what allocate() gave. Error: BadInput for anything else.
  Result<void> release(void* pointer);

  /// The stream of a handle: null, legacy, per thread or one that was created; empty for anything else.
  std::shared_ptr<Stream> stream(hipStream_t handle);
  /// The calling thread's default stream on its device.
  std::shared_ptr<Stream> per_thread_stream();

  /// Whether kernels see pageable host memory even where the GPU itself would not.
  void show_host_memory(bool all);

  std::vector<const gpus::Gpu*>
      machine;  ///< every GPU of the machine, those too that this process does not see
  std::vector<std::unique_ptr<Device>> devices;
  emulate::Memory* memory = nullptr;
  emulate::Limits limits;
  uint64_t order = 0;       ///< seed of the order of workgroups and waves; 0: the natural one
  uint32_t interleave = 0;  ///< instructions after which waves give way; 0: when their time slice is over
  /// The effect of a kernel's failure, besides the error that all HIP calls return from then on.
  enum class FaultAction : uint8_t {
    Error,  ///< nothing
    End,    ///< a process that stands still afterwards is ended
    Abort,  ///< the process is ended at once
  };
  FaultAction on_fault = FaultAction::End;
  bool wait_before_kernels = false;  ///< a launch waits for what is in its stream
  bool wait_after_kernels = false;   ///< a launch waits for its kernel
  Allocations allocations;
  std::atomic<bool> xnack = false;  ///< pageable host memory is visible to kernels
  bool own_xnack = false;           ///< the same without show_host_memory()
  uint64_t hidden_bytes = 0;        ///< of each GPU's memory, that hipMemGetInfo does not call free
  std::string report_path;          ///< WAVESMITH_REPORT

  Platform() = default;
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;
};

/// Runs the body of an API function that needs the platform: `body(Platform&)` returns a hipError_t.
template <class Body>
hipError_t api(Body body) {
  return plain_api([&]() -> hipError_t {
    Platform* const platform = Platform::get();
    return platform ? body(*platform) : hipErrorNoDevice;
  });
}

}  // namespace wavesmith::runtime
