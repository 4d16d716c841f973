// Splits measured rows into half A, for fits, and half B, for judging, by a hash of the row's problem, so
// that repeated measurements of one problem are in one half.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace wavesmith::validate {

enum class Half : uint8_t { A, B };

/// Bit 17 of the hash of "gpu|op|dtype|shape".
constexpr Half half_of(std::string_view key) { return (hash_of(key) >> 17 & 1) != 0 ? Half::B : Half::A; }

/// The half of a row, by its columns as in the table.
inline Half half_of(std::string_view gpu, std::string_view op, std::string_view dtype,
                    std::string_view shape) {
  std::string key(gpu);
  key.append("|").append(op).append("|").append(dtype).append("|").append(shape);
  return half_of(key);
}

}  // namespace wavesmith::validate
