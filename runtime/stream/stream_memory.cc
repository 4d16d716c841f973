#include "runtime/stream/stream_memory.h"

#include <atomic>
#include <thread>

#include "runtime/device/platform.h"
#include "runtime/graph/graph.h"
#include "runtime/observe/check.h"

namespace wavesmith::runtime {
namespace {

template <class T>
bool holds(T value, T wanted, unsigned flags) {
  switch (flags) {
    case hipStreamWaitValueGte:
      return static_cast<std::make_signed_t<T>>(value - wanted) >= 0;
    case hipStreamWaitValueEq:
      return value == wanted;
    case hipStreamWaitValueAnd:
      return (value & wanted) != 0;
    default:
      return ~(value | wanted) != 0;  // hipStreamWaitValueNor
  }
}

template <class T>
void wait_for(void* address, T wanted, T mask, unsigned flags) {
  std::atomic_ref<T> value(*static_cast<T*>(address));
  while (!holds<T>(static_cast<T>(value.load(std::memory_order_acquire) & mask),
                   static_cast<T>(wanted & mask), flags))
    std::this_thread::yield();
  tell_seen_in_memory();
}

void run(const hipStreamBatchMemOpParams& op) {
  switch (op.operation) {
    case hipStreamMemOpWaitValue32:
      wait_for<uint32_t>(op.waitValue.address, op.waitValue.value, ~0u, op.waitValue.flags);
      break;
    case hipStreamMemOpWaitValue64:
      wait_for<uint64_t>(op.waitValue.address, op.waitValue.value64, ~uint64_t{0}, op.waitValue.flags);
      break;
    case hipStreamMemOpWriteValue32:
      std::atomic_ref<uint32_t>(*static_cast<uint32_t*>(op.writeValue.address))
          .store(op.writeValue.value, std::memory_order_release);
      break;
    case hipStreamMemOpWriteValue64:
      std::atomic_ref<uint64_t>(*static_cast<uint64_t*>(op.writeValue.address))
          .store(op.writeValue.value64, std::memory_order_release);
      break;
    default:
      std::atomic_thread_fence(std::memory_order_seq_cst);
      break;
  }
}

}  // namespace

void run_memory_operations(const std::vector<hipStreamBatchMemOpParams>& operations) {
  for (const hipStreamBatchMemOpParams& operation : operations) run(operation);
}

bool is_memory_operation(const hipStreamBatchMemOpParams& operation) {
  switch (operation.operation) {
    case hipStreamMemOpWaitValue32:
    case hipStreamMemOpWaitValue64:
      return operation.waitValue.address && operation.waitValue.flags <= hipStreamWaitValueNor;
    case hipStreamMemOpWriteValue32:
    case hipStreamMemOpWriteValue64:
      return operation.writeValue.address != nullptr;
    case hipStreamMemOpBarrier:
    case hipStreamMemOpFlushRemoteWrites:
      return true;
  }
  return false;
}

}  // namespace wavesmith::runtime

using namespace wavesmith::runtime;

namespace {

class MemoryOperation final : public Operation {
 public:
  explicit MemoryOperation(std::function<void()> action) : action_(std::move(action)) {}
  hipError_t run(Stream&) override {
    action_();
    return hipSuccess;
  }

 private:
  std::function<void()> action_;
};

hipError_t enqueue(hipStream_t handle, void* pointer, std::function<void()> action) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    if (!pointer) return hipErrorInvalidValue;
    if (const auto noted = capture_node(*stream, [&](Work& work) {
          HostWork host;
          host.call = [action](Stream&) { action(); };
          work = std::move(host);
          return hipSuccess;
        }))
      return *noted;
    stream->enqueue(std::make_shared<MemoryOperation>(std::move(action)));
    return hipSuccess;
  });
}

}  // namespace

HIP_API hipError_t hipStreamWaitValue32(hipStream_t stream, void* pointer, uint32_t value, unsigned flags,
                                        uint32_t mask) {
  if (flags > hipStreamWaitValueNor) return finish(hipErrorInvalidValue);
  return enqueue(stream, pointer, [=] { wait_for<uint32_t>(pointer, value, mask, flags); });
}
HIP_API hipError_t hipStreamWaitValue64(hipStream_t stream, void* pointer, uint64_t value, unsigned flags,
                                        uint64_t mask) {
  if (flags > hipStreamWaitValueNor) return finish(hipErrorInvalidValue);
  return enqueue(stream, pointer, [=] { wait_for<uint64_t>(pointer, value, mask, flags); });
}
HIP_API hipError_t hipStreamWriteValue32(hipStream_t stream, void* pointer, uint32_t value, unsigned) {
  return enqueue(stream, pointer, [=] {
    std::atomic_ref<uint32_t>(*static_cast<uint32_t*>(pointer)).store(value, std::memory_order_release);
  });
}
HIP_API hipError_t hipStreamWriteValue64(hipStream_t stream, void* pointer, uint64_t value, unsigned) {
  return enqueue(stream, pointer, [=] {
    std::atomic_ref<uint64_t>(*static_cast<uint64_t*>(pointer)).store(value, std::memory_order_release);
  });
}

HIP_API hipError_t hipStreamBatchMemOp(hipStream_t handle, unsigned count,
                                       hipStreamBatchMemOpParams* operations, unsigned flags) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    if (!operations || count == 0 || count > 256 || flags) return hipErrorInvalidValue;
    std::vector<hipStreamBatchMemOpParams> all(operations, operations + count);
    for (const auto& operation : all)
      if (!is_memory_operation(operation)) return hipErrorInvalidValue;
    if (const auto noted = capture_node(*stream, [&](Work& work) {
          BatchWork batch;
          batch.params.count = count;
          batch.operations = all;
          work = std::move(batch);
          return hipSuccess;
        }))
      return *noted;
    stream->enqueue(
        std::make_shared<MemoryOperation>([all = std::move(all)] { run_memory_operations(all); }));
    return hipSuccess;
  });
}
