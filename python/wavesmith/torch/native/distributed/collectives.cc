// The collectives of the process group.
#include <cstring>

#include <ATen/Dispatch_v2.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/view_as_real.h>

#include "distributed/process_group.h"

namespace wavesmith::device {
namespace {

using c10d::OpType;
using c10d::ReduceOp;
using Tensors = ProcessGroup::Tensors;

constexpr const char *kBroadcast = "wavesmith:broadcast", *kAllReduce = "wavesmith:all_reduce",
                     *kReduce = "wavesmith:reduce", *kAllGather = "wavesmith:all_gather",
                     *kReduceScatter = "wavesmith:reduce_scatter", *kGather = "wavesmith:gather",
                     *kScatter = "wavesmith:scatter", *kAllToAll = "wavesmith:all_to_all";

// RCCL takes elements that follow one another; in which order is the ranks' matter where each goes to its own
// place.
void check_dense(const at::Tensor& tensor, const char* title) {
  TORCH_CHECK(tensor.is_non_overlapping_and_dense(), title,
              ": the tensor has gaps or overlaps itself; contiguous() "
              "makes one that has none");
}
void check_contiguous(const at::Tensor& tensor, const char* title) {
  TORCH_CHECK(tensor.is_contiguous(), title, ": the tensor is not contiguous");
}
const at::Tensor& only(const Tensors& tensors, const char* title) {
  TORCH_CHECK(tensors.size() == 1, title, ": ", tensors.size(),
              " tensors; a rank has one device and gives one tensor");
  return tensors[0];
}
void check_lists(const std::vector<Tensors>& lists, std::size_t ranks, const char* title) {
  TORCH_CHECK(lists.size() == 1 && lists[0].size() == ranks, title, ": a list of one tensor for each of ",
              ranks, " ranks is needed");
}
void check_same_type(const at::Tensor& a, const at::Tensor& b, const char* title) {
  TORCH_CHECK_TYPE(a.scalar_type() == b.scalar_type(), title, ": tensors of ", a.scalar_type(), " and ",
                   b.scalar_type());
}
bool same_sizes(const Tensors& tensors, const at::Tensor& other) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const at::Tensor& each) { return each.numel() == other.numel(); });
}

// Elements as RCCL moves them.
struct Moved {
  explicit Moved(const at::Tensor& tensor)
      : data(static_cast<char*>(tensor.data_ptr())),
        width(moved_type(tensor.scalar_type()).width),
        type(moved_type(tensor.scalar_type()).type),
        count(tensor.nbytes() / width) {}
  char* data;
  std::size_t width;
  int type;
  std::size_t count;
};

// A reduction as RCCL calls it.
class Reduction {
 public:
  Reduction(const ReduceOp& op, const at::Tensor& tensor, const char* title)
      : complex_(tensor.is_complex() ? 2 : 1),
        type_(reduced_type(
            tensor.is_complex() ? c10::toRealValueType(tensor.scalar_type()) : tensor.scalar_type(),
            tensor.device().index())) {
    const bool is_bool = tensor.scalar_type() == at::kBool;
    TORCH_CHECK(!tensor.is_complex() || c10d::isComplexViewAsRealAllowed(op), title,
                ": complex numbers can be summed and averaged only");
    switch (op.op_) {
      case ReduceOp::SUM:
        operation_ = is_bool ? kRcclMax : kRcclSum;  // "or", as PyTorch does with NCCL
        return;
      case ReduceOp::PRODUCT:
        operation_ = is_bool ? kRcclMin : kRcclProd;
        return;
      case ReduceOp::MIN:
        operation_ = kRcclMin;
        return;
      case ReduceOp::MAX:
        operation_ = kRcclMax;
        return;
      case ReduceOp::AVG:
        TORCH_CHECK_TYPE(!is_bool, title, ": truth values have no average");
        operation_ = kRcclAvg;
        return;
      case ReduceOp::PREMUL_SUM:
        take_factor(op, tensor, title);
        return;
      default:
        TORCH_CHECK_VALUE(false, title,
                          ": RCCL has SUM, AVG, PRODUCT, MIN, MAX and PREMUL_SUM, no operation on bits");
    }
  }

