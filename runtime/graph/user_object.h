// User objects: resources that graphs share, destroyed when nobody refers to them any more.
#pragma once

#include "runtime/abi/graph.h"

namespace wavesmith::runtime {

hipUserObject_t make_user_object(void* pointer, hipHostFn_t destroy, int references);
/// The references to an object; 0 for one that is destroyed or never was.
int user_object_references(hipUserObject_t object);
/// Nothing happens to an object that is destroyed.
void retain_user_object(hipUserObject_t object, int count);
/// The same; and nothing happens when there are fewer references than `count`, as in ROCm.
void release_user_object(hipUserObject_t object, int count);

}  // namespace wavesmith::runtime
