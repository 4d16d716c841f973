// hipBLASLt's C++ interface, hipblaslt-ext.hpp of ROCm 7.0, as far as programs import it: groups of products
// whose sizes and matrices stand in the GPU's memory and are read when their turn has come.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "libraries/blas/hipblaslt_types.h"
#include "libraries/blas/operations.h"
#include "libraries/blas/product.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;

// The names of AMD's headers, which are part of the C++ functions' symbols.
enum hipblasOperation_t : int {};
enum hipDataType : int {};
enum hipblasComputeType_t : int {};
enum hipblasLtEpilogue_t : int {};
struct ihipStream_t;
struct _hipblasLtMatmulAlgo_t;
struct _hipblasLtMatmulHeuristicResult_t;

namespace hipblaslt_ext {

#define EXPORTED [[gnu::visibility("default")]]
#define UNSUPPORTED(function, why) WAVESMITH_UNSUPPORTED(function, "HIPBLAS_STATUS_NOT_SUPPORTED" why, 7)

namespace {

/// hipblaslt_ext::UserArguments: one product of a group. Programs write them, on the GPU, too.
struct [[gnu::packed]] UserArguments {
  uint32_t m, n, batch, k;
  void *d, *c, *a, *b;
  uint32_t ldd, stride_d, ldc, stride_c, lda, stride_a, ldb, stride_b;
  unsigned char alpha[16], beta[16];
  const float *scale_a, *scale_b, *scale_c, *scale_d;
  const void *scale_alpha, *bias;
  int32_t bias_type;
  uint32_t reserved;
  void* aux;
  uint32_t ld_aux, stride_aux;
  float activation_arguments[2];
  int32_t activation;
};
static_assert(sizeof(UserArguments) == 196);

struct ProblemTypeContent {
  int operation_a, operation_b, a, b, c, d, compute;
};
struct EpilogueContent {
  int mode, bias_type;
};
struct InputsContent {
  const void *a, *b, *c, *d, *alpha, *beta, *bias;
};

/// What belongs to all products of a group.
struct Common {
  ProblemTypeContent types;
  EpilogueContent epilogue;
};

struct Group {
  Common common;
  size_t count;
  UserArguments defaults[];
};

Product product_of(const Common& common, const UserArguments& arguments) {
  constexpr int kTypeOfD = 255;
  const auto matrix = [](void* data, int type, int operation, int64_t ld, int64_t stride) -> Matrix {
    const bool as_it_is = operation == kAsItIs;
    return {data, number_of(type), as_it_is ? 1 : ld, as_it_is ? ld : 1, stride, operation == kConjugated};
  };
  const ProblemTypeContent& types = common.types;
  Epilogue epilogue{};
  activation_of(static_cast<uint32_t>(common.epilogue.mode), epilogue.activation);
  if (static_cast<uint32_t>(common.epilogue.mode) & kBias) {
    epilogue.bias = arguments.bias;
    epilogue.bias_type =
        number_of(common.epilogue.bias_type == kTypeOfD ? types.d : common.epilogue.bias_type);
  }
  epilogue.scale_a = arguments.scale_a;
  epilogue.scale_b = arguments.scale_b;
  epilogue.scale_c = arguments.scale_c;
  epilogue.scale_d = arguments.scale_d;
  return {.m = arguments.m,
          .n = arguments.n,
          .k = arguments.k,
          .batches = arguments.batch,
          .arrays = false,
          .a = matrix(arguments.a, types.a, types.operation_a, arguments.lda, arguments.stride_a),
          .b = matrix(arguments.b, types.b, types.operation_b, arguments.ldb, arguments.stride_b),
          .c = matrix(arguments.c, types.c, kAsItIs, arguments.ldc, arguments.stride_c),
          .d = matrix(arguments.d, types.d, kAsItIs, arguments.ldd, arguments.stride_d),
          .compute = scalars_of(types.compute),
          .alpha = nullptr,
          .beta = nullptr,
          .scalars_on_gpu = false,
          .epilogue = epilogue};
}

/// A group in a stream's queue.
struct Request {
  Common common;
  size_t count;
  const UserArguments* arguments;

