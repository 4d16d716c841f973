// What an all-reduce's kernel is given, and how a rank's buffer is laid out: shared by the host and the
// device.
#pragma once

namespace wavesmith::kernels {

inline constexpr int kMostRanks = 8;
/// All of them have to be there at once on every GPU, beside what else runs.
inline constexpr int kMostExchanges = 80;

/// The words at the head of a rank's buffer. Two stages have a flag of each rank for each workgroup.
inline constexpr unsigned kLaunchesWord = 0;  ///< launches that have ended
inline constexpr unsigned kEndedWord = 16;    ///< workgroups of this launch that have ended
inline constexpr unsigned kFlagsWord = 64;
inline constexpr unsigned kFlagWords = kMostExchanges * kMostRanks;  ///< of a stage
inline constexpr unsigned kHeadBytes = (kFlagsWord + 2 * kFlagWords) * 4;

struct AllReduceArguments {
  const void *x, *residual, *weight;  ///< all but x may be null
  void *y, *sum;                      ///< one of them may be null
  void* buffers[kMostRanks];          ///< of each rank
  unsigned long half_bytes;           ///< behind a buffer's head there are two halves
  long elements;                      ///< of x
  int columns;                        ///< of a row, multiples of 8; the last row may be shorter
  int slice;                          ///< pieces of a row that a rank adds up, where ranks share that
  int ranks, rank;
  float epsilon, weight_offset;
};

}  // namespace wavesmith::kernels
