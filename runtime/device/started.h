#pragma once

namespace wavesmith::runtime {

/// Whether the process has called a function of HIP that needs the GPUs; from then on there are some.
bool started();

}  // namespace wavesmith::runtime
