// The tables against what was built, and the values of the libraries' statuses against their headers, which
// stand here a second time.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/rocm_release.h"
#include "base/split.h"
#include "libraries/shim/testing.h"

namespace {

using Row = std::vector<std::string>;

/// The table NAME.tsv, in whichever folder it is.
std::vector<Row> table(const std::string& name) {
  std::ifstream file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(WAVESMITH_TABLES))
    if (entry.path().filename() == name + ".tsv") file.open(entry.path());
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto fields = wavesmith::split(line, '\t');
    rows.emplace_back(fields.begin(), fields.end());
    rows.back().resize(4);
  }
  return rows;
}

std::vector<std::string> sonames(const Row& library) {
  std::vector<std::string> names;
  for (const std::string_view major : wavesmith::split(library[1], ','))
    names.push_back(("lib" + library[0] + ".so.").append(major));
  return names;
}

void* open(const std::string& soname) { return wavesmith::libraries::open_any(soname); }

void* find(void* library, const Row& row) {
  return row[1] == "-" ? dlsym(library, row[0].c_str()) : dlvsym(library, row[0].c_str(), row[1].c_str());
}

template <typename F>
F function(const char* library, const char* name) {
  void* handle = open(library);
  return handle ? reinterpret_cast<F>(dlsym(handle, name)) : nullptr;
}

TEST(Libraries, EverySonameLoads) {
  int count = 0;
  for (const Row& library : table("libraries"))
    for (const std::string& soname : sonames(library)) {
      EXPECT_NE(open(soname), nullptr) << soname << ": " << dlerror();
      ++count;
    }
  EXPECT_EQ(count, 25);
}

TEST(Libraries, EverySymbolResolvesWithItsVersion) {
  for (const Row& library : table("libraries")) {
    void* handle = open(sonames(library)[0]);
    ASSERT_NE(handle, nullptr) << library[0];
    for (const Row& row : table(library[0]))
      EXPECT_NE(find(handle, row), nullptr) << library[0] << ' ' << row[0];
  }
}

// Programs link one library and call functions of those that AMD's needs.
TEST(Libraries, WhatALibraryNeedsIsFoundThroughIt) {
  void* solver = open("libhipsolver.so.1");
  ASSERT_NE(solver, nullptr);
  EXPECT_NE(dlsym(solver, "hipMalloc"), nullptr);
  EXPECT_NE(dlsym(solver, "rocblas_create_handle"), nullptr);
  EXPECT_EQ(dlsym(solver, "miopenCreate"), nullptr);
}

TEST(Libraries, PlansOfTransformsCanBeMade) {
  const auto create = function<int (*)(void**)>("libhipfft.so.0", "hipfftCreate");
  const auto make = function<int (*)(void*, int, int, int, size_t*)>("libhipfft.so.0", "hipfftMakePlan1d");
  const auto destroy = function<int (*)(void*)>("libhipfft.so.0", "hipfftDestroy");
  void* plan = nullptr;
  size_t work = 7;
  EXPECT_EQ(create(nullptr), 4);
  ASSERT_EQ(create(&plan), 0);
  EXPECT_EQ(make(plan, 8, 0x29, 1, &work), 0);
  EXPECT_EQ(work, 0);
  EXPECT_EQ(make(nullptr, 8, 0x29, 1, &work), 1);
  EXPECT_EQ(destroy(plan), 0);
}

