// Into how many parts rows are cut, and what these need of memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/library/device.h"
#include "kernels/sampling/arguments.h"

namespace wavesmith::kernels {

/// As many as keep the device busy, where rows do not, and as have enough to do.
inline int64_t sample_parts(const Device& device, int64_t rows, int64_t vocabulary) {
  constexpr int64_t kFewestLogits = 4096;
  const int64_t at_once = int64_t{device.compute_units} * (device.threads_per_unit / kSampleThreads);
  return std::clamp<int64_t>(std::min(at_once / rows, vocabulary / kFewestLogits), 1, kMostSampleParts);
}

/// A workspace for so many parts of each row.
struct SampleWorkspace {
  int64_t rows, parts;
  bool has_filters;

  [[nodiscard]] int64_t bytes() const {
    return parts > 1 ? row_bytes() + all() * (kPartBytes + (has_filters ? kFilterBytes : 0)) : 0;
  }
  [[nodiscard]] SampleWork at(void* memory) const {
    auto* next = static_cast<char*>(memory);
    const auto take = [&](int64_t size) { return std::exchange(next, next + size); };
    SampleWork work{};
    work.count = static_cast<int>(parts);
    work.rows = reinterpret_cast<SampleRowNotes*>(take(row_bytes()));
    work.parts = reinterpret_cast<SamplePartNotes*>(take(all() * kPartBytes));
    if (!has_filters) return work;
    work.masses = reinterpret_cast<unsigned long*>(take(all() * kMassBytes));
    work.counts = reinterpret_cast<unsigned*>(take(all() * kCountBytes));
    work.listed = reinterpret_cast<unsigned*>(next);
    return work;
  }

 private:
  static constexpr int64_t kPartBytes = sizeof(SamplePartNotes),
                           kMassBytes = kSampleBuckets * sizeof(unsigned long),
                           kCountBytes = kSampleBuckets * sizeof(unsigned),
                           kFilterBytes = kMassBytes + kCountBytes + kSampleListedOfPart * sizeof(unsigned);
  [[nodiscard]] int64_t all() const { return rows * parts; }
  [[nodiscard]] int64_t row_bytes() const { return rows * static_cast<int64_t>(sizeof(SampleRowNotes)); }
};

/// For tests: with so many parts of each row, whatever the device. The workspace has to hold them.
WAVESMITH_KERNELS_API wavesmith_kernels_status sample_in_parts(const wavesmith_sample_description& sample,
                                                               int64_t parts, void* stream);

}  // namespace wavesmith::kernels
