// hipBLASLt: handles and the version. Types and values: hipblaslt.h of ROCm 7.0.
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "libraries/answer.h"
#include "libraries/handle.h"

using namespace wavesmith::libraries;

// The names of AMD's headers, which are part of the C++ functions' symbols.
enum hipblasOperation_t : int {};
enum hipDataType : int {};
enum hipblasComputeType_t : int {};
enum hipblasLtEpilogue_t : int {};
struct ihipStream_t;
struct _hipblasLtMatmulAlgo_t;
struct _hipblasLtMatmulHeuristicResult_t;

namespace {
enum Status { kSuccess = 0, kAllocFailed = 2, kInvalidValue = 3 };
constexpr int kVersion = 100000;  // major * 100000 + minor * 100 + patch: 1.0.0, ROCm 7.0's
}  // namespace

WAVESMITH_SERVED int hipblasLtCreate(void** handle) {
  if (!handle) return kInvalidValue;
  return create(handle) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipblasLtDestroy(void* handle) { return destroy(handle, kInvalidValue); }

WAVESMITH_SERVED int hipblasLtGetVersion(void* handle, int* version) {
  if (!handle || !version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}

// The C++ interface, hipblaslt-ext.hpp of ROCm 7.0, as far as programs import it: objects can be made, filled
// and destroyed, and every call with a status says "not supported". Objects hold one pointer, which stays
// null.
namespace hipblaslt_ext {

#define EXPORTED [[gnu::visibility("default")]]
#define UNSUPPORTED(function) WAVESMITH_ANSWER(function, "HIPBLAS_STATUS_NOT_SUPPORTED", 7)

/// Of GemmEpilogue, GemmInputs and GemmProblemType.
struct Value {
  void* content = nullptr;
};

struct GemmEpilogue : Value {
  EXPORTED GemmEpilogue();
  EXPORTED ~GemmEpilogue();
  EXPORTED void setMode(hipblasLtEpilogue_t mode);
  EXPORTED void setBiasDataType(hipDataType type);
};
GemmEpilogue::GemmEpilogue() = default;
GemmEpilogue::~GemmEpilogue() = default;
void GemmEpilogue::setMode(hipblasLtEpilogue_t) {}
void GemmEpilogue::setBiasDataType(hipDataType) {}

struct GemmInputs : Value {
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
GemmInputs::GemmInputs() = default;
GemmInputs::~GemmInputs() = default;
void GemmInputs::setA(const void*) {}
void GemmInputs::setB(const void*) {}
void GemmInputs::setC(const void*) {}
void GemmInputs::setD(const void*) {}
void GemmInputs::setAlpha(const void*) {}
void GemmInputs::setBeta(const void*) {}
void GemmInputs::setBias(const void*) {}

struct GemmProblemType : Value {
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
};
GemmProblemType::GemmProblemType(hipblasOperation_t, hipblasOperation_t, hipDataType, hipDataType,
                                 hipDataType, hipDataType, hipblasComputeType_t) {}
GemmProblemType::GemmProblemType(const GemmProblemType&) = default;
GemmProblemType::~GemmProblemType() = default;
hipblasOperation_t GemmProblemType::getOpA() const { return {}; }
hipblasOperation_t GemmProblemType::getOpB() const { return {}; }
hipDataType GemmProblemType::getTypeA() const { return {}; }
hipDataType GemmProblemType::getTypeB() const { return {}; }
hipDataType GemmProblemType::getTypeC() const { return {}; }
hipDataType GemmProblemType::getTypeD() const { return {}; }
hipblasComputeType_t GemmProblemType::getTypeCompute() const { return {}; }

/// A vector as it lies in memory, which is returned as one.
struct ProblemTypes {
  Value *begin, *end, *capacity;
};

enum class GemmType { kGemm = 1, kGroupedGemm = 2 };

/// The caller makes room by AMD's header: these members, in this order.
class GemmInstance {
 public:
  virtual ~GemmInstance() = default;
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
  void* data_[2] = {};  // a shared pointer
};
void GemmInstance::setMaxWorkspaceBytes(unsigned long) {}
int GemmInstance::initialize(const _hipblasLtMatmulAlgo_t&, void*, bool, ihipStream_t*) {
  return UNSUPPORTED("hipblaslt_ext::GemmInstance::initialize");
}
int GemmInstance::isAlgoSupported(_hipblasLtMatmulAlgo_t&, unsigned long&) {
  return UNSUPPORTED("hipblaslt_ext::GemmInstance::isAlgoSupported");
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
  EXPORTED ProblemTypes getProblemTypes();
  EXPORTED int getDefaultValueForDeviceUserArguments(void* arguments);
  EXPORTED int run(void* arguments, ihipStream_t* stream);
};
GroupedGemm::GroupedGemm(void* handle, hipblasOperation_t, hipblasOperation_t, hipDataType, hipDataType,
                         hipDataType, hipDataType, hipblasComputeType_t)
    : GemmInstance(handle) {}
int GroupedGemm::setProblem(Sizes, Sizes, Sizes, Sizes, Sizes, Sizes, Sizes, Sizes, Sizes, Sizes, Sizes,
                            Sizes, std::vector<GemmEpilogue>&, std::vector<GemmInputs>&, GemmProblemType&) {
  return UNSUPPORTED("hipblaslt_ext::GroupedGemm::setProblem");
}
/// One, since callers look at the first without asking how many there are; the caller frees it.
ProblemTypes GroupedGemm::getProblemTypes() {
  auto* const first = static_cast<Value*>(std::calloc(1, sizeof(Value)));
  return {first, first + 1, first + 1};
}
int GroupedGemm::getDefaultValueForDeviceUserArguments(void*) {
  return UNSUPPORTED("hipblaslt_ext::GroupedGemm::getDefaultValueForDeviceUserArguments");
}
int GroupedGemm::run(void*, ihipStream_t*) { return UNSUPPORTED("hipblaslt_ext::GroupedGemm::run"); }

EXPORTED int getAllAlgos(void* handle, GemmType type, hipblasOperation_t opA, hipblasOperation_t opB,
                         hipDataType a, hipDataType b, hipDataType c, hipDataType d,
                         hipblasComputeType_t compute,
                         std::vector<_hipblasLtMatmulHeuristicResult_t>& results);
int getAllAlgos(void*, GemmType, hipblasOperation_t, hipblasOperation_t, hipDataType, hipDataType,
                hipDataType, hipDataType, hipblasComputeType_t,
                std::vector<_hipblasLtMatmulHeuristicResult_t>&) {
  return UNSUPPORTED("hipblaslt_ext::getAllAlgos");
}
EXPORTED int getIndexFromAlgo(_hipblasLtMatmulAlgo_t& algo);
int getIndexFromAlgo(_hipblasLtMatmulAlgo_t&) { return -1; }

}  // namespace hipblaslt_ext