  int type() const { return type_; }
  std::size_t count(const at::Tensor& tensor) const { return tensor.numel() * complex_; }

  // Calls `with` RCCL's number of the operation.
  template <class With>
  void call(RcclComm* communicator, const char* title, const With& with) const {
    int operation = operation_;
    if (operation_ == kScaledSum) {
      void* const factor = factor_.defined() ? factor_.data_ptr() : const_cast<std::uint64_t*>(&bits_);
      check_rccl(
          rccl().create_scaled_sum(&operation, factor, type_,
                                   factor_.defined() ? kRcclFactorOnDevice : kRcclFactorOnHost, communicator),
          "ncclRedOpCreatePreMulSum", communicator);
    }
    check_rccl(with(operation), title, communicator);
    if (operation_ == kScaledSum) rccl().destroy_operation(operation, communicator);
  }

 private:
  static constexpr int kScaledSum = -1;

  void take_factor(const ReduceOp& op, const at::Tensor& tensor, const char* title) {
    const auto* const scale = static_cast<const c10d::PreMulSumSupplement*>(op.supplement_.get());
    TORCH_CHECK_VALUE(scale != nullptr, title, ": PREMUL_SUM without a factor");
    operation_ = kScaledSum;
    if (scale->tensor_factor.defined()) {
      TORCH_CHECK_TYPE(scale->tensor_factor.scalar_type() == tensor.scalar_type(), title, ": a factor of ",
                       scale->tensor_factor.scalar_type(), " for a tensor of ", tensor.scalar_type());
      factor_ = scale->tensor_factor;
      return;
    }
    TORCH_CHECK_TYPE(at::isFloatingType(tensor.scalar_type()) && tensor.itemsize() > 1, title,
                     ": PREMUL_SUM of elements of the type ", tensor.scalar_type(),
                     " needs a tensor as its factor");
    AT_DISPATCH_V2(tensor.scalar_type(), "PREMUL_SUM", AT_WRAP([&] {
                     const auto value = static_cast<scalar_t>(scale->double_factor);
                     std::memcpy(&bits_, &value, sizeof value);
                   }),
                   AT_EXPAND(AT_FLOATING_TYPES), at::kHalf, at::kBFloat16);
  }

  std::size_t complex_;
  int type_;
  int operation_ = kRcclSum;
  std::uint64_t bits_ = 0;
  at::Tensor factor_;
};

void copy(void* to, const void* from, std::size_t bytes, hipStream_t stream) {
  if (bytes != 0) check(hipMemcpyAsync(to, from, bytes, kMemcpyDefault, stream), "hipMemcpyAsync");
}

Launch all_reduce(const at::Tensor& tensor, const ReduceOp& op) {
  check_dense(tensor, kAllReduce);
  const Reduction reduction(op, tensor, kAllReduce);
  return {[=, data = tensor.data_ptr(), count = reduction.count(tensor)](RcclComm* communicator,
                                                                         hipStream_t stream) {
            reduction.call(communicator, kAllReduce, [&](int operation) {
              return rccl().all_reduce(data, data, count, reduction.type(), operation, communicator, stream);
            });
          },
          {},
          {}};
}

Launch all_gather(const at::Tensor& output, const at::Tensor& input, std::size_t ranks) {
  check_contiguous(output, kAllGather);
  check_contiguous(input, kAllGather);
  check_same_type(output, input, kAllGather);
  TORCH_CHECK_VALUE(static_cast<std::size_t>(output.numel()) == input.numel() * ranks, kAllGather,
                    ": an output of ", output.numel(), " elements for ", ranks, " times ", input.numel());
  return {[from = Moved(input), to = Moved(output)](RcclComm* communicator, hipStream_t stream) {
            check_rccl(rccl().all_gather(from.data, to.data, from.count, from.type, communicator, stream),
                       kAllGather, communicator);
          },
          {},
          {}};
}

