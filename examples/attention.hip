// Flash attention, forward, on matrix cores: O = softmax(Q K^T / sqrt(d)) V for each head, without ever
// storing the scores. Compares with a reference in double precision on the CPU.
//
//   wavesmith cc --offload-arch=gfx942 -O3 examples/attention.hip -o attention
//   wavesmith run --gpu mi300x --report -- ./attention [sequence length] [heads]
//
// A workgroup of four waves owns 64 queries of a head; each wave owns 16 of them. Keys and values come
// through LDS, 64 at a time. The trick that saves all shuffles of the scores: compute them transposed.
// V_MFMA_F32_16X16X16_F16 returns, in lane l and register r, row 4*(l/16)+r and column l%16 of its result. It
// wants of its B operand, in lane l and element j, row 4*(l/16)+j and column l%16. So S^T = K Q^T (rows are
// keys, columns are queries), exponentiated, is already the B operand of O^T += V^T P^T. (Layouts: AMD's
// matrix instruction calculator.)
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using half4 = _Float16 __attribute__((ext_vector_type(4)));
using float4v = float __attribute__((ext_vector_type(4)));

constexpr int kHeadDim = 64;  // d
constexpr int kKeys = 64;     // keys in LDS at a time
constexpr int kQueriesPerWave = 16, kWaves = 4;
constexpr int kQueries = kQueriesPerWave * kWaves;
constexpr int kPad = 4;  // halves, so that rows of the LDS tiles start in different banks

__global__ void __launch_bounds__(64 * kWaves)
    attention(const _Float16* Q, const _Float16* K, const _Float16* V, float* O, int length, float scale) {
  __shared__ _Float16 keys[kKeys][kHeadDim + kPad];    // K, as it is
  __shared__ _Float16 values[kHeadDim][kKeys + kPad];  // V, transposed

  const int thread = threadIdx.x, lane = thread % 64, wave = thread / 64;
  const int column = lane % 16, group = lane / 16;  // of the matrix instruction's layouts
  const size_t head = static_cast<size_t>(blockIdx.y) * length * kHeadDim;
  const int query = blockIdx.x * kQueries + wave * kQueriesPerWave + column;
  const bool query_exists = query < length;

  // This lane's query: d = 16*step + 4*group + 0..3, the B operand of the first product.
  half4 q[kHeadDim / 16];
  for (int step = 0; step < kHeadDim / 16; ++step)
    q[step] = query_exists
                  ? *reinterpret_cast<const half4*>(&Q[head + query * kHeadDim + 16 * step + 4 * group])
                  : half4{};

  float running_max = -INFINITY, running_sum = 0;
  float4v output[kHeadDim / 16] = {};  // O^T: d = 16*tile + 4*group + r, this lane's query

  for (int first = 0; first < length; first += kKeys) {
    __syncthreads();
    for (int i = 4 * thread; i < kKeys * kHeadDim; i += 4 * 64 * kWaves) {
      const int key = i / kHeadDim, d = i % kHeadDim;
      const bool exists = first + key < length;
      const size_t at = head + static_cast<size_t>(first + key) * kHeadDim + d;
      *reinterpret_cast<half4*>(&keys[key][d]) = exists ? *reinterpret_cast<const half4*>(&K[at]) : half4{};
      const half4 v = exists ? *reinterpret_cast<const half4*>(&V[at]) : half4{};
      for (int j = 0; j < 4; ++j) values[d + j][key] = v[j];
    }
    __syncthreads();

    // S^T = K Q^T: four tiles of 16 keys.
    float4v scores[kKeys / 16];
    float largest = running_max;
    for (int tile = 0; tile < kKeys / 16; ++tile) {
      float4v sum = {};
      for (int step = 0; step < kHeadDim / 16; ++step) {
        const half4 k = *reinterpret_cast<const half4*>(&keys[16 * tile + column][16 * step + 4 * group]);
        sum = __builtin_amdgcn_mfma_f32_16x16x16f16(k, q[step], sum, 0, 0, 0);
      }
      for (int r = 0; r < 4; ++r) {
        const bool exists = first + 16 * tile + 4 * group + r < length;
        scores[tile][r] = exists ? sum[r] * scale : -INFINITY;
        largest = fmaxf(largest, scores[tile][r]);
      }
    }
    // The four lanes with this column hold different keys of the same query.
    largest = fmaxf(largest, __shfl_xor(largest, 16));
    largest = fmaxf(largest, __shfl_xor(largest, 32));

    const float correction = __expf(running_max - largest);
    running_max = largest;
    running_sum *= correction;
    for (auto& tile : output) tile *= correction;

    // P^T, and O^T += V^T P^T.
    for (int tile = 0; tile < kKeys / 16; ++tile) {
      half4 p;
      for (int r = 0; r < 4; ++r) {
        const float e = __expf(scores[tile][r] - largest);
        running_sum += e;
        p[r] = static_cast<_Float16>(e);
      }
      for (int d = 0; d < kHeadDim / 16; ++d) {
        const half4 v = *reinterpret_cast<const half4*>(&values[16 * d + column][16 * tile + 4 * group]);
        output[d] = __builtin_amdgcn_mfma_f32_16x16x16f16(v, p, output[d], 0, 0, 0);
      }
    }
  }

  running_sum += __shfl_xor(running_sum, 16);
  running_sum += __shfl_xor(running_sum, 32);
  if (!query_exists) return;
  const float inverse = 1 / running_sum;
  for (int d = 0; d < kHeadDim / 16; ++d)
    *reinterpret_cast<float4v*>(&O[head + query * kHeadDim + 16 * d + 4 * group]) = output[d] * inverse;
}

