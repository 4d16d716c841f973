// Fills: a box of equal elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/stream/stream.h"

namespace wavesmith::runtime {

struct Fill {
  void* destination = nullptr;
  uint32_t value = 0;
  size_t element = 1;                       ///< bytes of the value
  size_t width = 0, height = 1, depth = 1;  ///< width in elements
  size_t pitch = 0, slice = 0;
};

void do_fill(const Fill& fill);

/// Fills a box in stream order.
class FillOperation final : public Operation {
 public:
  explicit FillOperation(const Fill& fill) : fill_(fill) {}
  hipError_t run(Stream& stream) override;

 private:
  Fill fill_;
};

}  // namespace wavesmith::runtime
