// Philox4x32-10: random bits as a function of a key and a counter. Salmon, Moraes, Dror and Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011, section 4 and table 2. For the host and the device.
#pragma once

namespace wavesmith {

struct PhiloxBlock {
  unsigned words[4];
};

/// The bits of counter `low`, `high` (64 bits each, low words first).
__attribute__((always_inline)) constexpr PhiloxBlock philox(unsigned long key, unsigned long low,
                                                            unsigned long high, int rounds = 10) {
  PhiloxBlock c{{static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                 static_cast<unsigned>(high >> 32)}};
  auto k0 = static_cast<unsigned>(key), k1 = static_cast<unsigned>(key >> 32);
  for (int round = 0; round < rounds; ++round) {
    const unsigned long a = 0xD2511F53UL * c.words[0], b = 0xCD9E8D57UL * c.words[2];
    c = {{static_cast<unsigned>(b >> 32) ^ c.words[1] ^ k0, static_cast<unsigned>(b),
          static_cast<unsigned>(a >> 32) ^ c.words[3] ^ k1, static_cast<unsigned>(a)}};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

}  // namespace wavesmith
