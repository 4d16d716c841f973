// Launching a product of the kernel library, as a program would.
#pragma once

#include <string>

#include "base/result.h"
#include "study/tune/product.h"

namespace wavesmith::study {

/// Launches a product so many times on the current device of HIP, on matrices of whatever memory holds, and
/// waits. Returns the kernel's name, or that of the tile where the product names one. Errors: of HIP and of
/// the library.
Result<std::string> launch_product(const Product& product, int times);

}  // namespace wavesmith::study
