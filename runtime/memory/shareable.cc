#include "runtime/memory/shareable.h"

#include <unistd.h>

#include <map>

namespace wavesmith::runtime {
namespace {

constexpr uint64_t kMagic = 0x57535f49'50435f31;  // a handle of ours, not bytes from anywhere

struct AttachedMemory {
  using Key = std::pair<int, uint64_t>;  // process and serial number
  std::mutex mutex;
  std::map<Key, void*> by_origin;
  struct Use {
    Key key;
    int count;
  };
  std::map<void*, Use> by_address;
};
AttachedMemory& attached() {
  static auto& all = *new AttachedMemory;
  return all;
}

}  // namespace

hipError_t share_memory(Platform& platform, const Allocation& allocation, SharedMemory& shared) {
  platform.device(allocation.device)->synchronize();
  const auto pages = platform.memory->share(allocation.pointer());
  if (!pages) return hip_error(pages.error());
  shared = {kMagic,
            getpid(),
            (*pages)->file(),
            (*pages)->serial(),
            (*pages)->bytes(),
            platform.device(allocation.device)->number};
  return hipSuccess;
}

hipError_t attach_memory(Platform& platform, Device& device, const SharedMemory& shared, void*& address) {
  if (shared.magic != kMagic) return hipErrorInvalidValue;
  AttachedMemory& all = attached();
  const std::scoped_lock lock(all.mutex);
  const AttachedMemory::Key key{shared.process, shared.serial};
  if (const auto found = all.by_origin.find(key); found != all.by_origin.end()) {
    address = found->second;
    ++all.by_address[address].count;
    return hipSuccess;
  }
  auto pages = emulate::SharedPages::open(shared.process, shared.file, shared.serial, shared.bytes);
  if (!pages) return hipErrorInvalidValue;
  const auto at = platform.memory->attach(std::move(*pages));
  if (!at) return hip_error(at.error());
  address = *at;
  platform.allocations.insert({.begin = reinterpret_cast<uint64_t>(address),
                               .size = shared.bytes,
                               .kind = Allocation::Kind::Device,
                               .device = device.ordinal,
                               .number = shared.number});
  all.by_origin[key] = address;
  all.by_address[address] = {key, 1};
  return hipSuccess;
}

hipError_t detach_memory(Platform& platform, void* address) {
  AttachedMemory& all = attached();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.by_address.find(address);
  if (found == all.by_address.end()) return hipErrorInvalidValue;
  if (--found->second.count > 0) return hipSuccess;
  for (const auto& device : platform.devices) device->synchronize();
  all.by_origin.erase(found->second.key);
  all.by_address.erase(found);
  return platform.release(address) ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace wavesmith::runtime
