// A library that Debian built: librocrand1's own code for gfx90a makes numbers, whose moments have to be
// right.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

// What the library's and HIP's C interfaces are called by; no headers are needed.
extern "C" {
int rocrand_create_generator(void** generator, int type);
int rocrand_set_seed(void* generator, unsigned long long seed);
int rocrand_generate_uniform(void* generator, float* out, size_t count);
int rocrand_generate_normal(void* generator, float* out, size_t count, float mean, float deviation);
int rocrand_generate_poisson(void* generator, unsigned* out, size_t count, double lambda);
int rocrand_destroy_generator(void* generator);
int hipMalloc(void** pointer, size_t size);
int hipMemcpy(void* to, const void* from, size_t size, int kind);
int hipFree(void* pointer);
}

namespace {

constexpr size_t kCount = size_t{1} << 20;
int failures = 0;

void succeed(int status, const char* what) {
  if (status == 0) return;
  std::printf("%s returned %d\n", what, status);
  ++failures;
}

/// Mean and variance of kCount numbers within six standard errors; `fourth` is the distribution's fourth
/// central moment.
template <class T>
void check(const char* what, const T* device, double mean, double variance, double fourth) {
  std::vector<T> numbers(kCount);
  succeed(hipMemcpy(numbers.data(), device, kCount * sizeof(T), 2), "hipMemcpy");
  double sum = 0, squares = 0;
  for (const T number : numbers) sum += number;
  const double found = sum / kCount;
  for (const T number : numbers) squares += (number - found) * (number - found);
  const double spread = squares / kCount;
  const bool right = std::abs(found - mean) <= 6 * std::sqrt(variance / kCount) &&
                     std::abs(spread - variance) <= 6 * std::sqrt((fourth - variance * variance) / kCount);
  std::printf("%-24s mean %9.6f (%g), variance %9.6f (%g)%s\n", what, found, mean, spread, variance,
              right ? "" : "  WRONG");
  failures += !right;
}

}  // namespace

int main() {
  void* memory = nullptr;
  succeed(hipMalloc(&memory, kCount * sizeof(float)), "hipMalloc");
  const struct {
    int type;
    const char* name;
  } generators[] = {{401, "XORWOW"}, {402, "MRG32K3A"}, {404, "Philox"}};
  for (const auto& each : generators) {
    void* generator = nullptr;
    succeed(rocrand_create_generator(&generator, each.type), each.name);
    succeed(rocrand_set_seed(generator, 20'23), "rocrand_set_seed");
    std::printf("%s\n", each.name);
    succeed(rocrand_generate_uniform(generator, static_cast<float*>(memory), kCount), "uniform");
    check("  uniform", static_cast<float*>(memory), 0.5, 1.0 / 12, 1.0 / 80);
    succeed(rocrand_generate_normal(generator, static_cast<float*>(memory), kCount, 1, 2), "normal");
    check("  normal", static_cast<float*>(memory), 1, 4, 3 * 16);
    succeed(rocrand_generate_poisson(generator, static_cast<unsigned*>(memory), kCount, 10), "poisson");
    check("  Poisson", static_cast<unsigned*>(memory), 10, 10, 10 * (1 + 3 * 10));
    succeed(rocrand_destroy_generator(generator), "rocrand_destroy_generator");
  }
  succeed(hipFree(memory), "hipFree");
  std::printf(failures ? "failed\n" : "passed\n");
  return failures != 0;
}
