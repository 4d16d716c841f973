// What the C APIs of lists of arrays share: what they check, and how arrays come into lists.
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "kernels/library/device.h"
#include "kernels/library/named_range.h"
#include "kernels/optimiser/arguments.h"

namespace wavesmith::kernels {

/// HIP counts the threads of a grid in 32 bits.
inline constexpr int64_t kMostListWorkgroups = UINT32_MAX / kListThreads;

constexpr int64_t chunks_of(int64_t elements) { return (elements + kListChunk - 1) / kListChunk; }

inline wavesmith_kernels_status check_count(const char* what, int64_t count, const void* arrays) {
  if (count < 0) return invalid(what, "count is negative");
  if (count > 0 && !arrays) return invalid(what, "arrays is null");
  return succeed();
}

inline wavesmith_kernels_status check_float(const char* what, wavesmith_kernels_type type, const char* name) {
  if (!is_type(type)) return invalid(what, std::string(name) + " is " + std::to_string(type) + ", no type");
  if (is_common_float(type)) return succeed();
  return not_supported(what,
                       std::string(name) + " is " + std::string(word_of(type)) + ", not f32, f16 or bf16");
}

inline std::string name_of_array(int64_t number) { return "arrays[" + std::to_string(number) + "]"; }

inline wavesmith_kernels_status check_elements(const char* what, int64_t number, int64_t elements) {
  if (elements < 0) return invalid(what, name_of_array(number) + ".elements is negative");
  if (chunks_of(elements) > kMostListWorkgroups)
    return not_supported(what, name_of_array(number) + " has 2^36 elements or more");
  return succeed();
}

/// Elements of an array that a kernel reads or writes.
struct ListOperand {
  const char* name;
  const void* data;
  wavesmith_kernels_type type;
  int64_t elements;
  bool is_written = false, is_optional = false;
};

/// They are there, aligned, and what is written lies apart from all others, or, where it may, on one of them.
inline wavesmith_kernels_status check_operands(const char* what, int64_t number,
                                               std::span<const ListOperand> operands) {
  for (const ListOperand& one : operands) {
    const auto name = [&] { return name_of_array(number) + "." + one.name; };
    if (!one.data && !one.is_optional) return invalid(what, name() + " is null");
    if (reinterpret_cast<uintptr_t>(one.data) % static_cast<uintptr_t>(size_of(one.type)) != 0)
      return check_aligned(what, name(), one.data, size_of(one.type));
    if (!one.is_written || !one.data) continue;
    const auto written = ByteRange::of(one.data, one.elements, one.type);
    for (const ListOperand& other : operands) {
      if (&other == &one || !other.data) continue;
      const bool is_same = !other.is_written && other.data == one.data && other.type == one.type &&
                           other.elements == one.elements;
      if (!is_same && written.overlaps(ByteRange::of(other.data, other.elements, other.type)))
        return invalid(what, name() + " overlaps " + other.name);
    }
  }
  return succeed();
}

/// Whether as many elements as a thread takes at once are one access of each of these.
inline bool is_aligned(std::span<const ListOperand> operands) {
  for (const ListOperand& one : operands)
    if (one.elements > 1 &&
        reinterpret_cast<uintptr_t>(one.data) % static_cast<uintptr_t>(kListAtOnce * size_of(one.type)) != 0)
      return false;
  return true;
}

/// Fills `arguments.list` with entries of arrays, and calls with how many workgroups take them, as often as
/// needed. `entry_of` has of an array all but its place; those without elements are left out unless `empty`.
template <class Arguments, class Array, class EntryOf, class Launch>
wavesmith_kernels_status each_list(Arguments& arguments, std::span<const Array> arrays, bool empty,
                                   EntryOf entry_of, Launch launch) {
  auto& list = arguments.list;
  int64_t workgroups = 0;
  const auto flush = [&]() -> wavesmith_kernels_status {
    if (list.count == 0) return succeed();
    const auto status = launch(static_cast<unsigned>(workgroups));
    list.count = 0, workgroups = 0;
    return status;
  };
  list.count = 0;
  for (const Array& array : arrays) {
    if (array.elements == 0 && !empty) continue;
    const int64_t chunks = chunks_of(array.elements);
    if (list.count == list.kMost || workgroups + chunks > kMostListWorkgroups) {
      if (const auto status = flush()) return status;
    }
    auto& entry = list.entries[list.count++];
    entry = entry_of(array);
    entry.elements = array.elements, entry.first = static_cast<unsigned>(workgroups);
    workgroups += chunks;
  }
  return flush();
}

}  // namespace wavesmith::kernels