  void run() const {
    for (size_t i = 0; i < count; ++i) {
      alignas(16) UserArguments one;
      alignas(16) unsigned char alpha[16], beta[16];
      std::memcpy(&one, arguments + i, sizeof one);
      std::memcpy(alpha, one.alpha, sizeof alpha);
      std::memcpy(beta, one.beta, sizeof beta);
      Product product = product_of(common, one);
      product.alpha = alpha;
      product.beta = beta;
      multiply_in_stream_order(product);
    }
  }
  /// One kernel where the groups differ in one size, as those of experts do; else one for each.
  void report_work(const WorkReporter& reporter) const {
    UserArguments first, one;
    std::memcpy(&first, arguments, sizeof first);
    bool alike = count > 1 && first.batch == 1, same_m = true, same_n = true;
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(&one, arguments + i, sizeof one);
      same_m &= one.m == first.m, same_n &= one.n == first.n;
      alike &= one.k == first.k && one.batch == 1;
    }
    constexpr size_t kDigits = 11;
    char* const groups =
        alike && (same_m || same_n) ? static_cast<char*>(std::malloc(count * kDigits + 1)) : nullptr;
    size_t length = 0;
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(&one, arguments + i, sizeof one);
      if (one.m == 0 || one.n == 0) continue;
      if (groups)
        length += static_cast<size_t>(
            std::snprintf(groups + length, kDigits + 1, length ? "+%u" : "%u", same_n ? one.m : one.n));
      else
        reporter(work_of(product_of(common, one)));
    }
    if (length > 0) reporter(work_of_groups(product_of(common, first), groups, !same_n));
    std::free(groups);
  }
};

/// Of GemmEpilogue, GemmInputs and GemmProblemType: AMD's headers make room for one pointer.
template <class Content>
struct Value {
  Content* content;

  explicit Value(const Content& from) : content(static_cast<Content*>(std::malloc(sizeof(Content)))) {
    if (content) *content = from;
  }
  ~Value() { std::free(content); }
};

}  // namespace

struct GemmEpilogue : Value<EpilogueContent> {
  EXPORTED GemmEpilogue();
  EXPORTED ~GemmEpilogue();
  EXPORTED void setMode(hipblasLtEpilogue_t mode);
  EXPORTED void setBiasDataType(hipDataType type);
};
GemmEpilogue::GemmEpilogue() : Value({kNothing, 255}) {}
GemmEpilogue::~GemmEpilogue() = default;
void GemmEpilogue::setMode(hipblasLtEpilogue_t mode) {
  if (content) content->mode = mode;
}
void GemmEpilogue::setBiasDataType(hipDataType type) {
  if (content) content->bias_type = type;
}

struct GemmInputs : Value<InputsContent> {
  EXPORTED GemmInputs();
  EXPORTED ~GemmInputs();
  EXPORTED void setA(const void* a);
  EXPORTED void setB(const void* b);
  EXPORTED void setC(const void* c);
  EXPORTED void setD(const void* d);
  EXPORTED void setAlpha(const void* alpha);
  EXPORTED void setBeta(const void* beta);
  EXPORTED void setBias(const void* bias);
};
GemmInputs::GemmInputs() : Value({}) {}
GemmInputs::~GemmInputs() = default;
#define SETTER(name, field)                  \
  void GemmInputs::name(const void* value) { \
    if (content) content->field = value;     \
  }
SETTER(setA, a)
SETTER(setB, b)
SETTER(setC, c)
SETTER(setD, d)
SETTER(setAlpha, alpha)
SETTER(setBeta, beta)
SETTER(setBias, bias)

struct GemmProblemType : Value<ProblemTypeContent> {
  EXPORTED GemmProblemType(hipblasOperation_t opA, hipblasOperation_t opB, hipDataType a, hipDataType b,
                           hipDataType c, hipDataType d, hipblasComputeType_t compute);
  EXPORTED GemmProblemType(const GemmProblemType& other);
  EXPORTED ~GemmProblemType();
  EXPORTED hipblasOperation_t getOpA() const;
  EXPORTED hipblasOperation_t getOpB() const;
  EXPORTED hipDataType getTypeA() const;
  EXPORTED hipDataType getTypeB() const;
  EXPORTED hipDataType getTypeC() const;
  EXPORTED hipDataType getTypeD() const;
  EXPORTED hipblasComputeType_t getTypeCompute() const;
  ProblemTypeContent get() const { return content ? *content : ProblemTypeContent{}; }
};
GemmProblemType::GemmProblemType(hipblasOperation_t opA, hipblasOperation_t opB, hipDataType a, hipDataType b,
                                 hipDataType c, hipDataType d, hipblasComputeType_t compute)
    : Value({opA, opB, a, b, c, d, compute}) {}
GemmProblemType::GemmProblemType(const GemmProblemType& other) : Value(other.get()) {}
GemmProblemType::~GemmProblemType() = default;
hipblasOperation_t GemmProblemType::getOpA() const { return hipblasOperation_t{get().operation_a}; }
hipblasOperation_t GemmProblemType::getOpB() const { return hipblasOperation_t{get().operation_b}; }
hipDataType GemmProblemType::getTypeA() const { return hipDataType{get().a}; }
hipDataType GemmProblemType::getTypeB() const { return hipDataType{get().b}; }
hipDataType GemmProblemType::getTypeC() const { return hipDataType{get().c}; }
hipDataType GemmProblemType::getTypeD() const { return hipDataType{get().d}; }
hipblasComputeType_t GemmProblemType::getTypeCompute() const { return hipblasComputeType_t{get().compute}; }

