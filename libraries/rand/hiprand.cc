// hipRAND's host interface: generators that fill a program's memory, in the order of their stream. Types and
// values: hiprand.h of ROCm 7.0.
//
// The numbers come from Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011), whichever pseudo-random generator is asked for: they have the distributions that the interface
// promises, and each seed and offset gives one sequence, which is not the one that rocRAND's generators give.
// Of the quasi-random generators Sobol's of 32 bits is served (sobol.h): the points are rocRAND's.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "kernels/random/philox.h"
#include "libraries/rand/sobol.h"
#include "libraries/shim/unserved.h"
#include "libraries/shim/work.h"

extern "C" int hipLaunchHostFunc(void* stream, void (*function)(void*), void* data);
extern "C" int hipStreamIsCapturing(void* stream, int* status);

using namespace wavesmith::libraries;
using wavesmith::philox, wavesmith::PhiloxBlock;

namespace {

enum Status {
  kSuccess = 0,
  kNotInitialized = 101,
  kAllocationFailed = 102,
  kTypeError = 103,
  kOutOfRange = 104,
  kLengthNotMultiple = 105,
  kLaunchFailure = 201,
  kNotImplemented = 1000
};
constexpr int kVersion = 300000;  // major * 100000 + minor * 100 + patch: ROCm 7.0's 3.0.0

// hiprandRngType: the pseudo-random ones, default to Philox.
constexpr int kFirstType = 400, kLastType = 405;
// The quasi-random ones: default, Sobol's of 32 bits, and others.
constexpr int kQuasi = 500, kSobol32 = 501, kLastQuasi = 504;
constexpr unsigned kMostDimensions = 20000;  // of hipRAND

enum class Kind : unsigned char { Bits32, Bits64, Uniform, UniformDouble, Normal, NormalDouble, Poisson };

/// One call's work.
struct Request {
  Kind kind;
  bool exponential;  ///< the logarithm is normal
  bool once;         ///< runs once: goes after it
  void* output;
  uint64_t count;
  uint64_t key;    ///< the generator's seed
  uint64_t first;  ///< blocks of the sequence used before
  double mean, deviation;
  unsigned dimensions;  ///< of quasi-random points; 0: the numbers are pseudo-random
  Request* next;
  NotedCall call;

  void report_work(const WorkReporter& reporter) const {
    const bool wide = kind == Kind::Bits64 || kind == Kind::UniformDouble || kind == Kind::NormalDouble;
    GpuWork work("stream");
    reporter(work.set("written", static_cast<double>(count) * (wide ? 8 : 4)));
  }
};

struct Generator {
  void* stream;
  uint64_t seed;
  uint64_t block;       ///< of quasi-random ones: the next point
  unsigned dimensions;  ///< as Request has them
  Request* kept;        ///< what captured graphs may still run
};

// (0, 1], as rocRAND documents it.
float unit(uint32_t bits) { return static_cast<float>(bits) * 0x1p-32F + 0x1p-33F; }
double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53 + 0x1p-53; }
uint64_t wide(const PhiloxBlock& block, int half) {
  return block.words[2 * half] | static_cast<uint64_t>(block.words[2 * half + 1]) << 32;
}

/// Two independent normal numbers (Box and Muller 1958).
template <typename T>
void normal_pair(T u, T v, const Request& request, T* out) {
  const T radius = std::sqrt(T(-2) * std::log(u)), angle = T(6.283185307179586476925) * v;
  const T pair[] = {radius * std::cos(angle), radius * std::sin(angle)};
  for (int i = 0; i < 2; ++i) {
    const T value = static_cast<T>(request.mean) + static_cast<T>(request.deviation) * pair[i];
    out[i] = request.exponential ? std::exp(value) : value;
  }
}

