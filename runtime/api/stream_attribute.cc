// Attributes of streams: hints that are remembered, and the priority.
#include <cstring>
#include <map>
#include <mutex>

#include "runtime/abi/launch.h"
#include "runtime/device/platform.h"

using namespace wavesmith::runtime;

namespace {

/// What was set, by the stream's number: a stream's address may be another's later.
struct Attributes {
  std::mutex mutex;
  std::map<std::pair<uint64_t, int>, hipLaunchAttributeValue> values;
};
Attributes& attributes() {
  static auto& all = *new Attributes;
  return all;
}

bool is_attribute(hipLaunchAttributeID which) {
  switch (which) {
    case hipLaunchAttributeAccessPolicyWindow:
    case hipLaunchAttributeSynchronizationPolicy:
    case hipLaunchAttributePriority:
    case hipLaunchAttributeMemSyncDomainMap:
    case hipLaunchAttributeMemSyncDomain:
      return true;
    default:
      return false;
  }
}

template <class Body>
hipError_t with_stream(hipStream_t handle, Body body) {
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorContextIsDestroyed;
    const std::scoped_lock lock(attributes().mutex);
    return body(*stream);
  });
}

}  // namespace

HIP_API hipError_t hipStreamSetAttribute(hipStream_t handle, hipLaunchAttributeID which,
                                         const hipLaunchAttributeValue* value) {
  return with_stream(handle, [&](Stream& stream) {
    // A stream has its priority from its creation.
    if (!value || !is_attribute(which) || which == hipLaunchAttributePriority) return hipErrorInvalidValue;
    attributes().values[{stream.id, which}] = *value;
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamGetAttribute(hipStream_t handle, hipLaunchAttributeID which,
                                         hipLaunchAttributeValue* value) {
  return with_stream(handle, [&](Stream& stream) {
    if (!value || !is_attribute(which)) return hipErrorInvalidValue;
    std::memset(value, 0, sizeof *value);
    if (which == hipLaunchAttributePriority) return value->priority = stream.priority, hipSuccess;
    if (which == hipLaunchAttributeSynchronizationPolicy) value->syncPolicy = hipSyncPolicyAuto;
    const auto found = attributes().values.find({stream.id, which});
    if (found != attributes().values.end()) *value = found->second;
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamCopyAttributes(hipStream_t to_handle, hipStream_t from_handle) {
  return api([&](Platform& platform) -> hipError_t {
    const auto to = platform.stream(to_handle), from = platform.stream(from_handle);
    if (!to || !from) return hipErrorContextIsDestroyed;
    const std::scoped_lock lock(attributes().mutex);
    std::map<std::pair<uint64_t, int>, hipLaunchAttributeValue> copies;
    for (const auto& [key, value] : attributes().values)
      if (key.first == from->id) copies[{to->id, key.second}] = value;
    for (const auto& [key, value] : copies) attributes().values[key] = value;
    return hipSuccess;
  });
}

HIP_API hipError_t hipStreamGetId(hipStream_t handle, unsigned long long* id) {
  return with_stream(handle, [&](Stream& stream) {
    if (!id) return hipErrorInvalidValue;
    *id = stream.id;
    return hipSuccess;
  });
}
