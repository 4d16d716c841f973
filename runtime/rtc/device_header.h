// The headers that hiprtc includes before every program.
#pragma once

#include <string_view>

namespace wavesmith::rtc {

/// Over HIP's headers, which under __HIPCC_RTC__ leave much to be included by whoever compiles: what ROCm's
/// hiprtc includes, in an order that compiles.
extern const std::string_view kHeaderOverHip;

/// When there are no HIP headers on the machine: the part of HIP's device interface that needs no library.
/// Indices, vector types, arithmetic, atomics, shuffles, barriers.
extern const std::string_view kHeaderAlone;

}  // namespace wavesmith::rtc
