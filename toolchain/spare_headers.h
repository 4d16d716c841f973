// Small headers of HIP and of AMD's header libraries, for machines where nobody has installed those: what
// programs include for a pair or a name, not for an algorithm. They are searched behind every other folder.
#pragma once

#include <span>

namespace wavesmith::toolchain {

struct SpareHeader {
  const char* name;  ///< as in #include <thrust/pair.h>
  const char* text;
};
extern const std::span<const SpareHeader> kSpareHeaders;

}  // namespace wavesmith::toolchain