/// The same in double precision; returns the largest error relative to the largest output.
static double compare(const std::vector<_Float16>& Q, const std::vector<_Float16>& K,
                      const std::vector<_Float16>& V, const std::vector<float>& O, int heads, int length,
                      double scale) {
  double worst = 0, largest = 0;
  std::vector<double> scores(length);
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < length; ++i) {
      const size_t head = static_cast<size_t>(h) * length * kHeadDim,
                   row = head + static_cast<size_t>(i) * kHeadDim;
      double peak = -INFINITY, sum = 0;
      for (int j = 0; j < length; ++j) {
        double dot = 0;
        for (int d = 0; d < kHeadDim; ++d)
          dot += static_cast<double>(Q[row + d]) *
                 static_cast<double>(K[head + static_cast<size_t>(j) * kHeadDim + d]);
        scores[j] = dot * scale;
        peak = std::fmax(peak, scores[j]);
      }
      for (double& score : scores) sum += score = std::exp(score - peak);
      double expected[kHeadDim] = {};
      for (int j = 0; j < length; ++j)
        for (int d = 0; d < kHeadDim; ++d)
          expected[d] +=
              scores[j] / sum * static_cast<double>(V[head + static_cast<size_t>(j) * kHeadDim + d]);
      for (int d = 0; d < kHeadDim; ++d) {
        worst = std::fmax(worst, std::isfinite(O[row + d]) ? std::fabs(O[row + d] - expected[d]) : INFINITY);
        largest = std::fmax(largest, std::fabs(expected[d]));
      }
    }
  return worst / largest;
}

#define CHECK(call)                                                               \
  if (const hipError_t error = (call); error != hipSuccess) {                     \
    std::fprintf(stderr, "attention: %s: %s\n", #call, hipGetErrorString(error)); \
    return 1;                                                                     \
  }

int main(int argc, char** argv) {
  const int length = argc > 1 ? std::atoi(argv[1]) : 500;
  const int heads = argc > 2 ? std::atoi(argv[2]) : 8;
  if (length < 1 || heads < 1) {
    std::fprintf(stderr, "usage: attention [sequence length, at least 1] [heads, at least 1]\n");
    return 2;
  }
  const size_t elements = static_cast<size_t>(heads) * length * kHeadDim;
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<_Float16> Q(elements), K(elements), V(elements);
  for (auto* matrix : {&Q, &K, &V})
    for (_Float16& x : *matrix) x = static_cast<_Float16>(normal(random));
  std::vector<float> O(elements, NAN);  // poisoned: an element that is not written shows

  _Float16 *q, *k, *v;
  float* o;
  CHECK(hipMalloc(reinterpret_cast<void**>(&q), elements * sizeof(_Float16)));
  CHECK(hipMalloc(reinterpret_cast<void**>(&k), elements * sizeof(_Float16)));
  CHECK(hipMalloc(reinterpret_cast<void**>(&v), elements * sizeof(_Float16)));
  CHECK(hipMalloc(reinterpret_cast<void**>(&o), elements * sizeof(float)));
  CHECK(hipMemcpy(q, Q.data(), elements * sizeof(_Float16), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(k, K.data(), elements * sizeof(_Float16), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(v, V.data(), elements * sizeof(_Float16), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(o, O.data(), elements * sizeof(float), hipMemcpyHostToDevice));

  const double scale = 1 / std::sqrt(static_cast<double>(kHeadDim));
  attention<<<dim3((length + kQueries - 1) / kQueries, heads), 64 * kWaves>>>(q, k, v, o, length,
                                                                              static_cast<float>(scale));
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(O.data(), o, elements * sizeof(float), hipMemcpyDeviceToHost));

  // P is rounded to f16 (2^-11) before the second product; four times that covers the sum and the
  // exponential.
  const double error = compare(Q, K, V, O, heads, length, scale), allowed = 4 * std::ldexp(1, -11);
  std::printf("attention: %d heads, %d x %d, f16 with f32 accumulation, seed %u\n", heads, length, kHeadDim,
              seed);
  std::printf("largest error against double precision: %.2e of the largest output (allowed %.2e): %s\n",
              error, allowed, error <= allowed ? "PASS" : "FAIL");
  for (void* pointer :
       {static_cast<void*>(q), static_cast<void*>(k), static_cast<void*>(v), static_cast<void*>(o)})
    CHECK(hipFree(pointer));
  return error <= allowed ? 0 : 1;
}
