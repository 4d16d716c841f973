#include "memory/allocator.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <c10/core/StorageImpl.h>

#include "device/streams.h"
#include "memory/statistics.h"

namespace wavesmith::device {
namespace {

using c10::MempoolId_t;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr MempoolId_t kCommon{0, 0};  // the pool of what belongs to no graph

// One piece of hipMalloc's. It is never split, so the guard behind it stands right behind its tensor's last
// 512 bytes.
struct Block {
  void* pointer;
  std::size_t bytes;      // allocated
  std::size_t requested;  // by the tensor that has it
  c10::DeviceIndex device;
  c10::StreamId stream;  // the one that was current when it was given out
  MempoolId_t pool;
  std::vector<c10::Stream> used_by;   // others, by record_stream
  std::vector<hipEvent_t> waits_for;  // what these had to do when it was given back
};

// Blocks of up to 1 MiB come in steps of 512 bytes, larger ones in an eighth of a power of two: few sizes,
// little waste.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = bytes <= (1U << 20) ? 512 : std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

class CachingAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* destination, const void* source, std::size_t bytes) const override {
    check(hipMemcpyAsync(destination, source, bytes, kMemcpyDefault, native(current_stream(-1))),
          "hipMemcpyAsync");
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {
    const std::lock_guard lock(mutex_);
    release();
  }
  void recordStream(const c10::DataPtr& data, c10::Stream stream) override;
  DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    const std::lock_guard lock(mutex_);
    return stats_[device];
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    each_stat(device, [](auto& stat) { stat.reset_accumulated(); });
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    each_stat(device, [](auto& stat) { stat.reset_peak(); });
  }
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex device) override {
    const OnDevice on(device);
    std::size_t free = 0;
    std::size_t total = 0;
    check(hipMemGetInfo(&free, &total), "hipMemGetInfo");
    return {free, total};
  }

  void begin_pool(MempoolId_t pool, const c10::Stream& stream);
  void end_pool(MempoolId_t pool);
  void release_pool(MempoolId_t pool);

 private:
  static void give_back(void* pointer);
  Block* create(c10::DeviceIndex device, std::size_t bytes);
  void destroy(Block* block);
  void release();
  void process_waiting();
  void keep(Block* block);
  static void record_uses(Block& block);
  [[nodiscard]] MempoolId_t pool_for(const c10::Stream& stream) const;
  void count(Block& block, int sign);

  template <typename Visitor>
  void each_stat(c10::DeviceIndex device, Visitor visit) {
    const std::lock_guard lock(mutex_);
    DeviceStats& stats = stats_[device];
    for (auto* array : {&stats.allocation, &stats.segment, &stats.active, &stats.allocated_bytes,
                        &stats.reserved_bytes, &stats.active_bytes, &stats.requested_bytes}) {
      for (auto& stat : *array) visit(stat);
    }
  }
  template <typename Array>
  static void add(Array& stats, std::int64_t amount) {
    change(stats[0], amount);  // StatType::AGGREGATE
  }

  // With PYTORCH_NO_HIP_MEMORY_CACHING every tensor gets memory of its own, with a guard behind it.
  const bool caching_ = [] {
    const char* off = std::getenv("PYTORCH_NO_HIP_MEMORY_CACHING");
    return off == nullptr || std::strcmp(off, "0") == 0;
  }();
  std::mutex mutex_;
  std::unordered_map<void*, Block*> given_;
  std::map<std::tuple<c10::DeviceIndex, c10::StreamId, std::size_t, MempoolId_t>, std::vector<Block*>> free_;
  std::vector<Block*> waiting_;                                // given back while other streams may use them
  std::map<MempoolId_t, int> graphs_;                          // of each pool
  std::vector<std::pair<c10::Stream, MempoolId_t>> captures_;  // in progress
  std::vector<Block*> captured_;  // given back during a capture, used by other streams
  std::unordered_map<c10::DeviceIndex, DeviceStats> stats_;
};

// Leaked: tensors may be freed after what is destroyed at the process's end.
CachingAllocator& allocator() {
  static auto& only = *new CachingAllocator();
  return only;
}