/// Poisson: multiplication for small means (Knuth), transformed rejection for the others (Hormann 1993,
/// PTRS). Each number has a sequence of its own.
uint32_t poisson(uint64_t key, uint64_t index, double mean) {
  uint64_t step = 0;
  const auto draw = [&](double& u, double& v) {
    const PhiloxBlock block = philox(key, index, ++step << 32);
    u = unit(wide(block, 0));
    v = unit(wide(block, 1));
  };
  double u = 0;
  double v = 0;
  if (mean < 10) {
    const double limit = std::exp(-mean);
    uint32_t count = 0;
    for (double product = 1;; count += 2) {
      draw(u, v);
      if ((product *= u) <= limit) return count;
      if ((product *= v) <= limit) return count + 1;
    }
  }
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), most = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    draw(u, v);
    u -= 0.5;
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= most) return static_cast<uint32_t>(k);
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        k * std::log(mean) - mean - std::lgamma(k + 1))
      return static_cast<uint32_t>(k);
  }
}

/// Numbers that a block of the sequence gives.
int numbers_of(Kind kind) {
  switch (kind) {
    case Kind::Bits64:
    case Kind::UniformDouble:
    case Kind::NormalDouble:
      return 2;
    case Kind::Poisson:
      return 1;
    default:
      return 4;
  }
}

template <typename T>
void store(const Request& request, uint64_t at, const T (&values)[4], int count) {
  T* const out = static_cast<T*>(request.output) + at;
  for (int i = 0; i < count && at + static_cast<uint64_t>(i) < request.count; ++i) out[i] = values[i];
}

void fill(const Request& request) {
  const int step = numbers_of(request.kind);
  uint64_t index = request.first;
  for (uint64_t at = 0; at < request.count; at += static_cast<uint64_t>(step), ++index) {
    if (request.kind == Kind::Poisson) {
      static_cast<uint32_t*>(request.output)[at] = poisson(request.key, index, request.mean);
      continue;
    }
    const PhiloxBlock block = philox(request.key, index, 0);
    float single[4];
    double wide_ones[4];
    switch (request.kind) {
      case Kind::Bits32:
        store(request, at, block.words, 4);
        break;
      case Kind::Bits64:
        store(request, at, {wide(block, 0), wide(block, 1), uint64_t{0}, uint64_t{0}}, 2);
        break;
      case Kind::Uniform:
        for (int i = 0; i < 4; ++i) single[i] = unit(block.words[i]);
        store(request, at, single, 4);
        break;
      case Kind::UniformDouble:
        store(request, at, {unit(wide(block, 0)), unit(wide(block, 1)), 0.0, 0.0}, 2);
        break;
      case Kind::Normal:
        normal_pair(unit(block.words[0]), unit(block.words[1]), request, single);
        normal_pair(unit(block.words[2]), unit(block.words[3]), request, single + 2);
        store(request, at, single, 4);
        break;
      default:
        normal_pair(unit(wide(block, 0)), unit(wide(block, 1)), request, wide_ones);
        store(request, at, wide_ones, 2);
        break;
    }
  }
}

