#include "memory/host_memory.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>

#include <ATen/core/CachingHostAllocator.h>

#include "device/streams.h"
#include "memory/statistics.h"

namespace wavesmith::device {
namespace {

class PinnedAllocator final : public at::HostAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* pointer = nullptr;
    if (bytes != 0) {
      const CaptureAllows relaxed;
      check(hipHostMalloc(&pointer, bytes, 0), "hipHostMalloc");
      const std::lock_guard lock(mutex_);
      ends_[pointer] = static_cast<std::byte*>(pointer) + bytes;
      count(1, static_cast<std::int64_t>(bytes));
    }
    return {pointer, pointer, &give_back, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* destination, const void* source, std::size_t bytes) const override {
    default_copy_data(destination, source, bytes);
  }

  // Freeing waits for what uses the memory, and nothing is kept for later.
  bool record_event(void* pointer, void* /*context*/, c10::Stream /*stream*/) override {
    return holds(pointer);
  }
  void empty_cache() override {}

  at::HostStats get_stats() override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }
  void reset_accumulated_stats() override {
    each_stat([](auto& stat) { stat.reset_accumulated(); });
  }
  void reset_peak_stats() override {
    each_stat([](auto& stat) { stat.reset_peak(); });
  }

  bool holds(const void* pointer) const {
    const std::lock_guard lock(mutex_);
    auto after = ends_.upper_bound(const_cast<void*>(pointer));
    return after != ends_.begin() && pointer < std::prev(after)->second;
  }
  static PinnedAllocator& only() {
    static auto& allocator = *new PinnedAllocator();
    return allocator;
  }

 private:
  static void give_back(void* pointer) {
    if (pointer == nullptr) return;
    {
      PinnedAllocator& self = only();
      const std::lock_guard lock(self.mutex_);
      const auto found = self.ends_.find(pointer);
      if (found == self.ends_.end()) return;
      self.count(-1, static_cast<std::byte*>(pointer) - static_cast<const std::byte*>(found->second));
      self.ends_.erase(found);
    }
    hipHostFree(pointer);  // waits for copies from and to it
  }

  template <typename Visitor>
  void each_stat(Visitor visit) {
    const std::lock_guard lock(mutex_);
    for (auto* stat :
         {&stats_.active_requests, &stats_.active_bytes, &stats_.allocations, &stats_.allocated_bytes})
      visit(*stat);
  }
  void count(std::int64_t pieces, std::int64_t bytes) {
    change(stats_.active_requests, pieces);
    change(stats_.allocations, pieces);
    change(stats_.active_bytes, bytes);
    change(stats_.allocated_bytes, bytes);
  }

  mutable std::mutex mutex_;
  std::map<void*, const void*> ends_;
  at::HostStats stats_;
};

const bool host_memory_registered = [] {
  at::setHostAllocator(kDevice, &PinnedAllocator::only());
  return true;
}();

// Pieces and bytes of pinned memory that there are.
std::tuple<std::int64_t, std::int64_t> pinned() {
  const auto stats = PinnedAllocator::only().get_stats();
  return {stats.allocations.current, stats.allocated_bytes.current};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(wavesmith_device, m) { m.def("pinned() -> (int, int)", &pinned); }

c10::Allocator* pinned_allocator() { return &PinnedAllocator::only(); }

bool is_pinned(const void* pointer) { return PinnedAllocator::only().holds(pointer); }

}  // namespace wavesmith::device
