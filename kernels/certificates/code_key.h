// What tells one build of a code object from another.
#pragma once

#include <cstdint>
#include <string_view>

namespace wavesmith::kernels {

/// FNV-1a of its bytes. Source: Fowler, Noll, Vo, https://www.isthe.com/chongo/tech/comp/fnv.
constexpr uint64_t code_key(std::string_view code) {
  uint64_t key = 0xcbf29ce484222325;
  for (const char byte : code) key = (key ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return key;
}

}  // namespace wavesmith::kernels
