// How lanes of a wave share a token's experts: the kernels that there are. One list for the device, which
// makes kernels of each line, and the host, which chooses.
#pragma once

/// X(lanes per token, experts of each lane, end of the kernels' names, why)
#define WAVESMITH_ROUTER_CONFIGURATIONS(X)                                             \
  X(2, 8, 2x8, "Mixtral's 8 experts: 32 tokens per wave of 64 lanes")                  \
  X(4, 8, 4x8, "up to 32 experts, or 4 chosen")                                        \
  X(8, 8, 8x8, "up to 64 experts, or 8 chosen")                                        \
  X(16, 8, 16x8, "up to 128 experts, or 16 chosen")                                    \
  X(32, 8, 32x8, "up to 256 experts, or 32 chosen; a wave of RDNA is as wide as this") \
  X(32, 16, 32x16, "up to 512 experts")                                                \
  X(32, 32, 32x32, "up to 1,024 experts")

namespace wavesmith::kernels {

inline constexpr int kRouterThreads = 256;  ///< of a workgroup
inline constexpr int kMostExperts = 1024, kMostChosen = 32, kMostGroups = 32;

struct RouterConfiguration {
  int lanes, each;
  const char *name, *why;
};

#define WAVESMITH_ROUTER(lanes, each, name, why) {lanes, each, #name, why},
inline constexpr RouterConfiguration kRouterConfigurations[] = {
    WAVESMITH_ROUTER_CONFIGURATIONS(WAVESMITH_ROUTER)};
#undef WAVESMITH_ROUTER

}  // namespace wavesmith::kernels
