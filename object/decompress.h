// zlib and zstd, for compressed offload bundles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"

namespace wavesmith::object {

enum class Compression : uint16_t { Zlib = 0, Zstd = 1 };

/// Takes the next decompressed bytes; false: no more are wanted.
using Take = std::function<bool(std::span<const uint8_t>)>;

/// Decompresses the stream at the start of `input`, which must give exactly `size` bytes, piece by piece.
/// Returns how much of the input that took, or 0 when `take` has ended it. Error: BadInput.
Result<size_t> decompress(Compression method, std::span<const uint8_t> input, size_t size, const Take& take);

}  // namespace wavesmith::object
