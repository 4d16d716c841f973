// A list of products as comma-separated values.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/tune/product.h"

namespace wavesmith::study {

/// Reads the products of a list whose first line names the columns: m, n, k and, in any order, dtype and
/// layout, which `usual` gives where they are missing. Blank lines and those that begin with # are passed
/// over. Error: BadInput with the line, as a place in `file`.
Result<std::vector<Product>> read_shapes(std::string_view text, const std::string& file,
                                         const Product& usual);

}  // namespace wavesmith::study
