#include "runtime/launch/kernarg.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulate/run/wave.h"
#include "runtime/memory/allocations.h"

namespace wavesmith::runtime {
namespace {

constexpr unsigned kClasses = 24;  // powers of two from 256 bytes on
constexpr size_t kSmallest = 256, kChunk = size_t{1} << 18;

struct Lists {
  std::mutex mutex;
  std::array<std::vector<uint8_t*>, kClasses> free;
};

Lists& lists() {
  static auto& all = *new Lists;
  return all;
}

}  // namespace

Result<Block> Block::take(emulate::Memory& memory, size_t size) {
  Block block;
  const size_t units = (std::max<size_t>(size, 1) + kSmallest - 1) / kSmallest;
  block.class_ = static_cast<unsigned>(std::bit_width(units - 1));
  if (block.class_ >= kClasses) return fail(ErrorKind::OutOfMemory, "too many bytes of kernel arguments");
  const std::scoped_lock lock(lists().mutex);
  auto& free = lists().free[block.class_];
  if (free.empty()) {
    const size_t each = kSmallest << block.class_, bytes = std::max(each, kChunk);
    const auto chunk = memory.allocate(bytes, kRuntimesOwn);
    if (!chunk) return tl::unexpected(chunk.error());
    for (size_t at = 0; at + each <= bytes; at += each) free.push_back(static_cast<uint8_t*>(*chunk) + at);
  }
  block.data_ = free.back();
  free.pop_back();
  return block;
}

Block::Block(Block&& other) noexcept : data_(std::exchange(other.data_, nullptr)), class_(other.class_) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(class_, other.class_);
  return *this;
}

Block::~Block() {
  if (!data_) return;
  const std::scoped_lock lock(lists().mutex);
  lists().free[class_].push_back(data_);
}

void fill_hidden(const object::Kernel& kernel, const Geometry& geometry, const HiddenPointers& pointers,
                 uint8_t* memory) {
  using Kind = object::Argument::Kind;
  for (const object::Argument& argument : kernel.arguments) {
    if (!argument.hidden()) continue;
    const auto axis = [&](Kind first) {
      return static_cast<size_t>(argument.kind) - static_cast<size_t>(first);
    };
    const auto address = [](const void* pointer) { return reinterpret_cast<uint64_t>(pointer); };
    uint64_t value = 0;
    switch (argument.kind) {
      case Kind::HiddenBlockCountX:
      case Kind::HiddenBlockCountY:
      case Kind::HiddenBlockCountZ: {
        // Whole workgroups only: what is left of the grid is the remainder's.
        const size_t i = axis(Kind::HiddenBlockCountX);
        value = geometry.grid[i] / geometry.workgroup[i];
        break;
      }
      case Kind::HiddenGroupSizeX:
      case Kind::HiddenGroupSizeY:
      case Kind::HiddenGroupSizeZ:
        value = geometry.workgroup[axis(Kind::HiddenGroupSizeX)];
        break;
      case Kind::HiddenRemainderX:
      case Kind::HiddenRemainderY:
      case Kind::HiddenRemainderZ: {
        const size_t i = axis(Kind::HiddenRemainderX);
        value = geometry.grid[i] % geometry.workgroup[i];
        break;
      }
      case Kind::HiddenGridDims:
        value = 3;  // HIP's launches always have three
        break;
      case Kind::HiddenHostcallBuffer:
        value = address(pointers.hostcall);
        break;
      case Kind::HiddenHeap:
        value = address(pointers.heap);
        break;
      case Kind::HiddenMultigridSyncArg:
        value = address(pointers.multigrid);
        break;
      case Kind::HiddenQueuePtr:
        value = address(pointers.queue);
        break;
      case Kind::HiddenDynamicLdsSize:
        value = geometry.dynamic_lds;
        break;
      case Kind::HiddenPrivateBase:
        value = emulate::kPrivateAperture >> 32;
        break;
      case Kind::HiddenSharedBase:
        value = emulate::kSharedAperture >> 32;
        break;
      default:
        break;  // offsets are 0, the buffer of printf comes when the kernel runs, the rest is not served by
                // HIP either
    }
    std::memcpy(memory + argument.offset, &value, std::min<size_t>(argument.size, sizeof value));
  }
}

}  // namespace wavesmith::runtime
