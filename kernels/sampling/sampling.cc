// The C API of sampling: checks a call and launches it.
#include <array>

#include "kernels/library/named_range.h"
#include "kernels/rows/rows.h"
#include "kernels/sampling/arguments.h"
#include "kernels/sampling/parts.h"

namespace wavesmith::kernels {
namespace {

using Sample = wavesmith_sample_description;
using Verify = wavesmith_verify_description;

constexpr const char *kSampleName = "sample", *kVerifyName = "verify";
constexpr auto kWord = WAVESMITH_KERNELS_F32;
constexpr RowTypes kF32{[](wavesmith_kernels_type type) { return type == WAVESMITH_KERNELS_F32; }, "f32"};

/// An array of elements that a call may have.
struct Vector {
  const char* name;
  const void* data;
  int64_t words;  ///< of 4 bytes
  int64_t alignment = 4;
  bool is_needed = false;
};

wavesmith_kernels_status check_vectors(const char* what, std::span<const Vector> vectors) {
  for (const Vector& one : vectors) {
    if (one.is_needed && !one.data) return invalid(what, std::string(one.name) + " is null");
    if (one.data)
      if (const auto status = check_aligned(what, one.name, one.data, one.alignment)) return status;
  }
  return succeed();
}

wavesmith_kernels_status check_vocabulary(const char* what, int64_t vocabulary) {
  if (vocabulary > 0 && vocabulary <= kLargestVocabulary) return succeed();
  return invalid(what, "vocabulary is " + std::to_string(vocabulary) + ", not in [1, 2^22]");
}

NamedRange words_of(const Vector& one) { return NamedRange::of(one.name, one.data, one.words, kWord); }

NamedRange rows_of(const char* name, const wavesmith_kernels_rows& rows, int64_t count, int64_t columns) {
  return {name, rows.data ? range_of(rows, count, columns) : ByteRange{}};
}

wavesmith_kernels_status check(const Sample& one) {
  if (const auto status = check_rows(
          kSampleName, one.rows, one.vocabulary,
          {{.name = "logits", .rows = &one.logits},
           {.name = "probabilities", .rows = &one.probabilities, .is_written = true, .types = kF32}}))
    return status;
  if (one.rows == 0) return succeed();
  if (const auto status = check_vocabulary(kSampleName, one.vocabulary)) return status;
  if (!one.logits.data) return invalid(kSampleName, "logits.data is null");
  if (!one.tokens && !one.probabilities.data)
    return invalid(kSampleName, "neither tokens nor probabilities are wanted");
  if (one.log_probabilities && !one.tokens)
    return invalid(kSampleName, "log_probabilities are wanted without tokens");
  const int64_t rows = one.rows;
  const Vector vectors[] = {{"temperatures", one.temperatures, rows},
                            {"top_k", one.top_k, rows},
                            {"top_p", one.top_p, rows},
                            {"min_p", one.min_p, rows},
                            {"seeds", one.seeds, 2 * rows, 8, one.tokens != nullptr},
                            {"offsets", one.offsets, 2 * rows, 8},
                            {"tokens", one.tokens, rows},
                            {"log_probabilities", one.log_probabilities, rows}};
  if (const auto status = check_vectors(kSampleName, vectors)) return status;
  if (one.workspace)
    if (const auto status = check_aligned(kSampleName, "workspace", one.workspace, 16)) return status;
  std::array<NamedRange, std::size(vectors) + 3> ranges{rows_of("logits", one.logits, rows, one.vocabulary)};
  for (size_t i = 0; i < std::size(vectors); ++i) ranges[i + 1] = words_of(vectors[i]);
  ranges[ranges.size() - 2] = rows_of("probabilities", one.probabilities, rows, one.vocabulary);
  ranges.back() = NamedRange::of("workspace", one.workspace, static_cast<int64_t>(one.workspace_bytes),
                                 WAVESMITH_KERNELS_I8);
  return check_written(kSampleName, ranges, 4);
}

/// Probabilities that are not greedy.
wavesmith_kernels_status check_probabilities(const Verify& one) {
  const int64_t targets = one.batch * (one.drafts + 1);
  if (const auto status = check_rows(kVerifyName, targets, one.vocabulary,
                                     {{.name = "target", .rows = &one.target, .types = kF32}}))
    return status;
  if (const auto status = check_rows(kVerifyName, one.batch * one.drafts, one.vocabulary,
                                     {{.name = "draft", .rows = &one.draft, .types = kF32}}))
    return status;
  if (const auto status = check_vocabulary(kVerifyName, one.vocabulary)) return status;
  if (!one.target.data) return invalid(kVerifyName, "target.data is null");
  return succeed();
}

wavesmith_kernels_status check(const Verify& one) {
  if (one.batch < 0) return invalid(kVerifyName, "batch is negative");
  if (one.drafts < 0 || one.drafts > kMostDrafts)
    return invalid(kVerifyName, "drafts is " + std::to_string(one.drafts) + ", not in [0, 1024]");
  if (one.batch == 0) return succeed();
  const bool is_greedy = one.target_tokens != nullptr;
  if (!is_greedy)
    if (const auto status = check_probabilities(one)) return status;
  const int64_t batch = one.batch, drafts = batch * one.drafts, all = drafts + batch;
  const Vector vectors[] = {{"draft_tokens", one.draft_tokens, drafts, 4, drafts > 0},
                            {"counts", one.counts, batch},
                            {"target_tokens", one.target_tokens, all},
                            {"bonus", one.bonus, batch},
                            {"seeds", is_greedy ? nullptr : one.seeds, 2 * batch, 8, !is_greedy},
                            {"offsets", is_greedy ? nullptr : one.offsets, 2 * batch, 8},
                            {"tokens", one.tokens, all, 4, true},
                            {"accepted", one.accepted, batch}};
  if (const auto status = check_vectors(kVerifyName, vectors)) return status;
  std::array<NamedRange, std::size(vectors) + 2> ranges{};
  if (!is_greedy) {
    ranges[0] = rows_of("target", one.target, all, one.vocabulary);
    ranges[1] = rows_of("draft", one.draft, drafts, one.vocabulary);
  }
  for (size_t i = 0; i < std::size(vectors); ++i) ranges[i + 2] = words_of(vectors[i]);
  return check_written(kVerifyName, ranges, 2);
}

SampleWorkspace workspace_of(const Sample& one, int64_t parts) {
  return {one.rows, parts, one.top_k != nullptr || one.top_p != nullptr};
}

SampleArguments arguments_of(const Sample& one, int64_t parts) {
  SampleArguments made{};
  if (parts > 1) made.work = workspace_of(one, parts).at(one.workspace);
  made.logits = one.logits.data, made.stride = one.logits.row_stride, made.type = one.logits.type;
  const auto bytes = static_cast<uintptr_t>(4 * size_of(one.logits.type));
  made.aligned = reinterpret_cast<uintptr_t>(one.logits.data) % bytes == 0 &&
                 (one.rows == 1 || one.logits.row_stride % 4 == 0);
  made.vocabulary = static_cast<int>(one.vocabulary);
  made.temperatures = one.temperatures, made.top_k = one.top_k, made.top_p = one.top_p;
  made.min_p = one.min_p;
  made.seeds = one.seeds, made.offsets = one.offsets;
  made.tokens = one.tokens, made.log_probabilities = one.log_probabilities;
  made.probabilities = static_cast<float*>(one.probabilities.data);
  made.probabilities_stride = one.probabilities.row_stride;
  return made;
}

VerifyArguments arguments_of(const Verify& one) {
  VerifyArguments made{};
  made.draft_tokens = one.draft_tokens, made.counts = one.counts;
  made.target = static_cast<const float*>(one.target.data), made.target_stride = one.target.row_stride;
  made.draft = static_cast<const float*>(one.draft.data), made.draft_stride = one.draft.row_stride;
  made.target_tokens = one.target_tokens, made.bonus = one.bonus;
  made.seeds = one.seeds, made.offsets = one.offsets;
  made.tokens = one.tokens, made.accepted = one.accepted;
  made.drafts = static_cast<int>(one.drafts), made.vocabulary = static_cast<int>(one.vocabulary);
  return made;
}

/// Rows of one part by one kernel; of several by one after the other.
wavesmith_kernels_status launch_sample(const Device& device, const Sample& one, int64_t parts, void* stream) {
  const SampleArguments arguments = arguments_of(one, parts);
  const Grid rows{.x = static_cast<unsigned>(one.rows), .y = 1, .threads = kSampleThreads};
  if (parts == 1) return launch(device, "sampling_token", rows, &arguments, sizeof(arguments), stream);
  Grid all = rows;
  all.y = static_cast<unsigned>(parts);
  const struct {
    const char* kernel;
    const Grid& grid;
    bool is_wanted = true;
  } kernels[] = {{"sampling_range", all},
                 {"sampling_weigh", all},
                 {"sampling_list", all, arguments.work.listed != nullptr},
                 {"sampling_end", rows},
                 {"sampling_probabilities", all, arguments.probabilities != nullptr}};
  for (const auto& each : kernels)
    if (each.is_wanted)
      if (const auto status = launch(device, each.kernel, each.grid, &arguments, sizeof(arguments), stream))
        return status;
  return succeed();
}

}  // namespace

wavesmith_kernels_status sample_in_parts(const Sample& sample, int64_t parts, void* stream) {
  if (const auto status = check(sample)) return status;
  const auto bytes = static_cast<size_t>(workspace_of(sample, parts).bytes());
  if (const auto status = check_workspace(kSampleName, sample.workspace, sample.workspace_bytes, bytes))
    return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  return launch_sample(*device, sample, parts, stream);
}

}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_sample(const wavesmith_sample_description* sample, void* stream) {
  if (!sample) return invalid(kSampleName, "the description is null");
  if (const auto status = check(*sample)) return status;
  if (sample->rows == 0) return succeed();
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  int64_t parts = sample->workspace ? sample_parts(*device, sample->rows, sample->vocabulary) : 1;
  while (parts > 1 && static_cast<size_t>(workspace_of(*sample, parts).bytes()) > sample->workspace_bytes)
    --parts;
  return launch_sample(*device, *sample, parts, stream);
}

wavesmith_kernels_status wavesmith_kernels_sample_workspace(const wavesmith_sample_description* sample,
                                                            size_t* bytes) {
  if (!sample) return invalid(kSampleName, "the description is null");
  wavesmith_sample_description without = *sample;
  without.workspace = nullptr;
  if (const auto status = check(without)) return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  if (!bytes) return succeed();
  const int64_t rows = sample->rows;
  const int64_t parts = rows == 0 ? 1 : sample_parts(*device, rows, sample->vocabulary);
  *bytes = static_cast<size_t>(workspace_of(*sample, parts).bytes());
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_verify(const wavesmith_verify_description* verify, void* stream) {
  if (!verify) return invalid(kVerifyName, "the description is null");
  if (const auto status = check(*verify)) return status;
  if (verify->batch == 0) return succeed();
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const VerifyArguments arguments = arguments_of(*verify);
  const Grid grid{.x = static_cast<unsigned>(verify->batch), .y = 1, .threads = kSampleThreads};
  return launch(*device, "sampling_verify", grid, &arguments, sizeof(arguments), stream);
}
