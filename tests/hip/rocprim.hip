// rocPRIM's device algorithms, from Debian's headers, on random sizes and values, each compared with the
// standard library. Usage: rocprim [seed] [largest size]; the size may also stand in WAVESMITH_TEST_SIZE.
#include <cstring>  // which rocPRIM of ROCm 7.1 uses without asking

#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

int failures = 0;

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::printf("FAIL %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}

/// Memory on the device, with a copy of a vector or poisoned.
template <class T>
struct Device {
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    if (!values.empty())
      check(hipMemcpy(data, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice),
            "copy to the device");
  }
  explicit Device(size_t count) : size(count) {
    check(hipMalloc(reinterpret_cast<void**>(&data), std::max<size_t>(1, count) * sizeof(T)), "hipMalloc");
    check(hipMemset(data, 0xa5, std::max<size_t>(1, count) * sizeof(T)), "poison");
  }
  ~Device() { (void)hipFree(data); }
  std::vector<T> host() const {
    std::vector<T> values(size);
    if (size)
      check(hipMemcpy(values.data(), data, size * sizeof(T), hipMemcpyDeviceToHost), "copy to the host");
    return values;
  }
  T* data = nullptr;
  size_t size;
};

template <class T>
void expect(const char* what, size_t size, const std::vector<T>& got, const std::vector<T>& wanted) {
  if (got == wanted) {
    std::printf("PASS %s, %zu\n", what, size);
    return;
  }
  ++failures;
  size_t i = 0;
  while (i < got.size() && i < wanted.size() && got[i] == wanted[i]) ++i;
  std::printf("FAIL %s, %zu: element %zu differs\n", what, size, i);
}

/// Calls an algorithm twice, as rocPRIM wants: for the size of its storage, then to run.
template <class F>
void with_storage(const char* what, const F& call) {
  size_t bytes = 0;
  check(call(nullptr, bytes), what);
  const Device<char> storage(bytes);
  check(call(storage.data, bytes), what);
  check(hipDeviceSynchronize(), what);
}

using Random = std::mt19937;

std::vector<unsigned> values_of(Random& random, size_t size, unsigned largest) {
  std::uniform_int_distribution<unsigned> distribution(0, largest);
  std::vector<unsigned> values(size);
  for (unsigned& value : values) value = distribution(random);
  return values;
}

void reduce(Random& random, size_t size) {
  const auto values = values_of(random, size, ~0u);
  const Device<unsigned> in(values), out(1);
  with_storage("reduce", [&](void* storage, size_t& bytes) {
    return rocprim::reduce(storage, bytes, in.data, out.data, 7u, size, rocprim::plus<unsigned>());
  });
  expect("reduce", size, out.host(), {std::accumulate(values.begin(), values.end(), 7u)});
}

void scan(Random& random, size_t size) {
  const auto values = values_of(random, size, ~0u);
  const Device<unsigned> in(values), out(size);
  with_storage("inclusive scan", [&](void* storage, size_t& bytes) {
    return rocprim::inclusive_scan(storage, bytes, in.data, out.data, size, rocprim::plus<unsigned>());
  });
  std::vector<unsigned> wanted(size);
  std::inclusive_scan(values.begin(), values.end(), wanted.begin());
  expect("inclusive scan", size, out.host(), wanted);
}

