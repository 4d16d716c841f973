// The protocol of the device libraries' hostcalls. A kernel takes a packet from the stack of free ones, fills
// a slot for each active lane, puts the packet on the stack of ready ones and waits until the host has
// cleared the packet's ready flag. Source: ROCm's device libraries (ockl) and the layout that AMD's open
// runtime shares with them.
#include "runtime/launch/hostcall.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "runtime/launch/device_printf.h"
#include "runtime/memory/allocations.h"

namespace wavesmith::runtime {
namespace {

/// Packets of a buffer: one for each wave that may call at the same time; more waves wait for one another.
constexpr uint64_t kPackets = 2048;

struct PacketHeader {
  uint64_t next;  ///< tagged index of the next packet of its stack
  uint64_t active_lanes;
  uint32_t service;
  uint32_t control;  ///< bit 0: waits for the host
};
static_assert(sizeof(PacketHeader) == 24);

struct Payload {
  uint64_t slots[64][8];
};

/// What AMD's signals look like to a kernel that adds to one; the mailbox is null: nobody sleeps on it.
struct Signal {
  int64_t kind = 1, value = 0;
  uint64_t mailbox = 0;
  uint32_t event_id = 0, reserved0 = 0;
  uint64_t timestamps[2] = {}, queue = 0, reserved1 = 0;
};
static_assert(sizeof(Signal) == 64);

struct Buffer {
  PacketHeader* headers;
  Payload* payloads;
  Signal* doorbell;
  uint64_t free_stack, ready_stack, index_mask;
};

enum Service : uint32_t { kFunctionCall = 1, kPrintf = 2, kMemory = 3 };

/// Slabs of device malloc have to begin at multiples of their size.
constexpr uint64_t kSlab = uint64_t{2} << 20;

}  // namespace

class HostcallHost {
 public:
  static Result<std::unique_ptr<HostcallHost>> create(Platform& platform, Device& device) {
    constexpr uint64_t kSignalAt = 128, kPayloadsAt = 256,
                       kHeadersAt = kPayloadsAt + kPackets * sizeof(Payload);
    static_assert(sizeof(Buffer) <= kSignalAt && kSignalAt + sizeof(Signal) <= kPayloadsAt);
    const size_t size = kHeadersAt + kPackets * sizeof(PacketHeader);
    const auto memory = platform.memory->allocate(size, kRuntimesOwn);
    if (!memory) return tl::unexpected(memory.error());
    auto host = std::make_unique<HostcallHost>(platform, device);
    auto* at = static_cast<uint8_t*>(*memory);
    Buffer& buffer = *new (at) Buffer;
    buffer.payloads = reinterpret_cast<Payload*>(at + kPayloadsAt);
    buffer.headers = reinterpret_cast<PacketHeader*>(at + kHeadersAt);
    buffer.doorbell = new (at + kSignalAt) Signal;
    // A stack's tag counts in the bits above the index, so that an index of 0 differs from the end of the
    // list.
    buffer.headers[0].next = 0;
    uint64_t next = kPackets;
    for (uint64_t i = 1; i < kPackets; ++i) {
      buffer.headers[i].next = next;
      next = i;
    }
    buffer.free_stack = next;
    buffer.ready_stack = 0;
    buffer.index_mask = kPackets - 1;
    host->buffer_ = &buffer;
    return host;
  }
  HostcallHost(Platform& platform, Device& device) : platform_(platform), device_(device) {}

  [[nodiscard]] const void* buffer() const { return buffer_; }

  /// Called all the time while a kernel runs, by any of its threads.
  void serve() {
    std::atomic_ref<uint64_t> ready(buffer_->ready_stack);
    if (ready.load(std::memory_order_relaxed) == 0) return;
    const std::scoped_lock lock(mutex_);
    // The stack has the latest call on top; the first one is answered first.
    std::vector<uint64_t> calls;
    for (uint64_t call = ready.exchange(0, std::memory_order_acquire); call != 0; call = header(call).next) {
      calls.push_back(call);
      if (calls.size() > kPackets) return;  // a stray store has made a circle
    }
    for (size_t i = calls.size(); i-- > 0;) {
      PacketHeader& packet = header(calls[i]);
      Payload& payload = buffer_->payloads[calls[i] & (kPackets - 1)];
      for (int lane = 0; lane < 64; ++lane)
        if (packet.active_lanes >> lane & 1) answer(packet.service, payload.slots[lane]);
      std::atomic_ref<uint32_t>(packet.control).fetch_and(~1u, std::memory_order_release);
    }
  }

