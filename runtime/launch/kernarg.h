// The kernarg segment: its memory, the program's arguments and the hidden ones.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/extent3.h"
#include "base/result.h"
#include "runtime/launch/module.h"

namespace wavesmith::runtime {

/// A block of device memory from a free list, because launches are too frequent for allocate().
class Block {
 public:
  static Result<Block> take(emulate::Memory& memory, size_t size);
  Block() = default;
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  ~Block();
  [[nodiscard]] uint8_t* data() const { return data_; }

 private:
  uint8_t* data_ = nullptr;
  unsigned class_ = 0;
};

/// The shape of a launch, as the kernel sees it.
struct Geometry {
  Extent3 grid;  ///< work-items
  Extent3 workgroup;
  uint32_t dynamic_lds = 0;
  bool cooperative = false;  ///< all workgroups are resident at once and may meet at grid barriers
};

/// Addresses that hidden arguments name.
struct HiddenPointers {
  const void* hostcall = nullptr;
  const void* heap = nullptr;
  const void* queue = nullptr;
  const void* multigrid = nullptr;
};

/// Writes the hidden arguments of `kernel` to its argument memory.
/// Source: LLVM, "User Guide for AMDGPU Backend", "AMDHSA Code Object V5 Kernel Argument Metadata Map".
void fill_hidden(const object::Kernel& kernel, const Geometry& geometry, const HiddenPointers& pointers,
                 uint8_t* memory);

}  // namespace wavesmith::runtime
