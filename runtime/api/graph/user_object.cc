// The functions of user objects and of the references that graphs hold.
#include <algorithm>
#include <climits>

#include "runtime/device/platform.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/user_object.h"

using namespace wavesmith::runtime;

namespace {

bool is_count(unsigned count) { return count > 0 && count <= INT_MAX; }

template <class Body>
hipError_t with_graph(hipGraph_t handle, Body body) {
  return api([&](Platform&) -> hipError_t {
    const auto graph = find_graph(handle);
    return graph ? body(*graph) : hipErrorInvalidValue;
  });
}

}  // namespace

HIP_API hipError_t hipUserObjectCreate(hipUserObject_t* object, void* pointer, hipHostFn_t destroy,
                                       unsigned count, unsigned flags) {
  return plain_api([&] {
    if (!object || !destroy || !is_count(count) || flags != hipUserObjectNoDestructorSync)
      return hipErrorInvalidValue;
    *object = make_user_object(pointer, destroy, static_cast<int>(count));
    return hipSuccess;
  });
}

HIP_API hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned count) {
  return plain_api([&] {
    if (!object || !is_count(count)) return hipErrorInvalidValue;
    release_user_object(object, static_cast<int>(count));
    return hipSuccess;
  });
}

HIP_API hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned count) {
  return plain_api([&] {
    if (!object || !is_count(count)) return hipErrorInvalidValue;
    retain_user_object(object, static_cast<int>(count));
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphRetainUserObject(hipGraph_t handle, hipUserObject_t object, unsigned count,
                                            unsigned flags) {
  return with_graph(handle, [&](Graph& graph) {
    if (!object || !is_count(count) || (flags != 0 && flags != hipGraphUserObjectMove))
      return hipErrorInvalidValue;
    if (user_object_references(object) == 0) return hipSuccess;
    // A move passes on references that the caller has.
    if (flags != hipGraphUserObjectMove) retain_user_object(object, static_cast<int>(count));
    graph.objects.emplace_back(object, static_cast<int>(count));
    return hipSuccess;
  });
}

HIP_API hipError_t hipGraphReleaseUserObject(hipGraph_t handle, hipUserObject_t object, unsigned count) {
  return with_graph(handle, [&](Graph& graph) {
    if (!object || !is_count(count)) return hipErrorInvalidValue;
    const bool holds =
        std::ranges::any_of(graph.objects, [&](const auto& each) { return each.first == object; });
    int left = static_cast<int>(count);
    if (!holds || user_object_references(object) < left) return hipSuccess;
    for (auto& [each, references] : graph.objects) {
      if (each != object) continue;
      const int taken = std::min(references, left);
      references -= taken;
      left -= taken;
    }
    std::erase_if(graph.objects, [](const auto& each) { return each.second == 0; });
    release_user_object(object, static_cast<int>(count));
    return hipSuccess;
  });
}
