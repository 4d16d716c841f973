// The C API of scans: checks one, chooses how threads share it, and launches it.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "kernels/sort/rows_of.h"
#include "kernels/sort/scan_arguments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_scan_description;

constexpr const char* kName = "scan";

RowsGiven given(const Description& one) { return rows_given(kName, one, one.y, "y", one.places, "places"); }

wavesmith_kernels_status check_operation(const Description& one) {
  if (one.operation < WAVESMITH_SCAN_SUM || one.operation > WAVESMITH_SCAN_LOG_SUM_EXP)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  if (one.computed_in != WAVESMITH_POINTWISE_I64 && one.computed_in != WAVESMITH_POINTWISE_F32 &&
      one.computed_in != WAVESMITH_POINTWISE_F64)
    return invalid(kName, "computed_in is " + std::to_string(one.computed_in) + ", neither I64, F32 nor F64");
  if (one.operation == WAVESMITH_SCAN_LOG_SUM_EXP && one.computed_in != WAVESMITH_POINTWISE_F64)
    return not_supported(
        kName, "log_sum_exp is computed in f64, and computed_in is " + std::string(word_of(one.computed_in)));
  const bool has_places = one.operation == WAVESMITH_SCAN_MAXIMUM || one.operation == WAVESMITH_SCAN_MINIMUM;
  if (one.places.data && !has_places) return invalid(kName, "there are places of maxima and minima only");
  return succeed();
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_operation(one)) return status;
  if (const auto status = check_along(kName, one.dimensions, one.along, one.sizes)) return status;
  const RowsGiven rows = given(one);
  if (is_empty(rows.sizes)) return succeed();
  if (const auto status = check_rows(rows, rows.dimensions == 0 ? 1 : rows.sizes[rows.along])) return status;
  if (one.x.type > WAVESMITH_POINTWISE_I64 && one.computed_in == WAVESMITH_POINTWISE_I64)
    return not_supported(kName, "x is of " + std::string(word_of(one.x.type)) + ", and computed_in is i64");
  return succeed();
}

/// Whether a thread takes a row.
bool is_by_rows(const Rows& rows) {
  constexpr unsigned kShort = 64, kMany = 4096;
  return rows.length <= kShort ||
         (rows.count >= kMany && rows.dimensions > 0 && std::abs(rows.x.step) > std::abs(rows.x.steps[0]));
}

ScanArguments arguments_of(const Description& one) {
  constexpr unsigned kChunk = 4 * kScanTile, kMostChunks = 1024;
  ScanArguments made{};
  made.rows = rows_of(given(one));
  made.operation = one.operation;
  const unsigned least = (made.rows.length + kMostChunks - 1) / kMostChunks;
  made.chunk = std::max(kChunk, (least + kScanTile - 1) / kScanTile * kScanTile);
  made.chunks = (made.rows.length + made.chunk - 1) / made.chunk;
  made.states = one.workspace;
  return made;
}

size_t workspace_of(const ScanArguments& made, Number computed_in) {
  if (is_by_rows(made.rows) || made.chunks == 1) return 0;
  const size_t state =
      computed_in == WAVESMITH_POINTWISE_F32 ? sizeof(ScanState<float>) : sizeof(ScanState<double>);
  return state * made.chunks * std::min(made.rows.count, kMostAlongY);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

size_t wavesmith_kernels_scan_workspace(const wavesmith_scan_description* scan) {
  if (!scan || check(*scan) != WAVESMITH_KERNELS_SUCCESS || is_empty(given(*scan).sizes)) return 0;
  return workspace_of(arguments_of(*scan), scan->computed_in);
}

wavesmith_kernels_status wavesmith_kernels_scan(const wavesmith_scan_description* scan, void* stream) {
  if (!scan) return invalid(kName, "the description is null");
  const Description& one = *scan;
  if (const auto status = check(one)) return status;
  if (is_empty(given(one).sizes)) return succeed();
  ScanArguments made = arguments_of(one);
  if (const auto status =
          check_workspace(kName, one.workspace, one.workspace_bytes, workspace_of(made, one.computed_in)))
    return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const auto run = [&](const char* kernel, unsigned x, unsigned y) {
    const std::string name = kernel + std::string(word_of(one.computed_in));
    return launch(*device, name.c_str(), {.x = x, .y = y, .threads = kScanThreads}, &made, sizeof(made),
                  stream);
  };
  if (is_by_rows(made.rows)) return run("scan_rows_", (made.rows.count + kScanThreads - 1) / kScanThreads, 1);
  for (; made.first_row < made.rows.count; made.first_row += kMostAlongY) {
    const unsigned rows = std::min(kMostAlongY, made.rows.count - made.first_row);
    if (made.chunks > 1)
      if (const auto status = run("scan_totals_", made.chunks, rows)) return status;
    if (const auto status = run("scan_chunks_", made.chunks, rows)) return status;
  }
  return succeed();
}
