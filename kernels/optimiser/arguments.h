// What the kernels of lists of arrays are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/wavesmith_optimiser.h"

namespace wavesmith::kernels {

inline constexpr int kListThreads = 256;
/// Elements of an array that a workgroup takes, of them a thread at once.
inline constexpr int kListChunk = 4096, kListAtOnce = 4;
/// Bytes of the lists in a kernel's argument: with the rest it is less than the 4 KiB that HIP promises.
inline constexpr int kListBytes = 3584;

/// Arrays that lie alike, and which workgroups take each: entry i those from `first` on.
template <class Entry>
struct ArrayList {
  static constexpr int kMost = kListBytes / static_cast<int>(sizeof(Entry));
  Entry entries[kMost];
  int count;
};

struct ListEntry {
  void* data[1 + WAVESMITH_LIST_INPUTS];  ///< y, x, z, w; null: the number
  long elements;
  float p, number;
  unsigned first;
  int aligned;  ///< as many elements as a thread takes at once are one access
};
struct ListArguments {
  ArrayList<ListEntry> list;
  int operation, inputs;
  int types[1 + WAVESMITH_LIST_INPUTS];  ///< wavesmith_kernels_type
  int single[WAVESMITH_LIST_INPUTS];
};

/// A workgroup makes one float of its chunk; a second kernel one of an array's.
struct NormEntry {
  const void* x;
  void* norm;
  long elements;
  unsigned first;
  int aligned;
};
struct NormArguments {
  ArrayList<NormEntry> list;
  int order;  ///< wavesmith_norm_order
  int type, type_norm;
  float* parts;  ///< one of each workgroup
};

struct AdamEntry {
  void *parameter, *gradient, *average, *average_of_squares, *largest_average;
  const float* step;
  long elements;
  unsigned first;
  int aligned;
};
struct AdamArguments {
  ArrayList<AdamEntry> list;
  int type_parameter, type_gradient, type_state;
  int decoupled, maximise;
  float rate, beta1, beta2, rest1, rest2;  ///< the rests are 1 - beta
  float log_beta1, log_beta2;
  float weight_decay, epsilon;
  const float *rate_at, *gradient_scale, *found_infinity;
};

}  // namespace wavesmith::kernels