void CachingAllocator::count(Block& block, int sign) {
  DeviceStats& stats = stats_[block.device];
  add(stats.allocation, sign);
  add(stats.active, sign);
  add(stats.allocated_bytes, sign * static_cast<std::int64_t>(block.bytes));
  add(stats.active_bytes, sign * static_cast<std::int64_t>(block.bytes));
  add(stats.requested_bytes, sign * static_cast<std::int64_t>(block.requested));
}

Block* CachingAllocator::create(c10::DeviceIndex device, std::size_t bytes) {
  DeviceStats& stats = stats_[device];
  const CaptureAllows relaxed;
  void* pointer = nullptr;
  int error = hipMalloc(&pointer, bytes);
  if (error == kOutOfMemory) {
    hipGetLastError();
    ++stats.num_alloc_retries;
    release();
    error = hipMalloc(&pointer, bytes);
  }
  if (error == kOutOfMemory) {
    hipGetLastError();
    ++stats.num_ooms;
    std::size_t free = 0;
    std::size_t total = 0;
    hipMemGetInfo(&free, &total);
    TORCH_CHECK_WITH(OutOfMemoryError, false, c10::Device(kDevice, device),
                     " out of memory: tried to allocate ", bytes, " bytes; ", free, " of ", total,
                     " are free, and tensors have ", stats.allocated_bytes[0].current,
                     ". Smaller batches, or a GPU with more memory, may help (wavesmith gpus lists them).");
  }
  check(error, "hipMalloc");
  ++stats.num_device_alloc;
  add(stats.segment, 1);
  add(stats.reserved_bytes, static_cast<std::int64_t>(bytes));
  return new Block{pointer, bytes, 0, device, 0, kCommon, {}, {}};
}

void CachingAllocator::destroy(Block* block) {
  DeviceStats& stats = stats_[block->device];
  ++stats.num_device_free;
  add(stats.segment, -1);
  add(stats.reserved_bytes, -static_cast<std::int64_t>(block->bytes));
  const CaptureAllows relaxed;
  hipFree(block->pointer);  // waits for the device
  delete block;
}

// Gives all cached memory back to HIP, except what graphs use.
void CachingAllocator::release() {
  for (auto* block : waiting_) {
    for (auto* event : block->waits_for) {
      hipEventSynchronize(event);
    }
  }
  process_waiting();
  std::erase_if(free_, [&](auto& entry) {
    if (graphs_.contains(std::get<MempoolId_t>(entry.first))) return false;
    for (auto* block : entry.second) destroy(block);
    return true;
  });
}

// Makes blocks free whose other streams are done with them.
void CachingAllocator::process_waiting() {
  std::erase_if(waiting_, [&](Block* block) {
    std::erase_if(block->waits_for, [](hipEvent_t event) {
      const bool done = hipEventQuery(event) != kNotReady;
      if (done) hipEventDestroy(event);
      return done;
    });
    hipGetLastError();
    if (!block->waits_for.empty()) return false;
    keep(block);
    return true;
  });
}

// A block that nobody uses is there for the next who asks.
void CachingAllocator::keep(Block* block) {
  if (block->pool != kCommon && !graphs_.contains(block->pool)) block->pool = kCommon;
  free_[{block->device, block->stream, block->bytes, block->pool}].push_back(block);
}

MempoolId_t CachingAllocator::pool_for(const c10::Stream& stream) const {
  if (captures_.empty()) return kCommon;
  for (const auto& [captured, pool] : captures_) {
    if (captured == stream) return pool;
  }
  return is_capturing(stream) ? captures_.back().second : kCommon;
}

void CachingAllocator::begin_pool(MempoolId_t pool, const c10::Stream& stream) {
  const std::lock_guard lock(mutex_);
  ++graphs_[pool];
  captures_.emplace_back(stream, pool);
}

void CachingAllocator::end_pool(MempoolId_t pool) {
  std::vector<Block*> blocks;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(captures_, [&](const auto& capture) { return capture.second == pool; });
    if (captures_.empty()) blocks.swap(captured_);
    for (auto* block : blocks) given_[block->pointer] = block;
    for (auto* block : blocks) count(*block, 1);
  }
  for (auto* block : blocks) give_back(block->pointer);
}

