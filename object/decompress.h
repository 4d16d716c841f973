// zlib and zstd, for compressed offload bundles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace wavesmith::object {

enum class Compression : uint16_t { Zlib = 0, Zstd = 1 };

struct Decompressed {
  std::vector<uint8_t> bytes;
  size_t consumed = 0;  ///< of the input
};

/// Decompresses the stream at the start of `input`, which must give exactly `size` bytes. Error: BadInput.
Result<Decompressed> decompress(Compression method, std::span<const uint8_t> input, size_t size);

/// At most the first `most` bytes of it. Error: BadInput.
Result<std::vector<uint8_t>> decompress_start(Compression method, std::span<const uint8_t> input,
                                              size_t most);

}  // namespace wavesmith::object