Launch reduce_scatter(const at::Tensor& output, const at::Tensor& input, std::size_t ranks,
                      const ReduceOp& op) {
  check_contiguous(output, kReduceScatter);
  check_contiguous(input, kReduceScatter);
  check_same_type(output, input, kReduceScatter);
  TORCH_CHECK_VALUE(static_cast<std::size_t>(input.numel()) == output.numel() * ranks, kReduceScatter,
                    ": an input of ", input.numel(), " elements for ", ranks, " times ", output.numel());
  const Reduction reduction(op, input, kReduceScatter);
  return {[=, to = output.data_ptr(), from = input.data_ptr(), count = reduction.count(output)](
              RcclComm* communicator, hipStream_t stream) {
            reduction.call(communicator, kReduceScatter, [&](int operation) {
              return rccl().reduce_scatter(from, to, count, reduction.type(), operation, communicator,
                                           stream);
            });
          },
          {},
          {}};
}

Launch broadcast(const at::Tensor& tensor, int root, const char* title) {
  check_dense(tensor, title);
  return {[=, what = Moved(tensor)](RcclComm* communicator, hipStream_t stream) {
            check_rccl(
                rccl().broadcast(what.data, what.data, what.count, what.type, root, communicator, stream),
                title, communicator);
          },
          {},
          {}};
}

Launch reduce(const at::Tensor& from, const at::Tensor& to, int root, const ReduceOp& op, const char* title) {
  check_dense(from, title);
  const Reduction reduction(op, from, title);
  return {[=, send = from.data_ptr(), receive = to.data_ptr(), count = reduction.count(from)](
              RcclComm* communicator, hipStream_t stream) {
            reduction.call(communicator, title, [&](int operation) {
              return rccl().reduce(send, receive, count, reduction.type(), operation, root, communicator,
                                   stream);
            });
          },
          {},
          {}};
}

// One message of several that all ranks exchange.
Launch part(bool sends, const at::Tensor& tensor, int peer, const char* title) {
  check_contiguous(tensor, title);
  return {[=, what = Moved(tensor)](RcclComm* communicator, hipStream_t stream) {
            check_rccl(sends ? rccl().send(what.data, what.count, what.type, peer, communicator, stream)
                             : rccl().receive(what.data, what.count, what.type, peer, communicator, stream),
                       title, communicator);
          },
          {},
          {}};
}

// The parts of a tensor's first dimension; none given: as many equal ones as there are ranks.
Tensors parts_of(const at::Tensor& tensor, const std::vector<std::int64_t>& splits, int ranks,
                 const char* title) {
  check_contiguous(tensor, title);
  TORCH_CHECK_VALUE(tensor.dim() > 0 && (splits.empty() ? tensor.size(0) % ranks == 0
                                                        : splits.size() == static_cast<std::size_t>(ranks)),
                    title, ": ", tensor.sizes(), " does not split into parts for ", ranks, " ranks");
  Tensors parts;
  std::int64_t begin = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto size = splits.empty() ? tensor.size(0) / ranks : splits[rank];
    parts.push_back(tensor.narrow(0, begin, size));
    begin += size;
  }
  TORCH_CHECK_VALUE(begin == tensor.size(0), title, ": the parts' sizes add up to ", begin, ", not ",
                    tensor.size(0));
  return parts;
}

at::Tensor flat(const at::Tensor& like, std::size_t ranks) {
  return at::empty({static_cast<std::int64_t>(ranks) * like.numel()}, like.options());
}

}  // namespace

ProcessGroup::Work ProcessGroup::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
  check_peer(options.rootRank, kBroadcast);
  const auto& tensor = only(tensors, kBroadcast);
  return submit({OpType::BROADCAST, kBroadcast, {{}, tensors}, options.timeout},
                {device::broadcast(tensor, static_cast<int>(options.rootRank), kBroadcast)});
}

ProcessGroup::Work ProcessGroup::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
  const auto& tensor = only(tensors, kAllReduce);
  return submit({OpType::ALLREDUCE, kAllReduce, {{}, tensors}, options.timeout},
                {all_reduce(tensor, options.reduceOp)});
}

ProcessGroup::Work ProcessGroup::allreduce_coalesced(Tensors& tensors,
                                                     const c10d::AllreduceCoalescedOptions& options) {
  std::vector<Launch> launches;
  for (const at::Tensor& each : tensors) launches.push_back(all_reduce(each, options.reduceOp));
  return submit({OpType::ALLREDUCE_COALESCED, kAllReduce, {{}, tensors}, options.timeout},
                std::move(launches));
}