template <class Key>
void sort(Random& random, size_t size, const char* what) {
  std::vector<Key> keys(size);
  std::vector<unsigned> items(size);
  for (size_t i = 0; i < size; ++i)
    keys[i] = static_cast<Key>(static_cast<int>(random())), items[i] = static_cast<unsigned>(i);
  const Device<Key> keys_in(keys), keys_out(size);
  const Device<unsigned> items_in(items), items_out(size);
  with_storage(what, [&](void* storage, size_t& bytes) {
    return rocprim::radix_sort_pairs(storage, bytes, keys_in.data, keys_out.data, items_in.data,
                                     items_out.data, size);
  });
  // Not std::stable_sort: libstdc++ 12 warns of what it is itself made of.
  std::sort(items.begin(), items.end(),
            [&](unsigned a, unsigned b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  expect(what, size, items_out.host(), items);
}

void select(Random& random, size_t size) {
  const auto values = values_of(random, size, 99);
  const Device<unsigned> in(values), out(size), count(1);
  const auto keep = [] __device__ __host__(unsigned value) { return value % 3 == 0; };
  with_storage("select", [&](void* storage, size_t& bytes) {
    return rocprim::select(storage, bytes, in.data, out.data, count.data, size, keep);
  });
  std::vector<unsigned> wanted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(wanted), keep);
  auto got = out.host();
  got.resize(std::min<size_t>(size, count.host()[0]));
  expect("select", size, got, wanted);
}

void histogram(Random& random, size_t size) {
  constexpr unsigned kBins = 37;
  const auto values = values_of(random, size, 999);
  const Device<unsigned> in(values), out(kBins);
  with_storage("histogram", [&](void* storage, size_t& bytes) {
    return rocprim::histogram_even(storage, bytes, in.data, static_cast<unsigned>(size), out.data, kBins + 1,
                                   0u, 37u * 20);
  });
  std::vector<unsigned> wanted(kBins);
  for (const unsigned value : values)
    if (value < 37 * 20) ++wanted[value / 20];
  expect("histogram", size, out.host(), wanted);
}

void run_length(Random& random, size_t size) {
  const auto values = values_of(random, size, 2);
  const Device<unsigned> in(values), unique(size), counts(size), runs(1);
  with_storage("run length", [&](void* storage, size_t& bytes) {
    return rocprim::run_length_encode(storage, bytes, in.data, size, unique.data, counts.data, runs.data);
  });
  std::vector<unsigned> wanted;
  for (size_t i = 0; i < size;) {
    size_t end = i;
    while (end < size && values[end] == values[i]) ++end;
    wanted.push_back(static_cast<unsigned>(end - i));
    i = end;
  }
  auto got = counts.host();
  got.resize(std::min<size_t>(size, runs.host()[0]));
  expect("run length", size, got, wanted);
}

void segmented(Random& random, size_t size) {
  const auto values = values_of(random, size, ~0u);
  std::vector<unsigned> offsets{0};
  while (offsets.back() < size)
    offsets.push_back(static_cast<unsigned>(std::min<size_t>(size, offsets.back() + 1 + random() % 3000)));
  const size_t segments = offsets.size() - 1;
  const Device<unsigned> in(values), begins(offsets), sums(segments), sorted(size);
  with_storage("segmented reduce", [&](void* storage, size_t& bytes) {
    return rocprim::segmented_reduce(storage, bytes, in.data, sums.data, static_cast<unsigned>(segments),
                                     begins.data, begins.data + 1, rocprim::plus<unsigned>(), 0u);
  });
  std::vector<unsigned> wanted(segments);
  auto ordered = values;
  for (size_t s = 0; s < segments; ++s) {
    wanted[s] = std::accumulate(values.begin() + offsets[s], values.begin() + offsets[s + 1], 0u);
    std::sort(ordered.begin() + offsets[s], ordered.begin() + offsets[s + 1]);
  }
  expect("segmented reduce", size, sums.host(), wanted);
  with_storage("segmented sort", [&](void* storage, size_t& bytes) {
    return rocprim::segmented_radix_sort_keys(storage, bytes, in.data, sorted.data,
                                              static_cast<unsigned>(size), static_cast<unsigned>(segments),
                                              begins.data, begins.data + 1);
  });
  expect("segmented sort", size, sorted.host(), ordered);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned seed =
      argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : std::random_device{}();
  const char* const wanted = argc > 2 ? argv[2] : std::getenv("WAVESMITH_TEST_SIZE");
  const size_t largest = wanted ? std::strtoul(wanted, nullptr, 10) : 1'000'000;
  std::printf("seed %u\n", seed);
  Random random(seed);
  const auto size = [&] {
    return static_cast<size_t>(std::exp(
               std::uniform_real_distribution<double>(0, std::log(static_cast<double>(largest)))(random))) +
           1;
  };
  for (int round = 0; round < 2; ++round) {
    reduce(random, round ? largest : size());
    scan(random, round ? largest : size());
    sort<unsigned>(random, round ? largest : size(), "radix sort of unsigned");
    sort<float>(random, size(), "radix sort of float");
    select(random, size());
    histogram(random, size());
    run_length(random, size());
    segmented(random, size());
  }
  std::printf("%s\n", failures ? "FAILED" : "all passed");
  return failures != 0;
}
