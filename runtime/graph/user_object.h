// User objects: reference-counted resources that graphs share.
#pragma once

#include "runtime/abi/graph.h"

namespace wavesmith::runtime {

hipUserObject_t make_user_object(void* pointer, hipHostFn_t destroy, int references);
/// The number of references to an object; 0 if it is destroyed or never existed.
int user_object_references(hipUserObject_t object);
/// Adds references; ignores an object that is destroyed.
void retain_user_object(hipUserObject_t object, int count);
/// Drops references; ignores an object that is destroyed or has fewer than `count`, as ROCm does.
void release_user_object(hipUserObject_t object, int count);

}  // namespace wavesmith::runtime
