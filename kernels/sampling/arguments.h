// What the kernels of sampling are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/wavesmith_sampling.h"

namespace wavesmith::kernels {

inline constexpr int kSampleThreads = 1024;
/// Parts of a row's range of logits, one for each thread; and logits of a part that are kept in LDS.
inline constexpr int kBucketBits = 10, kSampleBuckets = 1 << kBucketBits, kSampleListed = 1536;
static_assert(kSampleBuckets == kSampleThreads);
/// Workgroups that share a row, at the most: as many as the fewest waves that a workgroup has; and the logits
/// that each of them lists.
inline constexpr int kMostSampleParts = 16, kSampleListedOfPart = 1024;
/// So many weights of 2^40 are less than 2^63.
inline constexpr long kLargestVocabulary = 1L << 22;
inline constexpr long kMostDrafts = 1024;

/// What a workgroup that shares a row with others leaves in the workspace for the kernels that follow.
struct SamplePartNotes {
  float largest, least;
  unsigned first, has_nan;
  unsigned long mass;         ///< of what is kept; of a row with filters, of what lies above the listed
  unsigned long mass_of_all;  ///< without temperature and filters
  unsigned listed, unused;    ///< keys of its list; with more than the list holds some are missing
};
/// The same of a row: how its filters cut, then what they leave.
struct SampleRowNotes {
  unsigned long count, mass;                           ///< of all candidates
  unsigned long count_above, mass_above, mass_listed;  ///< of those above the listed
  unsigned first, last;                                ///< buckets that are listed
  unsigned is_listed;                                  ///< 0: a workgroup has to read the row again
  float border, share;
};
/// The workspace: without parts of rows there is none.
struct SampleWork {
  SamplePartNotes* parts;  ///< of each row
  SampleRowNotes* rows;
  unsigned long* masses;  ///< of the buckets of each part of each row
  unsigned* counts;
  unsigned* listed;
  int count;  ///< parts of a row
};

/// A row of logits each workgroup, or a part of one.
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
  SampleWork work;
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
