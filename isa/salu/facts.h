// What most scalar rows say beside their signature.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

inline constexpr Facts kSaluCdna{.generations = kCdna};
inline constexpr Facts kSaluRdna{.generations = kRdna};
inline constexpr Facts kSaluFloat{.generations = kRdna35 | kRdna4};
inline constexpr Facts kSaluRdna35{.generations = kRdna35};
inline constexpr Facts kSaluRdna4{.generations = kRdna4};
inline constexpr Facts kSaluBeforeRdna4{.generations = kCdna | kRdna3};

namespace salu {

/// A result whose SCC says that it is not zero.
inline constexpr auto nonzero = [](auto result) { return Results{result, result != 0}; };

}  // namespace salu

}  // namespace wavesmith::isa
