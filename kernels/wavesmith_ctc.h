/* The loss of connectionist temporal classification (Graves et al., 2006) and its gradient: how likely
 * sequences of labels are in any alignment with the steps of others. Part of the kernel library: see
 * wavesmith_kernels.h for statuses, messages and streams; types are those of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sequence has `steps` steps, each with a logarithm of probability for each class, and `labels` labels. Its
 * 2 * labels + 1 states are the labels with blanks around each. At each step a sequence stays in its state,
 * goes to the next one or, where that is a blank between different labels, to that behind. It begins in the
 * first two states and ends in the last two.
 *
 *   alphas[sequence][step][state] = the logarithm of the probability of being there, given all steps so far
 *   losses[sequence]              = -the logarithm of the probability of having ended
 *
 * States and steps that a sequence has not have alphas of minus infinity. Without steps its loss is 0 if it
 * has no labels, and infinity if it has.
 *
 * log_probs, losses and alphas are of F32 or F64, which computes. A label that is no class stops the kernel.
 * Each step rounds: alphas and losses are off by e times the number of steps so far and the largest size of
 * an alpha or log_prob plus 4, e being 2^-20 of F32 and 2^-49 of F64. */
typedef struct {
  int64_t times, sequences, classes;     /* log_probs' sizes */
  int64_t states;                        /* alphas' size: at least 2 * labels + 1 of each sequence */
  int64_t blank;                         /* a class */
  wavesmith_pointwise_operand log_probs; /* strides of classes, sequences and times */
  wavesmith_pointwise_operand targets;   /* I32 or I64; a stride between labels */
  /* Of the host, read before the call returns: of each sequence its steps, at most `times`, its labels, and
   * the number in targets of its first label. */
  const int64_t *steps, *labels, *begins;
  void *losses, *alphas; /* dense, of log_probs' type */
} wavesmith_ctc_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_ctc(const wavesmith_ctc_description* ctc,
                                                                     void* stream);

/* The gradient with respect to log_probs of the sum of upstream[sequence] * losses[sequence], as if log_probs
 * were logits of which a softmax was taken:
 *
 *   gradient[step][sequence][class] = upstream[sequence] * (e^log_prob - the probability of being in a state
 *                                     with that class's label at that step, given the labels)
 *
 * and 0 behind a sequence's steps. Of a sequence with an infinite loss it is 0 if `zero_infinity`, else NaN.
 * Shares of equal labels are added by atomics, in any order. Each share is off by four times what alphas and
 * losses may be off by, as a factor. */
typedef struct {
  wavesmith_ctc_description forward; /* whose losses and alphas are read */
  /* Of log_probs' type: a stride of sequences, and three as log_probs have. */
  wavesmith_pointwise_operand upstream, gradient;
  int32_t zero_infinity;
  void* betas; /* memory of alphas' size, which is written */
} wavesmith_ctc_gradient_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_ctc_gradient(const wavesmith_ctc_gradient_description* gradient, void* stream);

#ifdef __cplusplus
}
#endif
