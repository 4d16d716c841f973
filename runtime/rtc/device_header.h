// The headers that hiprtc includes before every program.
#pragma once

#include <span>
#include <string_view>

namespace wavesmith::rtc {

/// Over HIP's headers, which under __HIPCC_RTC__ leave much to be included by whoever compiles: what ROCm's
/// hiprtc includes, in an order that compiles.
extern const std::string_view kHeaderOverHip;

/// When there are no HIP headers on the machine: the part of HIP's device interface that needs no library.
/// Indices, vector types, arithmetic, atomics, shuffles, barriers.
extern const std::string_view kHeaderAlone;

/// Headers of AMD's other libraries that programs include and that nobody may have installed, by the name in
/// #include: searched behind the folders of the program and of the headers that are there.
struct SpareHeader {
  const char* name;
  const char* text;
};
extern const std::span<const SpareHeader> kSpareHeaders;

}  // namespace wavesmith::rtc
