// The C API of all-reduces: checks one, chooses its form and launches it.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/all_reduce/arguments.h"
#include "kernels/all_reduce/configurations.h"
#include "kernels/all_reduce/links.h"
#include "kernels/library/device.h"
#include "kernels/library/named_range.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_all_reduce.h"

static_assert(wavesmith::kernels::kMostRanks == WAVESMITH_ALL_REDUCE_RANKS);

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_all_reduce_description;

constexpr const char* kName = "all_reduce";
/// Elements of a lane's piece, and its bytes.
constexpr int64_t kPieceElements = 8, kPieceBytes = 16;
/// Offsets within a workgroup's rows are 32 bits wide.
constexpr int64_t kMostElements = int64_t{1} << 36;

/// How an all-reduce is done.
struct Plan {
  const RowConfiguration* configuration = nullptr;
  int64_t columns = 0;  ///< of what a workgroup takes as a row
  int64_t rows = 0;
  int64_t slice = 0;  ///< pieces
  bool sliced = false;

  [[nodiscard]] int64_t half_bytes(int64_t elements, int ranks) const {
    return sliced ? rows * slice * ranks * kPieceBytes + 2 * elements : ranks * 2 * elements;
  }
};

bool is_empty(const Description& d) { return d.rows == 0 || d.columns == 0; }

wavesmith_kernels_status check_sizes(const Description& d, bool normed) {
  if (d.ranks < 2) return invalid(kName, "ranks is " + std::to_string(d.ranks) + ", less than 2");
  if (d.ranks > kMostRanks)
    return not_supported(kName, "ranks is " + std::to_string(d.ranks) + ", more than 8");
  if (d.rank < 0 || d.rank >= d.ranks)
    return invalid(kName, "rank is " + std::to_string(d.rank) + ", and there are " + std::to_string(d.ranks));
  if (d.form < WAVESMITH_ALL_REDUCE_ANY || d.form > WAVESMITH_ALL_REDUCE_SLICES)
    return invalid(kName, "form is " + std::to_string(d.form) + ", no form");
  if (const auto status = check_rows(kName, d.rows, d.columns, {})) return status;
  if (!is_type(d.type)) return invalid(kName, "type is " + std::to_string(d.type) + ", no element type");
  if (d.type != WAVESMITH_KERNELS_F16 && d.type != WAVESMITH_KERNELS_BF16)
    return not_supported(kName, "type is " + std::string(word_of(d.type)) + ", not f16 or bf16");
  if (d.columns % kPieceElements != 0)
    return not_supported(kName, "columns is " + std::to_string(d.columns) + ", no multiple of 8");
  if (d.rows * d.columns > kMostElements) return not_supported(kName, "rows * columns is too large");
  if (normed && !first_that_holds(kAllReduceConfigurations, d.columns, true))
    return not_supported(kName, "columns is " + std::to_string(d.columns) + ", more than 16384 for a norm");
  return succeed();
}

Plan plan_of(const Description& d, bool normed, std::string_view target) {
  const int64_t elements = d.rows * d.columns;
  Plan plan;
  if (normed) {
    plan.configuration = first_that_holds(kAllReduceConfigurations, d.columns, true);
    plan.columns = d.columns;
  } else {
    // What lies between rows does not count: shares for all workgroups, and long ones for large messages.
    const auto share_of = [&](int64_t shares) {
      return (elements + shares * kPieceElements - 1) / (shares * kPieceElements) * kPieceElements;
    };
    constexpr auto& kLargest = kAllReduceConfigurations[2];
    plan.configuration = first_that_holds(kAllReduceConfigurations, share_of(kMostExchanges), true);
    if (!plan.configuration || plan.configuration > &kLargest) plan.configuration = &kLargest;
    const int64_t most = plan.configuration->columns();
    plan.columns = std::min(most, share_of((elements + most - 1) / most));
  }
  plan.rows = (elements + plan.columns - 1) / plan.columns;
  plan.slice = (plan.columns / kPieceElements + d.ranks - 1) / d.ranks;
  plan.sliced = d.form == WAVESMITH_ALL_REDUCE_SLICES ||
                (d.form == WAVESMITH_ALL_REDUCE_ANY && is_sliced(target, d.ranks, 2 * elements));
  return plan;
}

size_t buffer_bytes(const Description& d, const Plan& plan) {
  return kHeadBytes + 2 * static_cast<size_t>(plan.half_bytes(d.rows * d.columns, d.ranks));
}