ProcessGroup::Work ProcessGroup::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
  check_peer(options.rootRank, kReduce);
  const auto& tensor = only(tensors, kReduce);
  return submit(
      {OpType::REDUCE, kReduce, {{}, tensors}, options.timeout},
      {device::reduce(tensor, tensor, static_cast<int>(options.rootRank), options.reduceOp, kReduce)});
}

ProcessGroup::Work ProcessGroup::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                           const c10d::AllgatherOptions& options) {
  const auto ranks = static_cast<std::size_t>(size_);
  const auto& input = only(inputs, kAllGather);
  check_lists(outputs, ranks, kAllGather);
  Operands operands{inputs, outputs[0]};
  for (const at::Tensor& each : outputs[0]) {
    check_contiguous(each, kAllGather);
    check_same_type(each, input, kAllGather);
  }
  if (!same_sizes(outputs[0], input)) {
    std::vector<Launch> launches;
    for (int rank = 0; rank < size_; ++rank)
      launches.push_back(device::broadcast(outputs[0][rank], rank, kAllGather));
    TORCH_CHECK_VALUE(outputs[0][rank_].numel() == input.numel(), kAllGather,
                      ": the output of this rank has ", outputs[0][rank_].numel(), " elements and the input ",
                      input.numel());
    launches[0].before = [from = Moved(input), to = Moved(outputs[0][rank_])](hipStream_t stream) {
      copy(to.data, from.data, from.count * from.width, stream);
    };
    return submit({OpType::ALLGATHER, kAllGather, std::move(operands), options.timeout}, std::move(launches));
  }
  const at::Tensor whole = flat(input, ranks);
  operands.inputs.push_back(whole);
  auto launch = all_gather(whole, input, ranks);
  launch.after = [list = outputs[0], data = static_cast<char*>(whole.data_ptr()),
                  bytes = input.nbytes()](hipStream_t stream) {
    for (std::size_t rank = 0; rank < list.size(); ++rank)
      copy(list[rank].data_ptr(), data + rank * bytes, bytes, stream);
  };
  return submit({OpType::ALLGATHER, kAllGather, std::move(operands), options.timeout}, {std::move(launch)});
}

ProcessGroup::Work ProcessGroup::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                 const c10d::AllgatherOptions& options) {
  return submit({OpType::_ALLGATHER_BASE, kAllGather, {{input}, {output}}, options.timeout},
                {all_gather(output, input, size_)});
}

ProcessGroup::Work ProcessGroup::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                 const c10d::AllgatherOptions& options) {
  TORCH_CHECK_VALUE(outputs.size() == inputs.size(), kAllGather, ": ", outputs.size(), " outputs for ",
                    inputs.size(), " inputs");
  std::vector<Launch> launches;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    launches.push_back(all_gather(outputs[i], inputs[i], size_));
  return submit({OpType::COALESCED, kAllGather, {inputs, outputs}, options.timeout}, std::move(launches));
}

ProcessGroup::Work ProcessGroup::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                        const c10d::GatherOptions& options) {
  check_peer(options.rootRank, kGather);
  const auto& input = only(inputs, kGather);
  const auto root = static_cast<int>(options.rootRank);
  Operands operands{inputs, {}};
  std::vector<Launch> launches{part(true, input, root, kGather)};
  if (rank_ == root) {
    check_lists(outputs, size_, kGather);
    operands.outputs = outputs[0];
    for (int rank = 0; rank < size_; ++rank) {
      check_same_type(outputs[0][rank], input, kGather);
      launches.push_back(part(false, outputs[0][rank], rank, kGather));
    }
  }
  return submit({OpType::GATHER, kGather, std::move(operands), options.timeout}, std::move(launches));
}

ProcessGroup::Work ProcessGroup::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                         const c10d::ScatterOptions& options) {
  check_peer(options.rootRank, kScatter);
  const auto& output = only(outputs, kScatter);
  const auto root = static_cast<int>(options.rootRank);
  Operands operands{{}, outputs};
  std::vector<Launch> launches{part(false, output, root, kScatter)};
  if (rank_ == root) {
    check_lists(inputs, size_, kScatter);
    operands.inputs = inputs[0];
    for (int rank = 0; rank < size_; ++rank) {
      check_same_type(inputs[0][rank], output, kScatter);
      launches.push_back(part(true, inputs[0][rank], rank, kScatter));
    }
  }
  return submit({OpType::SCATTER, kScatter, std::move(operands), options.timeout}, std::move(launches));
}

