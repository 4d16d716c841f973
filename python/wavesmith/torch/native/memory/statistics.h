// Counts of memory, as PyTorch keeps them.
#pragma once

#include <cstdint>

namespace wavesmith::device {

template <typename Stat>
void change(Stat& stat, std::int64_t amount) {
  if (amount >= 0) {
    stat.increase(amount);
  } else {
    stat.decrease(-amount);
  }
}

}  // namespace wavesmith::device
