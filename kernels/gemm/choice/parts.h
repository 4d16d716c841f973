// How a product's parts of K are named: behind the tile's name and a slash their number, or that it is
// streamed.
#pragma once

#include <string>
#include <string_view>

namespace wavesmith::kernels {

/// In place of a number of parts: the product is streamed (stream.h).
inline constexpr int kStreamed = -1;

/// The parts that a candidate's name wants: 0 if it names none.
int parts_of_name(std::string_view name);

/// What stands behind the tile in the name of a candidate of so many parts.
std::string word_of_parts(int parts);

/// What stands behind the types in the names of kernels for so many parts.
std::string_view mark_of_parts(int parts);

}  // namespace wavesmith::kernels