TEST(Libraries, RocmSmiSaysHowGpusAreConnected) {
  const auto id = function<int (*)(uint32_t, uint64_t*)>("librocm_smi64.so.1", "rsmi_dev_pci_id_get");
  const auto hive = function<int (*)(uint32_t, uint64_t*)>("librocm_smi64.so.1", "rsmi_dev_xgmi_hive_id_get");
  const auto link =
      function<int (*)(uint32_t, uint32_t, uint64_t*, int*)>("librocm_smi64.so.1", "rsmi_topo_get_link_type");
  const auto metrics =
      function<int (*)(uint32_t, void*)>("librocm_smi64.so.1", "rsmi_dev_gpu_metrics_info_get");
  const auto text = function<int (*)(char*, int, int)>("libamdhip64.so", "hipDeviceGetPCIBusId");
  char name[32];
  ASSERT_EQ(text(name, sizeof name, 0), 0);
  uint64_t value = 0;
  ASSERT_EQ(id(0, &value), 0);
  char same[32];
  std::snprintf(same, sizeof same, "%04x:%02x:%02x.%x", static_cast<unsigned>(value >> 32),
                static_cast<unsigned>(value >> 8 & 0xff), static_cast<unsigned>(value >> 3 & 0x1f),
                static_cast<unsigned>(value & 7));
  EXPECT_STREQ(same, name);
  EXPECT_EQ(id(1000, &value), 1);
  EXPECT_EQ(id(0, nullptr), 1);
  EXPECT_EQ(hive(0, &value), 0);
  EXPECT_EQ(value, 0);
  int type = 0;
  EXPECT_EQ(link(0, 0, &value, &type), 1);
  std::vector<uint8_t> place(4096, 0x55);
  ASSERT_EQ(metrics(0, place.data()), 0);
  EXPECT_EQ(place[2], 1);                     // the format's version
  EXPECT_EQ(place[74] | place[75] << 8, 16);  // lanes
  EXPECT_EQ(place[76] | place[77] << 8, 320);
  EXPECT_EQ(place[place[0]], 0x55);  // nothing behind what it says that it is
}

