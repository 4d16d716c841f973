#include "gpus/slot.h"

#include <cstdio>

#include "base/hash.h"

namespace wavesmith::gpus {

std::string Slot::text() const {
  char text[24];
  std::snprintf(text, sizeof text, "%04x:%02x:00.0", domain & 0xffff, bus & 0xff);
  return text;
}

Slot slot_of(int ordinal) {
  const uint32_t number = 5 + static_cast<uint32_t>(ordinal) * 16;
  return {number >> 8, number & 0xff};
}

uint64_t unique_id(const Gpu& gpu, int ordinal) {
  return (hash_of(gpu.id) & ~uint64_t{0xff}) | (static_cast<uint32_t>(ordinal) & 0xff);
}

}  // namespace wavesmith::gpus
