// roctracer: starting and stopping what an attached tool records. No tool can be attached. roctracer_ext.h of
// ROCm 7.0.
#include "libraries/shim/unserved.h"

WAVESMITH_SERVED void roctracer_start() {}
WAVESMITH_SERVED void roctracer_stop() {}