TEST(Libraries, RocmSmiTellsMemoryAndClocks) {
  struct Frequencies {
    bool has_deep_sleep;
    uint32_t supported, current;
    uint64_t hertz[33];
  } frequencies{};
  const auto clocks =
      function<int (*)(uint32_t, int, Frequencies*)>("librocm_smi64.so.7", "rsmi_dev_gpu_clk_freq_get");
  const auto memory =
      function<int (*)(uint32_t, int, uint64_t*)>("librocm_smi64.so.7", "rsmi_dev_memory_total_get");
  ASSERT_TRUE(clocks && memory);
  EXPECT_EQ(clocks(0, 0, &frequencies), 0);
  EXPECT_EQ(frequencies.supported, 1);
  EXPECT_GT(frequencies.hertz[0], 500'000'000);
  EXPECT_LT(frequencies.hertz[0], 5'000'000'000);
  EXPECT_EQ(clocks(0, 3, &frequencies), 2) << "there is no such clock";
  EXPECT_EQ(clocks(99, 0, &frequencies), 1);
  uint64_t bytes = 0;
  EXPECT_EQ(memory(0, 0, &bytes), 0);
  EXPECT_GT(bytes, uint64_t{1} << 33);
  EXPECT_EQ(memory(0, 2, &bytes), 2);
}

// The order in which Python's amdsmi asks.
TEST(Libraries, AmdSmiFindsEachGpuInASocketOfItsOwn) {
  const char* const library = "libamd_smi.so.26";
  const auto sockets = function<int (*)(uint32_t*, void**)>(library, "amdsmi_get_socket_handles");
  const auto processors =
      function<int (*)(void*, uint32_t*, void**)>(library, "amdsmi_get_processor_handles");
  const auto bdf = function<int (*)(void*, uint64_t*)>(library, "amdsmi_get_gpu_device_bdf");
  const auto of_bdf = function<int (*)(uint64_t, void**)>(library, "amdsmi_get_processor_handle_from_bdf");
  const auto asic = function<int (*)(void*, char*)>(library, "amdsmi_get_gpu_asic_info");
  ASSERT_TRUE(sockets && processors && bdf && of_bdf && asic);
  uint32_t count = 0;
  ASSERT_EQ(sockets(&count, nullptr), 0);
  ASSERT_GE(count, 1);
  std::vector<void*> handles(count);
  ASSERT_EQ(sockets(&count, handles.data()), 0);
  for (void* socket : handles) {
    uint32_t one = 0;
    void* gpu = nullptr;
    ASSERT_EQ(processors(socket, &one, nullptr), 0);
    ASSERT_EQ(one, 1);
    ASSERT_EQ(processors(socket, &one, &gpu), 0);
    uint64_t address = 0;
    void* again = nullptr;
    EXPECT_EQ(bdf(gpu, &address), 0);
    EXPECT_EQ(of_bdf(address, &again), 0);
    EXPECT_EQ(again, gpu);
    char info[1024] = {};
    EXPECT_EQ(asic(gpu, info), 0);
    EXPECT_EQ(std::string(info).substr(0, 4), "AMD ");
  }
  uint64_t address = 0;
  void* none = nullptr;
  EXPECT_EQ(bdf(nullptr, &address), 1);
  EXPECT_EQ(of_bdf(0xff0000, &none), 31);
}

TEST(Libraries, RocmCoreTellsTheReleaseOfWhatIsShown) {
  const auto version =
      function<int (*)(unsigned*, unsigned*, unsigned*)>("librocm-core.so", "getROCmVersion");
  ASSERT_TRUE(version);
  const wavesmith::RocmRelease release = wavesmith::rocm_release();
  unsigned major = 0, minor = 0, patch = 99;
  EXPECT_EQ(version(&major, &minor, &patch), 0);
  EXPECT_EQ(major, release.major);
  EXPECT_EQ(minor, release.minor);
  EXPECT_EQ(patch, release.patch);
  EXPECT_EQ(version(&major, nullptr, &patch), 1);
}

TEST(Libraries, NothingElseIsExported) {
  void* handle = open("librocblas.so.5");
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(dlsym(handle, "_ZN9wavesmith9libraries6answerEPKcS2_iRSt11atomic_flag"), nullptr);
}

// From the libraries' headers.
const std::map<std::string, int> kNotSupported = {
    {"MIOpen", 6},           {"amd_smi", 2},    {"hipblas", 7},
    {"hipblaslt", 7},        {"hipfft", 16},    {"hiprand", 1000},
    {"hipsolver", 7},        {"hipsparse", 10}, {"hsa-runtime64", 0x1000},
    {"migraphx_c", 4},       {"rccl", 5},       {"rocblas", 2},
    {"rocfft", 1},           {"rocm-core", 2},  {"rocm_smi64", 2},
    {"rocprofiler-sdk", 17}, {"rocrand", 108},  {"rocsolver", 2}};

TEST(Libraries, WhatIsNotServedAnswersTheLibrarysStatusAndIsNamedOnce) {
  int unserved = 0;
  for (const Row& library : table("libraries")) {
    void* handle = open(sonames(library)[0]);
    ASSERT_NE(handle, nullptr) << library[0];
    for (const Row& row : table(library[0])) {
      if (row[2] != "status") continue;
      ++unserved;
      const auto call = reinterpret_cast<int (*)(void*, void*, void*)>(find(handle, row));
      ASSERT_NE(call, nullptr) << row[0];
      ASSERT_TRUE(kNotSupported.contains(library[0])) << library[0];
      testing::internal::CaptureStderr();
      EXPECT_EQ(call(nullptr, nullptr, nullptr), kNotSupported.at(library[0])) << row[0];
      EXPECT_EQ(call(nullptr, nullptr, nullptr), kNotSupported.at(library[0])) << row[0];
      const std::string said = testing::internal::GetCapturedStderr();
      EXPECT_TRUE(said.starts_with("wavesmith: " + row[0] + " ")) << said;
      EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    }
  }
  EXPECT_GT(unserved, 300);
}

TEST(Libraries, HandlesKeepTheirStream) {
  struct Api {
    const char *library, *create, *set, *get, *destroy;
  };
  for (const Api& api :
       {Api{"librocblas.so.5", "rocblas_create_handle", "rocblas_set_stream", "rocblas_get_stream",
            "rocblas_destroy_handle"},
        Api{"libhipblas.so.3", "hipblasCreate", "hipblasSetStream", "hipblasGetStream", "hipblasDestroy"},
        Api{"libhipsparse.so.4", "hipsparseCreate", "hipsparseSetStream", "hipsparseGetStream",
            "hipsparseDestroy"},
        Api{"libhipsolver.so.1", "hipsolverCreate", "hipsolverSetStream", "hipsolverGetStream",
            "hipsolverDestroy"},
        Api{"libMIOpen.so.1", "miopenCreate", "miopenSetStream", "miopenGetStream", "miopenDestroy"}}) {
    SCOPED_TRACE(api.library);
    void* handle = nullptr;
    void* stream = nullptr;
    int here = 0;
    ASSERT_EQ(function<int (*)(void**)>(api.library, api.create)(&handle), 0);
    EXPECT_EQ(function<int (*)(void*, void*)>(api.library, api.set)(handle, &here), 0);
    EXPECT_EQ(function<int (*)(void*, void**)>(api.library, api.get)(handle, &stream), 0);
    EXPECT_EQ(stream, &here);
    EXPECT_EQ(function<int (*)(void*)>(api.library, api.destroy)(handle), 0);
    EXPECT_NE(function<int (*)(void**)>(api.library, api.create)(nullptr), 0);
    EXPECT_NE(function<int (*)(void*, void*)>(api.library, api.set)(nullptr, &here), 0);
  }
}

TEST(Libraries, MatrixDescriptorsKeepWhatIsSet) {
  const char* const library = "libhipsparse.so.4";
  void* matrix = nullptr;
  ASSERT_EQ(function<int (*)(void**)>(library, "hipsparseCreateMatDescr")(&matrix), 0);
  for (const char* field : {"MatType", "MatFillMode", "MatDiagType", "MatIndexBase"}) {
    const auto get = function<int (*)(void*)>(library, ("hipsparseGet" + std::string(field)).c_str());
    const auto set = function<int (*)(void*, int)>(library, ("hipsparseSet" + std::string(field)).c_str());
    EXPECT_EQ(get(matrix), 0) << field;
    EXPECT_EQ(set(matrix, 1), 0) << field;
    EXPECT_EQ(get(matrix), 1) << field;
    EXPECT_NE(set(matrix, 9), 0) << field;
    EXPECT_EQ(get(matrix), 1) << field;
  }
  EXPECT_EQ(function<int (*)(void*)>(library, "hipsparseDestroyMatDescr")(matrix), 0);
}

TEST(Libraries, RangesAreNestedThreadByThread) {
  const char* const library = "libroctx64.so.4";
  const auto push = function<int (*)(const char*)>(library, "roctxRangePushA");
  const auto pop = function<int (*)()>(library, "roctxRangePop");
  const auto start = function<uint64_t (*)(const char*)>(library, "roctxRangeStartA");
  EXPECT_LT(pop(), 0);
  EXPECT_EQ(push("outer"), 0);
  EXPECT_EQ(push("inner"), 1);
  EXPECT_EQ(pop(), 1);
  EXPECT_EQ(pop(), 0);
  EXPECT_LT(pop(), 0);
  EXPECT_NE(start("a"), start("b"));
}

TEST(Libraries, VersionTextsFitTheSizeThatWasAsked) {
  size_t size = 0;
  char text[64] = {};
  const auto get = function<int (*)(char*, size_t)>("librocblas.so.5", "rocblas_get_version_string");
  ASSERT_EQ(function<int (*)(size_t*)>("librocblas.so.5", "rocblas_get_version_string_size")(&size), 0);
  ASSERT_LE(size, sizeof text);
  EXPECT_NE(get(text, size - 1), 0);
  EXPECT_EQ(get(text, size), 0);
  EXPECT_EQ(std::string(text).size() + 1, size);
}

TEST(Libraries, StatusesHaveNames) {
  const auto name = function<const char* (*)(int)>("libhipblas.so.3", "hipblasStatusToString");
  EXPECT_STREQ(name(7), "HIPBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_NE(name(-1), nullptr);
  EXPECT_NE(name(1000), nullptr);
  EXPECT_STREQ(function<const char* (*)(int)>("librocblas.so.5", "rocblas_status_to_string")(2),
               "rocblas_status_not_implemented");
  EXPECT_STREQ(function<const char* (*)(int)>("libMIOpen.so.1", "miopenGetErrorString")(6),
               "miopenStatusNotImplemented");
}

}  // namespace