/// A vector as it lies in memory, which is returned as one.
template <class T>
struct Array {
  T *begin, *end, *capacity;
};

enum class GemmType { kGemm = 1, kGroupedGemm = 2 };

/// The caller makes room by AMD's header: these members, in this order.
class GemmInstance {
 public:
  virtual ~GemmInstance() { std::free(group_); }
  GemmInstance(const GemmInstance&) = delete;
  // A caller's `delete` ends here, by the table of virtual functions.
  static void operator delete(void* object) { std::free(object); }
  EXPORTED void setMaxWorkspaceBytes(unsigned long bytes);
  EXPORTED int initialize(const _hipblasLtMatmulAlgo_t& algo, void* workspace, bool user,
                          ihipStream_t* stream);
  EXPORTED int isAlgoSupported(_hipblasLtMatmulAlgo_t& algo, unsigned long& workspace);

 protected:
  explicit GemmInstance(void* handle) : handle_(handle) {}
  GemmType type_ = GemmType::kGroupedGemm;
  size_t count_ = 0;
  void* problem_types_[3] = {};  // a vector
  void* handle_;
  Group* group_ = nullptr;  // with the next one a shared pointer
  void* owners_ = nullptr;
};
void GemmInstance::setMaxWorkspaceBytes(unsigned long) {}
// There is one way to compute a product, and it needs no memory of the caller's.
int GemmInstance::initialize(const _hipblasLtMatmulAlgo_t&, void*, bool, ihipStream_t*) {
  return count_ == 0 ? kInvalidValue : kSuccess;
}
int GemmInstance::isAlgoSupported(_hipblasLtMatmulAlgo_t&, unsigned long& workspace) {
  workspace = 0;
  return kSuccess;
}

class GroupedGemm : public GemmInstance {
 public:
  EXPORTED GroupedGemm(void* handle, hipblasOperation_t opA, hipblasOperation_t opB, hipDataType a,
                       hipDataType b, hipDataType c, hipDataType d, hipblasComputeType_t compute);
  using Sizes = std::vector<long>&;
  EXPORTED int setProblem(Sizes m, Sizes n, Sizes k, Sizes batches, Sizes lda, Sizes ldb, Sizes ldc,
                          Sizes ldd, Sizes stride_a, Sizes stride_b, Sizes stride_c, Sizes stride_d,
                          std::vector<GemmEpilogue>& epilogues, std::vector<GemmInputs>& inputs,
                          GemmProblemType& type);
  EXPORTED Array<GemmProblemType> getProblemTypes();
  EXPORTED int getDefaultValueForDeviceUserArguments(void* arguments);
  EXPORTED int run(void* arguments, ihipStream_t* stream);
};
// The types come with the problem.
GroupedGemm::GroupedGemm(void* handle, hipblasOperation_t, hipblasOperation_t, hipDataType, hipDataType,
                         hipDataType, hipDataType, hipblasComputeType_t)
    : GemmInstance(handle) {}

