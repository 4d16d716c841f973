// Devices that reach one another's memory. All memory here is one address space, so every device can;
// enabling access is remembered because HIP's documentation says what a second call returns. What joins two
// devices follows from their data files.
#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "gpus/links.h"
#include "runtime/abi/device.h"
#include "runtime/device/platform.h"

using namespace wavesmith::runtime;

namespace {

std::mutex mutex;
std::set<std::pair<int, int>>& enabled() {
  static auto& pairs = *new std::set<std::pair<int, int>>;
  return pairs;
}

wavesmith::gpus::Route route_between(Platform& platform, int a, int b) {
  return wavesmith::gpus::route_between(platform.machine, platform.device(a)->number,
                                        platform.device(b)->number);
}
/// HSA_AMD_LINK_INFO_TYPE_PCIE, HSA_AMD_LINK_INFO_TYPE_XGMI.
uint32_t type_of(const wavesmith::gpus::Route& route) {
  return route.kind == wavesmith::gpus::Route::Kind::Xgmi ? 4 : 2;
}

bool distinct(Platform& platform, int a, int b) { return a != b && platform.device(a) && platform.device(b); }

}  // namespace

HIP_API hipError_t hipDeviceCanAccessPeer(int* can, int ordinal, int peer) {
  return api([&](Platform& platform) {
    if (!can) return hipErrorInvalidValue;
    if (!platform.device(ordinal) || !platform.device(peer)) return hipErrorInvalidDevice;
    *can = ordinal != peer;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&](Platform& platform) {
    if (flags) return hipErrorInvalidValue;
    const int self = Platform::current_ordinal();
    if (!distinct(platform, self, peer)) return hipErrorInvalidDevice;
    const std::scoped_lock lock(mutex);
    return enabled().insert({self, peer}).second ? hipSuccess : hipErrorPeerAccessAlreadyEnabled;
  });
}

HIP_API hipError_t hipDeviceDisablePeerAccess(int peer) {
  return api([&](Platform& platform) {
    const int self = Platform::current_ordinal();
    if (!distinct(platform, self, peer)) return hipErrorInvalidDevice;
    const std::scoped_lock lock(mutex);
    return enabled().erase({self, peer}) ? hipSuccess : hipErrorPeerAccessNotEnabled;
  });
}

HIP_API hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr which, int source, int destination) {
  return api([&](Platform& platform) {
    if (!value) return hipErrorInvalidValue;
    if (!distinct(platform, source, destination)) return hipErrorInvalidDevice;
    switch (which) {
      case hipDevP2PAttrPerformanceRank:
        *value = static_cast<int>(type_of(route_between(platform, source, destination)));
        return hipSuccess;
      case hipDevP2PAttrAccessSupported:
      case hipDevP2PAttrNativeAtomicSupported:
        *value = 1;
        return hipSuccess;
      case hipDevP2PAttrHipArrayAccessSupported:
        *value = platform.device(source)->gpu.target == platform.device(destination)->gpu.target;
        return hipSuccess;
    }
    return hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipExtGetLinkTypeAndHopCount(int first, int second, uint32_t* type, uint32_t* hops) {
  return api([&](Platform& platform) {
    if (!type || !hops || first == second || first < 0 || second < 0) return hipErrorInvalidValue;
    if (!distinct(platform, first, second)) return hipErrorInvalidDevice;
    const auto route = route_between(platform, first, second);
    *type = type_of(route);
    *hops = route.hops;
    return hipSuccess;
  });
}