void CachingAllocator::release_pool(MempoolId_t pool) {
  const std::lock_guard lock(mutex_);
  const auto found = graphs_.find(pool);
  if (found == graphs_.end() || --found->second > 0) return;
  graphs_.erase(found);
  std::erase_if(free_, [&](auto& entry) {
    if (std::get<MempoolId_t>(entry.first) != pool) return false;
    for (auto* block : entry.second) destroy(block);
    return true;
  });
}

c10::DataPtr CachingAllocator::allocate(std::size_t bytes) {
  const auto device = current_device();
  const c10::Device where(kDevice, device);
  if (bytes == 0) return {nullptr, nullptr, &give_back, where};
  const auto stream = current_stream(device);
  const std::size_t size = caching_ ? rounded(bytes) : bytes;
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() && captures_.empty()) process_waiting();
  const auto pool = pool_for(stream);
  auto& there = free_[{device, stream.id(), size, pool}];
  Block* block = nullptr;
  if (there.empty()) {
    block = create(device, size);
  } else {
    block = there.back();
    there.pop_back();
  }
  block->stream = stream.id();
  block->pool = pool;
  block->requested = bytes;
  count(*block, 1);
  given_[block->pointer] = block;
  return {block->pointer, block->pointer, &give_back, where};
}

// Records what the block's other streams have been given so far: an event and a default stream are those of
// the device that is current.
void CachingAllocator::record_uses(Block& block) {
  if (block.used_by.empty()) return;
  int before = 0;
  hipGetDevice(&before);
  for (const auto& stream : block.used_by) {
    hipEvent_t event = nullptr;
    hipSetDevice(stream.device_index());
    if (hipEventCreateWithFlags(&event, kEventDisableTiming) != kSuccess) continue;
    hipEventRecord(event, native(stream));
    block.waits_for.push_back(event);
  }
  hipSetDevice(before);
  block.used_by.clear();
}

void CachingAllocator::give_back(void* pointer) {
  if (pointer == nullptr) return;
  CachingAllocator& self = allocator();
  const std::lock_guard lock(self.mutex_);
  const auto found = self.given_.find(pointer);
  if (found == self.given_.end()) return;
  Block* block = found->second;
  self.given_.erase(found);
  self.count(*block, -1);
  if (!self.caching_ && !self.graphs_.contains(block->pool)) {
    self.destroy(block);
    return;
  }
  if (!self.captures_.empty() && !block->used_by.empty()) {
    self.captured_.push_back(block);
    return;
  }
  self.record_uses(*block);
  if (block->waits_for.empty()) {
    self.keep(block);
  } else {
    self.waiting_.push_back(block);
  }
}

void CachingAllocator::recordStream(const c10::DataPtr& data, c10::Stream stream) {
  const std::lock_guard lock(mutex_);
  const auto found = given_.find(data.get());
  if (found == given_.end()) return;
  const Block& block = *found->second;
  if (block.device == stream.device_index() && block.stream == stream.id()) return;
  auto& used = found->second->used_by;
  if (std::find(used.begin(), used.end(), stream) == used.end()) used.push_back(stream);
}

const bool allocator_registered = [] {
  c10::SetAllocator(kDevice, &allocator());
  return true;
}();

}  // namespace

void record_stream(const c10::DataPtr& data, const c10::Stream& stream) {
  allocator().recordStream(data, stream);
}

void resize_storage(const c10::Storage& storage, std::size_t bytes) {
  const OnDevice on(storage.device().index());
  auto* impl = storage.unsafeGetStorageImpl();
  auto data = allocator().allocate(bytes);
  const auto kept = std::min(bytes, storage.nbytes());
  if (kept != 0) allocator().copy_data(data.get(), storage.data(), kept);
  impl->set_data_ptr_noswap(std::move(data));
  impl->set_nbytes(bytes);
}

void begin_pool(MempoolId_t pool, const c10::Stream& stream) { allocator().begin_pool(pool, stream); }

void end_pool(MempoolId_t pool) { allocator().end_pool(pool); }

void release_pool(MempoolId_t pool) { allocator().release_pool(pool); }

}  // namespace wavesmith::device