int GroupedGemm::setProblem(Sizes m, Sizes n, Sizes k, Sizes batches, Sizes lda, Sizes ldb, Sizes ldc,
                            Sizes ldd, Sizes stride_a, Sizes stride_b, Sizes stride_c, Sizes stride_d,
                            std::vector<GemmEpilogue>& epilogues, std::vector<GemmInputs>& inputs,
                            GemmProblemType& type) {
  const size_t count = m.size();
  for (const std::vector<long>* sizes :
       {&n, &k, &batches, &lda, &ldb, &ldc, &ldd, &stride_a, &stride_b, &stride_c, &stride_d})
    if (sizes->size() != count) return kInvalidValue;
  // One epilogue may stand for all.
  if (count == 0 || epilogues.empty() || inputs.size() != count || !type.content) return kInvalidValue;
  Common common{type.get(), {}};
  for (const GemmEpilogue& epilogue : epilogues)
    if (!epilogue.content) return kAllocFailed;
  common.epilogue = *epilogues[0].content;
  for (const GemmEpilogue& epilogue : epilogues)
    if (epilogue.content->mode != common.epilogue.mode ||
        epilogue.content->bias_type != common.epilogue.bias_type)
      return UNSUPPORTED("hipblaslt_ext::GroupedGemm::setProblem", " for epilogues that differ");
  Activation activation{};
  const auto mode = static_cast<uint32_t>(common.epilogue.mode);
  if (!activation_of(mode, activation) || (mode & kAux))
    return UNSUPPORTED("hipblaslt_ext::GroupedGemm::setProblem", " for this epilogue");
  // Of a kind that is known before the matrices are.
  UserArguments least{};
  least.m = least.n = least.k = least.batch = 1;
  least.bias = &least;
  if (!is_served(product_of(common, least)))
    return UNSUPPORTED("hipblaslt_ext::GroupedGemm::setProblem", " for these types");
  auto* const group = static_cast<Group*>(std::calloc(1, sizeof(Group) + count * sizeof(UserArguments)));
  if (!group) return kAllocFailed;
  group->common = common;
  group->count = count;
  const auto as_32 = [](long value) { return static_cast<uint32_t>(value); };
  const size_t scalar = scalar_size(scalars_of(common.types.compute), number_of(common.types.a));
  for (size_t i = 0; i < count; ++i) {
    UserArguments& to = group->defaults[i];
    to.m = as_32(m[i]);
    to.n = as_32(n[i]);
    to.k = as_32(k[i]);
    to.batch = as_32(batches[i]);
    to.lda = as_32(lda[i]);
    to.ldb = as_32(ldb[i]);
    to.ldc = as_32(ldc[i]);
    to.ldd = as_32(ldd[i]);
    to.stride_a = as_32(stride_a[i]);
    to.stride_b = as_32(stride_b[i]);
    to.stride_c = as_32(stride_c[i]);
    to.stride_d = as_32(stride_d[i]);
    to.bias_type = common.epilogue.bias_type;
    const InputsContent* const from = inputs[i].content;
    if (!from) continue;
    to.a = const_cast<void*>(from->a);
    to.b = const_cast<void*>(from->b);
    to.c = const_cast<void*>(from->c);
    to.d = const_cast<void*>(from->d);
    to.bias = from->bias;
    if (from->alpha) std::memcpy(to.alpha, from->alpha, scalar);
    if (from->beta) std::memcpy(to.beta, from->beta, scalar);
  }
  std::free(group_);
  group_ = group;
  count_ = count;
  return kSuccess;
}

/// One, since callers look at the first without asking how many there are; the caller frees it.
Array<GemmProblemType> GroupedGemm::getProblemTypes() {
  auto* const first = static_cast<GemmProblemType*>(std::calloc(1, sizeof(GemmProblemType)));
  if (first && group_) {
    first->content = static_cast<ProblemTypeContent*>(std::malloc(sizeof(ProblemTypeContent)));
    if (first->content) *first->content = group_->common.types;
  }
  return {first, first + 1, first + 1};
}

int GroupedGemm::getDefaultValueForDeviceUserArguments(void* arguments) {
  if (!group_ || !arguments) return kInvalidValue;
  std::memcpy(arguments, group_->defaults, group_->count * sizeof(UserArguments));
  return kSuccess;
}

int GroupedGemm::run(void* arguments, ihipStream_t* stream) {
  if (!group_ || !arguments) return kInvalidValue;
  const Called called("hipblaslt_ext::GroupedGemm::run");
  if (!reaches(arguments, 0, static_cast<int64_t>(group_->count) - 1, sizeof(UserArguments)))
    return kInvalidValue;
  return status_of(
      enqueue(stream, Request{group_->common, group_->count, static_cast<UserArguments*>(arguments)}),
      kStatuses);
}

EXPORTED int getAllAlgos(void* handle, GemmType type, hipblasOperation_t opA, hipblasOperation_t opB,
                         hipDataType a, hipDataType b, hipDataType c, hipDataType d,
                         hipblasComputeType_t compute,
                         std::vector<_hipblasLtMatmulHeuristicResult_t>& results);
int getAllAlgos(void* handle, GemmType, hipblasOperation_t, hipblasOperation_t, hipDataType, hipDataType,
                hipDataType, hipDataType, hipblasComputeType_t,
                std::vector<_hipblasLtMatmulHeuristicResult_t>& results) {
  if (!handle) return kInvalidValue;
  auto* const only = static_cast<Heuristic*>(std::calloc(1, sizeof(Heuristic)));
  if (!only) return kAllocFailed;
  only->waves = 1;
  auto& array = reinterpret_cast<Array<Heuristic>&>(results);
  std::free(array.begin);
  array = {only, only + 1, only + 1};
  return kSuccess;
}
EXPORTED int getIndexFromAlgo(_hipblasLtMatmulAlgo_t& algo);
int getIndexFromAlgo(_hipblasLtMatmulAlgo_t&) { return 0; }

}  // namespace hipblaslt_ext
