#include "runtime/api/exports.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>

#include "base/split.h"

extern "C" const char* hipApiName(uint32_t id);

namespace wavesmith::runtime {
namespace {

struct Row {
  std::string function, version, headers, programs;
};

std::vector<Row> table() {
  std::ifstream file(WAVESMITH_API_TABLE);
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string_view> fields = split(line, '\t');
    rows.push_back({std::string(fields.at(0)), std::string(fields.at(1)), std::string(fields.at(2)),
                    std::string(fields.at(3))});
  }
  return rows;
}

TEST(Exports, EveryFunctionOfTheApiIsExportedWithItsVersion) {
  void* library = dlopen(WAVESMITH_HIP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  int public_functions = 0;
  for (const Row& row : table()) {
    EXPECT_NE(dlvsym(library, row.function.c_str(), row.version.c_str()), nullptr)
        << row.function << " " << row.version;
    public_functions += row.headers != "-" || row.programs != "-";
  }
  EXPECT_EQ(public_functions, 469);
}

TEST(Exports, NothingElseIsExported) {
  void* library = dlopen(WAVESMITH_HIP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(dlsym(library, "wavesmith_unserved_hipBindTexture"), nullptr);
}

TEST(Exports, UnservedFunctionsSayNotSupportedOnce) {
  const Export* texture = find_export("hipBindTexture");
  ASSERT_NE(texture, nullptr);
  ASSERT_FALSE(texture->served());
  testing::internal::CaptureStderr();
  EXPECT_EQ(reinterpret_cast<int (*)()>(texture->function)(), hipErrorNotSupported);
  EXPECT_EQ(reinterpret_cast<int (*)()>(texture->function)(), hipErrorNotSupported);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("hipBindTexture"), std::string::npos);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST(Exports, UnknownNamesAreNotFound) { EXPECT_EQ(find_export("hipNoSuchFunction"), nullptr); }

TEST(Exports, WhatProgramsCallIsServed) {
  int used = 0;
  for (const Export& each : exports()) {
    if (each.programs == "-") continue;
    ++used;
    EXPECT_TRUE(each.served()) << each.name;
  }
  EXPECT_EQ(used, 162);
}

/// Tracers number functions as hip_prof_str.h does; what HIP 7.1's header reserves has no name.
TEST(Exports, FunctionsHaveTheNumbersOfTracing) {
  for (const auto& [id, name] : {
           std::pair{1u, "__hipPopCallConfiguration"},
           {81u, "hipGetDevicePropertiesR0000"},
           {108u, "hipMalloc"},
           {134u, "hipMemcpyAsync"},
           {363u, "hipStreamGetDevice"},
           {0u, "unknown"},
           {50u, "unknown"},
           {399u, "unknown"},
           {~0u, "unknown"},
       })
    EXPECT_STREQ(hipApiName(id), name);
  std::set<uint32_t> ids;
  size_t numbered = 0;
  for (const Export& each : exports())
    if (each.id) ids.insert(each.id), ++numbered;
  EXPECT_EQ(numbered, 432u);
  EXPECT_EQ(ids.size(), numbered);
}

TEST(Exports, CountOfServedFunctions) {
  int known = 0, served = 0;
  for (const Row& row : table()) {
    if (row.headers == "-" && row.programs == "-") continue;
    const Export* const each = find_export(row.function);
    ASSERT_NE(each, nullptr) << row.function;
    ++known;
    served += each->served();
  }
  std::printf("%d of %d public functions are served; the others answer hipErrorNotSupported\n", served,
              known);
  EXPECT_GE(served, 355);
}

}  // namespace
}  // namespace wavesmith::runtime
