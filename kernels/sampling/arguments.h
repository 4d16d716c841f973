// What the kernels of sampling are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/wavesmith_sampling.h"

namespace wavesmith::kernels {

inline constexpr int kSampleThreads = 1024;
/// Parts of a row's range of logits, one for each thread; and logits of a part that are kept in LDS.
inline constexpr int kSampleBuckets = kSampleThreads, kSampleListed = 4096;
/// So many weights of 2^40 are less than 2^63.
inline constexpr long kLargestVocabulary = 1L << 22;
inline constexpr long kMostDrafts = 1024;

/// A row of logits each workgroup.
struct SampleArguments {
  const void* logits;
  long stride;  ///< in elements
  int type;     ///< wavesmith_kernels_type
  int aligned;  ///< four logits from a multiple of four on are one access
  int vocabulary;
  const float *temperatures, *top_p, *min_p;
  const int* top_k;
  const unsigned long* seeds;
  const long* offsets;
  int* tokens;
  float *log_probabilities, *probabilities;
  long probabilities_stride;
};

/// A sequence each workgroup.
struct VerifyArguments {
  const int *draft_tokens, *counts;
  const float *target, *draft;
  long target_stride, draft_stride;
  const int *target_tokens, *bonus;
  const unsigned long* seeds;
  const long* offsets;
  int *tokens, *accepted;
  int drafts, vocabulary;
};

}  // namespace wavesmith::kernels