/// Where the normal distribution reaches `u`: a first guess (Abramowitz and Stegun 26.2.23) that Halley's
/// method makes exact.
double normal_quantile(double u) {
  const double tail = std::fmin(u, 1 - u), t = std::sqrt(-2 * std::log(tail));
  double x =
      (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
      t;  // of the lower tail
  for (int i = 0; i < 3; ++i) {
    const double error =
        (std::erfc(-x * 0.70710678118654752440) / 2 - tail) * 2.50662827463100050242 * std::exp(x * x / 2);
    x -= error / (1 + x * error / 2);
  }
  return u < 0.5 ? x : -x;
}

/// All points' first coordinates, then the second ones, ...
template <typename T>
void fill_quasi(const Request& request, T (*number_of)(const Request&, uint32_t)) {
  T* out = static_cast<T*>(request.output);
  for (unsigned dimension = 0; dimension < request.dimensions; ++dimension) {
    Sobol points(dimension, static_cast<uint32_t>(request.first));
    for (uint64_t i = 0; i < request.count / request.dimensions; ++i)
      *out++ = number_of(request, points.next());
  }
}
template <typename T>
T normal_of(const Request& request, uint32_t bits) {
  const double value =
      request.mean + request.deviation * normal_quantile(static_cast<double>(bits) * 0x1p-32 + 0x1p-33);
  return static_cast<T>(request.exponential ? std::exp(value) : value);
}
void fill_quasi(const Request& request) {
  switch (request.kind) {
    case Kind::Bits32:
      return fill_quasi<uint32_t>(request, [](const Request&, uint32_t bits) { return bits; });
    case Kind::Uniform:
      return fill_quasi<float>(request, [](const Request&, uint32_t bits) { return unit(bits); });
    case Kind::UniformDouble:
      return fill_quasi<double>(request, [](const Request&, uint32_t bits) {
        return static_cast<double>(bits) * 0x1p-32 + 0x1p-33;
      });
    case Kind::Normal:
      return fill_quasi<float>(request, normal_of<float>);
    default:
      return fill_quasi<double>(request, normal_of<double>);
  }
}

void run(void* data) {
  auto* const request = static_cast<Request*>(data);
  if (const WorkListener listener = work_listener())
    request->report_work(WorkReporter(listener, request->call));
  if (request->dimensions > 0)
    fill_quasi(*request);
  else
    fill(*request);
  if (request->once) std::free(request);
}

int generate(void* generator, Kind kind, void* output, uint64_t count, double mean = 0, double deviation = 0,
             bool exponential = false, const Called& = {}) {
  if (!generator) return kNotInitialized;
  auto& state = *static_cast<Generator*>(generator);
  const bool quasi = state.dimensions > 0;
  // A point has 32 bits a coordinate, and takes one of them to each number.
  if (quasi && (kind == Kind::Bits64 || kind == Kind::Poisson)) return kTypeError;
  if (quasi && count % state.dimensions != 0) return kLengthNotMultiple;
  // Normal numbers come in pairs, and the interface hands that on.
  if (!quasi && (kind == Kind::Normal || kind == Kind::NormalDouble) && count % 2 != 0)
    return kLengthNotMultiple;
  if (count == 0) return kSuccess;
  if (!output) return kOutOfRange;
  int capturing = 0;
  if (hipStreamIsCapturing(state.stream, &capturing) != 0) return kLaunchFailure;
  auto* const request = static_cast<Request*>(std::malloc(sizeof(Request)));
  if (!request) return kAllocationFailed;
  *request = {.kind = kind,
              .exponential = exponential,
              .once = capturing == 0,
              .output = output,
              .count = count,
              .key = state.seed,
              .first = state.block,
              .mean = mean,
              .deviation = deviation,
              .dimensions = state.dimensions,
              .next = state.kept,
              .call = {}};
  const uint64_t step = quasi ? state.dimensions : static_cast<uint64_t>(numbers_of(kind));
  if (hipLaunchHostFunc(state.stream, run, request) != 0) {
    std::free(request);
    return kLaunchFailure;
  }
  state.block += (count + step - 1) / step;
  if (capturing != 0) state.kept = request;
  return kSuccess;
}

}  // namespace

WAVESMITH_SERVED int hiprandGetVersion(int* version) {
  if (!version) return kOutOfRange;
  *version = kVersion;
  return kSuccess;
}

WAVESMITH_SERVED int hiprandCreateGenerator(void** generator, int type) {
  if (!generator) return kOutOfRange;
  const bool quasi = type == kQuasi || type == kSobol32;
  if (!quasi && type >= kQuasi && type <= kLastQuasi)
    return WAVESMITH_UNSUPPORTED(
        "hiprandCreateGenerator",
        "HIPRAND_STATUS_NOT_IMPLEMENTED for Sobol's scrambled points and those of 64 bits", kNotImplemented);
  if (!quasi && (type < kFirstType || type > kLastType)) return kTypeError;
  *generator = std::calloc(1, sizeof(Generator));
  if (!*generator) return kAllocationFailed;
  static_cast<Generator*>(*generator)->dimensions = quasi ? 1 : 0;
  return kSuccess;
}

WAVESMITH_SERVED int hiprandCreateGeneratorHost(void** generator, int type) {
  return hiprandCreateGenerator(generator, type);
}

WAVESMITH_SERVED int hiprandDestroyGenerator(void* generator) {
  if (!generator) return kNotInitialized;
  for (Request* each = static_cast<Generator*>(generator)->kept; each;) {
    Request* const next = each->next;
    std::free(each);
    each = next;
  }
  std::free(generator);
  return kSuccess;
}

