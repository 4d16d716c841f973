// Times an all-reduce, and the norm that follows it, on so many of the machine's GPUs.
#include <cstdint>

#include "kernels/bench/bench.h"
#include "kernels/wavesmith_all_reduce.h"

extern "C" {
int hipSetDevice(int device);
int hipDeviceEnablePeerAccess(int peer, unsigned flags);
int hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned flags);
int hipStreamSynchronize(void* stream);
int hipStreamCreateWithFlags(void** stream, unsigned flags);
}

namespace wavesmith::kernels::bench {
namespace {

struct BenchRank {
  wavesmith_all_reduce_description reduce{};
  wavesmith_kernels_norm_description norm{};  ///< of what is reduced, where they are apart
  void *stream = nullptr, *start = nullptr, *stop = nullptr;
};

void launched(wavesmith_kernels_status status) {
  if (status == WAVESMITH_KERNELS_SUCCESS) return;
  std::fprintf(stderr, "%s\n", wavesmith_kernels_message());
  std::exit(1);
}

void reach_others(int rank, int ranks) {
  check(hipSetDevice(rank), "hipSetDevice");
  for (int other = 0; other < ranks; ++other)
    if (other != rank) check(hipDeviceEnablePeerAccess(other, 0), "hipDeviceEnablePeerAccess");
}

BenchRank rank_of(int rank, const wavesmith_all_reduce_description& d, const std::string& how) {
  constexpr unsigned kNonBlocking = 1;
  BenchRank made;
  check(hipSetDevice(rank), "hipSetDevice");
  check(hipStreamCreateWithFlags(&made.stream, kNonBlocking), "hipStreamCreateWithFlags");
  check(hipEventCreate(&made.start), "hipEventCreate");
  check(hipEventCreate(&made.stop), "hipEventCreate");
  const auto matrix = [&] { return memory(d.rows * d.columns * 2); };
  const auto rows_of = [&](void* data) { return wavesmith_kernels_rows{data, d.type, d.columns}; };
  auto& reduce = made.reduce = d;
  reduce.rank = rank, reduce.x = matrix(), reduce.sum = matrix(), reduce.epsilon = 1e-5F;
  if (how == "plain") return made;
  void* const weight = memory(d.columns * 2);
  if (how == "norm") {
    reduce.residual = matrix(), reduce.y = matrix(), reduce.weight = weight;
    return made;
  }
  auto& norm = made.norm;
  norm.rows = d.rows, norm.columns = d.columns, norm.epsilon = 1e-5F;
  norm.x = rows_of(reduce.sum), norm.y = rows_of(matrix());
  norm.residual = norm.sum = rows_of(matrix());
  norm.weight = weight, norm.weight_type = d.type;
  return made;
}

/// Of the slowest GPU.
float milliseconds_of_round(const std::vector<BenchRank>& ranks) {
  for (const BenchRank& rank : ranks) {
    check(hipSetDevice(rank.reduce.rank), "hipSetDevice");
    check(hipEventRecord(rank.start, rank.stream), "hipEventRecord");
    launched(wavesmith_kernels_all_reduce(&rank.reduce, rank.stream));
    if (rank.norm.rows > 0) launched(wavesmith_kernels_norm(&rank.norm, rank.stream));
    check(hipEventRecord(rank.stop, rank.stream), "hipEventRecord");
  }
  float slowest = 0;
  for (const BenchRank& rank : ranks) {
    check(hipSetDevice(rank.reduce.rank), "hipSetDevice");
    check(hipStreamSynchronize(rank.stream), "hipStreamSynchronize");
    float milliseconds = 0;
    check(hipEventElapsedTime(&milliseconds, rank.start, rank.stop), "hipEventElapsedTime");
    slowest = std::max(slowest, milliseconds);
  }
  return slowest;
}

}  // namespace

int all_reduce(const Words& words) {
  constexpr unsigned kUncached = 3;
  static constexpr const char* kForms[] = {"any", "once", "slices"};
  wavesmith_all_reduce_description d{};
  d.ranks = static_cast<int32_t>(number(words, 0)), d.rows = number(words, 1), d.columns = number(words, 2);
  d.type = type_of(word(words, 3, "bf16"));
  const std::string how = word(words, 4, "norm");
  d.form = static_cast<wavesmith_all_reduce_form>(index_of(word(words, 5, "any"), kForms, "form"));
  launched(wavesmith_kernels_all_reduce_buffer(&d, &d.buffer_bytes));
  for (int rank = 0; rank < d.ranks; ++rank) {
    reach_others(rank, d.ranks);
    check(hipExtMallocWithFlags(&d.buffers[rank], d.buffer_bytes, kUncached), "hipExtMallocWithFlags");
    check(hipMemset(d.buffers[rank], 0, d.buffer_bytes), "hipMemset");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
  }
  std::vector<BenchRank> ranks;
  for (int rank = 0; rank < d.ranks; ++rank) ranks.push_back(rank_of(rank, d, how));
  float best = 0;
  const int rounds = std::getenv("ROUNDS") ? std::atoi(std::getenv("ROUNDS")) : 1;
  for (int round = 0; round < rounds; ++round) {
    const float one = milliseconds_of_round(ranks);
    best = round == 0 ? one : std::min(best, one);
  }
  return report("all_reduce " + how, d.rows, d.columns, best, d.rows * d.columns * 2);
}

}  // namespace wavesmith::kernels::bench
