// What a program compiled at run time may include of AMD's other libraries when none of their headers are
// installed.
#include "runtime/rtc/device_header.h"

namespace wavesmith::rtc {
namespace {

// rocThrust's macros that open and close its namespace (Thrust's documentation, "namespace.h"): with them
// alone, CuPy's complex numbers, which live in that namespace, compile without rocThrust.
constexpr const char* kThrustNamespace = R"(#pragma once
#define THRUST_NS_QUALIFIER ::thrust
#define THRUST_NAMESPACE_BEGIN namespace thrust {
#define THRUST_NAMESPACE_END }
namespace thrust {}
)";

constexpr SpareHeader kHeaders[] = {
    {"thrust/detail/config/namespace.h", kThrustNamespace},
};

}  // namespace

const std::span<const SpareHeader> kSpareHeaders = kHeaders;

}  // namespace wavesmith::rtc
