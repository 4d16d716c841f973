// Thrown where a kernel turns out not to take these elements, before anything is written: the operator is
// then left to the fallback (served.h).
#pragma once

namespace wavesmith::device {

struct NotServed {};

}  // namespace wavesmith::device