WAVESMITH_SERVED int hiprandSetStream(void* generator, void* stream) {
  if (!generator) return kNotInitialized;
  static_cast<Generator*>(generator)->stream = stream;
  return kSuccess;
}

WAVESMITH_SERVED int hiprandSetPseudoRandomGeneratorSeed(void* generator, unsigned long long seed) {
  if (!generator) return kNotInitialized;
  if (static_cast<Generator*>(generator)->dimensions > 0) return kTypeError;
  static_cast<Generator*>(generator)->seed = seed;
  static_cast<Generator*>(generator)->block = 0;
  return kSuccess;
}

WAVESMITH_SERVED int hiprandSetGeneratorOffset(void* generator, unsigned long long offset) {
  if (!generator) return kNotInitialized;
  auto& state = *static_cast<Generator*>(generator);
  state.block = state.dimensions > 0 ? offset : offset / 4;
  return kSuccess;
}

/// hiprandOrdering: 100 to 104 of pseudo-random numbers, 201 of quasi-random ones. Each generator has one
/// order, so that none changes what comes.
WAVESMITH_SERVED int hiprandSetGeneratorOrdering(void* generator, int order) {
  if (!generator) return kNotInitialized;
  constexpr int kFirst = 100, kLast = 104, kOfQuasi = 201;
  const bool pseudo = order >= kFirst && order <= kLast;
  if (!pseudo && order != kOfQuasi) return kOutOfRange;
  auto& state = *static_cast<Generator*>(generator);
  if (pseudo != (state.dimensions == 0)) return kTypeError;
  state.block = 0;
  return kSuccess;
}

WAVESMITH_SERVED int hiprandSetQuasiRandomGeneratorDimensions(void* generator, unsigned dimensions) {
  if (!generator) return kNotInitialized;
  auto& state = *static_cast<Generator*>(generator);
  if (state.dimensions == 0) return kTypeError;
  if (dimensions == 0 || dimensions > kMostDimensions) return kOutOfRange;
  if (dimensions > kSobolDimensions)
    return WAVESMITH_UNSUPPORTED("hiprandSetQuasiRandomGeneratorDimensions",
                                 "HIPRAND_STATUS_NOT_IMPLEMENTED for more than 21 dimensions",
                                 kNotImplemented);
  state.dimensions = dimensions;
  state.block = 0;
  return kSuccess;
}

// clang-format off
WAVESMITH_SERVED int hiprandGenerate(void* generator, unsigned* output, size_t count) { return generate(generator, Kind::Bits32, output, count); }
WAVESMITH_SERVED int hiprandGenerateLongLong(void* generator, unsigned long long* output, size_t count) { return generate(generator, Kind::Bits64, output, count); }
WAVESMITH_SERVED int hiprandGenerateUniform(void* generator, float* output, size_t count) { return generate(generator, Kind::Uniform, output, count); }
WAVESMITH_SERVED int hiprandGenerateUniformDouble(void* generator, double* output, size_t count) { return generate(generator, Kind::UniformDouble, output, count); }
WAVESMITH_SERVED int hiprandGenerateNormal(void* generator, float* output, size_t count, float mean, float deviation) { return generate(generator, Kind::Normal, output, count, mean, deviation); }
WAVESMITH_SERVED int hiprandGenerateNormalDouble(void* generator, double* output, size_t count, double mean, double deviation) { return generate(generator, Kind::NormalDouble, output, count, mean, deviation); }
WAVESMITH_SERVED int hiprandGenerateLogNormal(void* generator, float* output, size_t count, float mean, float deviation) { return generate(generator, Kind::Normal, output, count, mean, deviation, true); }
WAVESMITH_SERVED int hiprandGenerateLogNormalDouble(void* generator, double* output, size_t count, double mean, double deviation) { return generate(generator, Kind::NormalDouble, output, count, mean, deviation, true); }
// clang-format on

WAVESMITH_SERVED int hiprandGeneratePoisson(void* generator, unsigned* output, size_t count, double mean) {
  if (!(mean > 0)) return kOutOfRange;
  return generate(generator, Kind::Poisson, output, count, mean);
}
