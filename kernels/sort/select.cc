// The C API of selecting an element of each row: checks a call and launches it.
#include <string>

#include "kernels/sort/rows_of.h"
#include "kernels/sort/sort_arguments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_select_description;

constexpr const char* kName = "select";

RowsGiven given(const Description& one) {
  return rows_given(kName, one, one.value, "value", one.place, "place");
}

wavesmith_kernels_status check(const Description& one) {
  if (one.operation < WAVESMITH_SELECT_RANK || one.operation > WAVESMITH_SELECT_NAN_MEDIAN)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  if (const auto status = check_along(kName, one.dimensions, one.along, one.sizes)) return status;
  const RowsGiven rows = given(one);
  for (int d = 0; d < one.dimensions; ++d)
    if (d != one.along && one.sizes[d] == 0) return succeed();
  const int64_t length = one.dimensions == 0 ? 1 : one.sizes[one.along];
  if (length == 0) return invalid(kName, "rows have no elements");
  if (one.operation == WAVESMITH_SELECT_RANK && (one.rank < 0 || one.rank >= length))
    return invalid(kName, "rank is " + std::to_string(one.rank) + ", and a row has " +
                              std::to_string(length) + " elements");
  if (const auto status = check_rows(rows, 1)) return status;
  if (one.value.data && one.value.type != one.x.type)
    return invalid(kName, "value is of " + std::string(word_of(one.value.type)) + ", and x of " +
                              std::string(word_of(one.x.type)));
  return succeed();
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_select(const wavesmith_select_description* select, void* stream) {
  if (!select) return invalid(kName, "the description is null");
  const Description& one = *select;
  if (const auto status = check(one)) return status;
  if (is_empty(given(one).sizes)) return succeed();
  SelectArguments made{};
  made.rows = rows_of(given(one));
  made.order = KeyOrder::of(one.x.type, static_cast<int>(size_of(one.x.type)), false);
  made.operation = one.operation;
  made.rank = static_cast<unsigned>(one.rank);
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  return launch(*device, size_of(one.x.type) == 8 ? "select_element_64" : "select_element_32",
                {.x = made.rows.count, .y = 1, .threads = kSelectThreads}, &made, sizeof(made), stream);
}