wavesmith_kernels_status check_matrices(const Description& d) {
  if (!d.x) return invalid(kName, "x is null");
  if (!d.y && !d.sum) return invalid(kName, "y and sum are null");
  if (!d.y && d.weight) return invalid(kName, "weight is given without y");
  if (d.y && !(d.epsilon >= 0)) return invalid(kName, "epsilon is negative, or NaN");
  const std::pair<const char*, const void*> all[] = {
      {"x", d.x}, {"residual", d.residual}, {"sum", d.sum}, {"y", d.y}, {"weight", d.weight}};
  for (const auto& [name, data] : all)
    if (const auto status = check_aligned(kName, name, data, kPieceBytes)) return status;
  const auto range = [&](const char* name, const void* data) {
    return NamedRange::of(name, data, d.rows * d.columns, d.type);
  };
  const NamedRange weight = NamedRange::of("weight", d.weight, d.columns, d.type);
  // What is written over what is read begins with it.
  const auto others = [&](const void* written) {
    std::vector<NamedRange> apart{weight};
    if (written != d.x) apart.push_back(range("x", d.x));
    if (written != d.residual) apart.push_back(range("residual", d.residual));
    return apart;
  };
  if (const auto status = check_apart(kName, range("sum", d.sum), others(d.sum))) return status;
  if (const auto status = check_apart(kName, range("y", d.y), others(d.y))) return status;
  const NamedRange y[] = {range("y", d.y)};
  return d.y ? check_apart(kName, range("sum", d.sum), y) : succeed();
}

wavesmith_kernels_status check_buffers(const Description& d, size_t needed) {
  if (d.buffer_bytes < needed)
    return invalid(kName, "buffer_bytes is " + std::to_string(d.buffer_bytes) + ", less than the " +
                              std::to_string(needed) + " that are needed");
  for (int rank = 0; rank < d.ranks; ++rank) {
    const std::string name = "buffers[" + std::to_string(rank) + "]";
    if (!d.buffers[rank]) return invalid(kName, name + " is null");
    if (const auto status = check_aligned(kName, name, d.buffers[rank], kPieceBytes)) return status;
    for (int before = 0; before < rank; ++before)
      if (d.buffers[rank] == d.buffers[before])
        return invalid(kName, name + " is that of rank " + std::to_string(before));
  }
  return succeed();
}

AllReduceArguments arguments_of(const Description& d, const Plan& plan) {
  AllReduceArguments arguments{
      .x = d.x,
      .residual = d.residual,
      .weight = d.weight,
      .y = d.y,
      .sum = d.sum,
      .buffers = {},
      .half_bytes = (d.buffer_bytes - kHeadBytes) / 2 / kPieceBytes * kPieceBytes,
      .elements = d.rows * d.columns,
      .columns = static_cast<int>(plan.columns),
      .slice = static_cast<int>(plan.slice),
      .ranks = d.ranks,
      .rank = d.rank,
      .epsilon = d.epsilon,
      .weight_offset = d.weight_offset,
  };
  std::copy_n(d.buffers, d.ranks, arguments.buffers);
  return arguments;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_all_reduce_buffer(
    const wavesmith_all_reduce_description* all_reduce, size_t* bytes) {
  if (!all_reduce) return invalid(kName, "the description is null");
  if (!bytes) return invalid(kName, "bytes is null");
  if (const auto status = check_sizes(*all_reduce, false)) return status;
  *bytes = 0;
  if (is_empty(*all_reduce)) return succeed();
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  // Whether there is a norm decides about what counts as a row: the bytes are enough for both.
  for (const bool either : {false, true})
    if (!check_sizes(*all_reduce, either))
      *bytes = std::max(*bytes, buffer_bytes(*all_reduce, plan_of(*all_reduce, either, device->target)));
  return succeed();
}

wavesmith_kernels_status wavesmith_kernels_all_reduce(const wavesmith_all_reduce_description* all_reduce,
                                                      void* stream) {
  if (!all_reduce) return invalid(kName, "the description is null");
  const bool normed = all_reduce->y != nullptr;
  if (const auto status = check_sizes(*all_reduce, normed)) return status;
  if (is_empty(*all_reduce)) return succeed();
  if (const auto status = check_matrices(*all_reduce)) return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const Plan plan = plan_of(*all_reduce, normed, device->target);
  if (const auto status = check_buffers(*all_reduce, buffer_bytes(*all_reduce, plan))) return status;
  const AllReduceArguments arguments = arguments_of(*all_reduce, plan);
  const std::string kernel = "allreduce_" + std::string(word_of(all_reduce->type)) +
                             (plan.sliced ? "_slices_" : "_once_") + plan.configuration->name;
  const Grid grid{.x = static_cast<unsigned>(std::min<int64_t>(plan.rows, kMostExchanges)),
                  .y = 1,
                  .threads = static_cast<unsigned>(plan.configuration->threads)};
  return launch(*device, kernel.c_str(), grid, &arguments, sizeof(arguments), stream);
}