 private:
  PacketHeader& header(uint64_t call) { return buffer_->headers[call & (kPackets - 1)]; }

  void answer(uint32_t service, uint64_t* slot) {
    switch (service) {
      case kPrintf:
        return append(slot);
      case kMemory:
        slot[0] = slot[0] ? release(slot[0]) : allocate(slot[1]);
        return;
      case kFunctionCall:
        report_once("a kernel calls a function of the host, which is not supported");
        break;
      default:
        report_once(fmt::format("a kernel makes hostcall {}, which is not supported", service));
        break;
    }
    slot[0] = slot[1] = 0;
  }

  /// A piece of a message: bit 0 of its first word begins one, bit 1 ends it, bits 5-7 count the words that
  /// follow, the bits from 8 on name it.
  void append(uint64_t* slot) {
    const uint64_t descriptor = slot[0], count = descriptor >> 5 & 7;
    uint64_t id = descriptor >> 8;
    if (descriptor & 1) {
      id = next_message_++ & ((uint64_t{1} << 56) - 1);
      slot[0] = (descriptor & 0xfe) | id << 8;
      messages_[id].clear();
    }
    const auto message = messages_.find(id);
    if (message == messages_.end()) return;
    message->second.insert(message->second.end(), slot + 1, slot + 1 + count);
    if (!(descriptor & 2)) return;
    slot[0] = print(message->second);
    messages_.erase(message);
  }

  /// The first word of a message says where it goes: 0: stdout, 1: stderr.
  uint64_t print(const std::vector<uint64_t>& message) {
    if (message.empty() || message[0] > 1) return ~uint64_t{0};
    const std::string text = format_message(std::span(message).subspan(1));
    std::FILE* const where = message[0] ? stderr : stdout;
    std::fwrite(text.data(), 1, text.size(), where);
    return text.size();
  }

  uint64_t allocate(uint64_t size) {
    if (size == 0 || size > device_.gpu.memory_bytes) return 0;
    const uint64_t slack = size >= kSlab ? kSlab : 0;
    const auto memory = platform_.allocate(device_, size + slack, Allocation::Kind::Device, 0, true);
    if (!memory) return 0;
    const auto at = reinterpret_cast<uint64_t>(*memory);
    const uint64_t aligned = slack ? (at + kSlab - 1) / kSlab * kSlab : at;
    memory_[aligned] = *memory;
    return aligned;
  }

  uint64_t release(uint64_t address) {
    const auto found = memory_.find(address);
    if (found == memory_.end()) {
      report_once("a kernel frees memory that it did not allocate");
      return 0;
    }
    (void)platform_.release(found->second);
    memory_.erase(found);
    return 0;
  }

  Platform& platform_;
  Device& device_;
  Buffer* buffer_ = nullptr;
  std::mutex mutex_;
  uint64_t next_message_ = 0;
  std::unordered_map<uint64_t, std::vector<uint64_t>> messages_;
  std::unordered_map<uint64_t, void*> memory_;  ///< device malloc's, by the address that the kernel knows
};

const void* hostcall_buffer(Platform& platform, Device& device) {
  std::call_once(device.hostcalls_made, [&] {
    auto made = HostcallHost::create(platform, device);
    if (made)
      device.hostcalls = made->release();  // as long as the process: kernels may hold the buffer
    else
      report(made.error());
  });
  return device.hostcalls ? device.hostcalls->buffer() : nullptr;
}

void serve_hostcalls(void* device) { static_cast<Device*>(device)->hostcalls->serve(); }

const void* device_heap(Platform& platform, Device& device) {
  // Zeros are an empty heap: it asks for its slabs by hostcalls. Its size: __ockl_dm_init_v1 of the device
  // libraries.
  constexpr size_t kHeap = 128 << 10;
  std::call_once(device.heap_made, [&] {
    const auto memory = platform.memory->allocate(kHeap, kRuntimesOwn);
    if (memory) device.heap = *memory;
  });
  return device.heap;
}

}  // namespace wavesmith::runtime