ProcessGroup::Work ProcessGroup::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                                const c10d::ReduceScatterOptions& options) {
  const auto ranks = static_cast<std::size_t>(size_);
  const auto& output = only(outputs, kReduceScatter);
  check_lists(inputs, ranks, kReduceScatter);
  Operands operands{inputs[0], outputs};
  for (const at::Tensor& each : inputs[0]) {
    check_contiguous(each, kReduceScatter);
    check_same_type(each, output, kReduceScatter);
  }
  if (!same_sizes(inputs[0], output)) {
    TORCH_CHECK_VALUE(inputs[0][rank_].numel() == output.numel(), kReduceScatter,
                      ": the input for this rank has ", inputs[0][rank_].numel(), " elements and the output ",
                      output.numel());
    std::vector<Launch> launches;
    for (int rank = 0; rank < size_; ++rank)
      launches.push_back(device::reduce(inputs[0][rank], rank == rank_ ? output : inputs[0][rank], rank,
                                        options.reduceOp, kReduceScatter));
    return submit({OpType::REDUCE_SCATTER, kReduceScatter, std::move(operands), options.timeout},
                  std::move(launches));
  }
  const at::Tensor whole = flat(output, ranks);
  operands.inputs.push_back(whole);
  auto launch = device::reduce_scatter(output, whole, ranks, options.reduceOp);
  launch.before = [list = inputs[0], data = static_cast<char*>(whole.data_ptr()),
                   bytes = output.nbytes()](hipStream_t stream) {
    for (std::size_t rank = 0; rank < list.size(); ++rank)
      copy(data + rank * bytes, list[rank].data_ptr(), bytes, stream);
  };
  return submit({OpType::REDUCE_SCATTER, kReduceScatter, std::move(operands), options.timeout},
                {std::move(launch)});
}

ProcessGroup::Work ProcessGroup::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                      const c10d::ReduceScatterOptions& options) {
  return submit({OpType::_REDUCE_SCATTER_BASE, kReduceScatter, {{input}, {output}}, options.timeout},
                {device::reduce_scatter(output, input, size_, options.reduceOp)});
}

ProcessGroup::Work ProcessGroup::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                 const c10d::ReduceScatterOptions& options) {
  TORCH_CHECK_VALUE(outputs.size() == inputs.size(), kReduceScatter, ": ", outputs.size(), " outputs for ",
                    inputs.size(), " inputs");
  std::vector<Launch> launches;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    launches.push_back(device::reduce_scatter(outputs[i], inputs[i], size_, options.reduceOp));
  return submit({OpType::COALESCED, kReduceScatter, {inputs, outputs}, options.timeout}, std::move(launches));
}

ProcessGroup::Work ProcessGroup::alltoall_base(at::Tensor& output, at::Tensor& input,
                                               std::vector<std::int64_t>& output_splits,
                                               std::vector<std::int64_t>& input_splits,
                                               const c10d::AllToAllOptions& options) {
  auto inputs = parts_of(input, input_splits, size_, kAllToAll);
  auto outputs = parts_of(output, output_splits, size_, kAllToAll);
  return alltoall(outputs, inputs, options);
}

ProcessGroup::Work ProcessGroup::alltoall(Tensors& outputs, Tensors& inputs,
                                          const c10d::AllToAllOptions& options) {
  const auto ranks = static_cast<std::size_t>(size_);
  TORCH_CHECK_VALUE(outputs.size() == ranks && inputs.size() == ranks, kAllToAll, ": a tensor for each of ",
                    ranks, " ranks is needed");
  std::vector<Launch> launches;
  for (int rank = 0; rank < size_; ++rank) {
    check_same_type(outputs[rank], inputs[rank], kAllToAll);
    launches.push_back(part(true, inputs[rank], rank, kAllToAll));
    launches.push_back(part(false, outputs[rank], rank, kAllToAll));
  }
  return submit({OpType::ALLTOALL, kAllToAll, {inputs, outputs}, options.timeout}, std::move(launches));
}

}  // namespace wavesmith::device
