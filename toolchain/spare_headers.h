// Small substitutes for headers of HIP and AMD's header libraries, for machines without them: enough for
// programs that include them for a pair or a name, not for an algorithm. They are searched after every other
// folder.
#pragma once

#include <span>

namespace wavesmith::toolchain {

struct SpareHeader {
  const char* name;  ///< as in #include <thrust/pair.h>
  const char* text;
};
extern const std::span<const SpareHeader> kSpareHeaders;

}  // namespace wavesmith::toolchain
