// comgr's calls as its users make them: a kernel from source to a code object, assembly, errors.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "object/code_object.h"
#include "runtime/comgr/api.h"
#include "toolchain/discover.h"

namespace wavesmith::comgr {
namespace {

/// One action on one input; handles are released again.
class Comgr : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(amd_comgr_create_action_info(&info), AMD_COMGR_STATUS_SUCCESS);
    ASSERT_EQ(amd_comgr_action_info_set_language(info, AMD_COMGR_LANGUAGE_HIP), AMD_COMGR_STATUS_SUCCESS);
    ASSERT_EQ(amd_comgr_action_info_set_logging(info, true), AMD_COMGR_STATUS_SUCCESS);
    isa("gfx942");
  }
  void TearDown() override { EXPECT_EQ(amd_comgr_destroy_action_info(info), AMD_COMGR_STATUS_SUCCESS); }
  void isa(const std::string& target) {
    ASSERT_EQ(amd_comgr_action_info_set_isa_name(info, ("amdgcn-amd-amdhsa--" + target).c_str()),
              AMD_COMGR_STATUS_SUCCESS);
  }
  void options(std::vector<const char*> list) {
    ASSERT_EQ(amd_comgr_action_info_set_option_list(info, list.data(), list.size()),
              AMD_COMGR_STATUS_SUCCESS);
  }
  /// The bytes of the first result of a kind; empty when there is none. `log`: what was said.
  std::string act(amd_comgr_action_kind_t action, amd_comgr_data_kind_t from, const std::string& input,
                  amd_comgr_data_kind_t to) {
    amd_comgr_data_t data;
    amd_comgr_data_set_t inputs, results;
    EXPECT_EQ(amd_comgr_create_data(from, &data), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_set_data(data, input.size(), input.data()), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_set_data_name(data, "input"), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_create_data_set(&inputs), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_create_data_set(&results), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_data_set_add(inputs, data), AMD_COMGR_STATUS_SUCCESS);
    status = amd_comgr_do_action(action, info, inputs, results);
    const std::string bytes = take(results, to);
    log = take(results, AMD_COMGR_DATA_KIND_LOG);
    EXPECT_EQ(amd_comgr_release_data(data), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_destroy_data_set(inputs), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_destroy_data_set(results), AMD_COMGR_STATUS_SUCCESS);
    return bytes;
  }
  static std::string take(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind) {
    size_t count = 0, size = 0;
    EXPECT_EQ(amd_comgr_action_data_count(set, kind, &count), AMD_COMGR_STATUS_SUCCESS);
    amd_comgr_data_t data;
    if (count == 0) {
      EXPECT_EQ(amd_comgr_action_data_get_data(set, kind, 0, &data), AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT);
      return {};
    }
    EXPECT_EQ(amd_comgr_action_data_get_data(set, kind, 0, &data), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_get_data(data, &size, nullptr), AMD_COMGR_STATUS_SUCCESS);
    std::string bytes(size, '\0');
    EXPECT_EQ(amd_comgr_get_data(data, &size, bytes.data()), AMD_COMGR_STATUS_SUCCESS);
    EXPECT_EQ(amd_comgr_release_data(data), AMD_COMGR_STATUS_SUCCESS);
    return bytes;
  }
  static std::vector<std::string> kernels(const std::string& code) {
    const auto object =
        object::CodeObject::parse({reinterpret_cast<const uint8_t*>(code.data()), code.size()});
    EXPECT_TRUE(object) << object.error().text();
    std::vector<std::string> names;
    if (object)
      for (const auto& kernel : object->kernels()) names.push_back(kernel.name);
    return names;
  }
  amd_comgr_action_info_t info{};
  amd_comgr_status_t status = AMD_COMGR_STATUS_SUCCESS;
  std::string log;
};

constexpr const char* kSource = R"(
extern "C" __attribute__((device, const)) unsigned long __ockl_get_local_id(unsigned int);
extern "C" __attribute__((device, pure)) float __ocml_exp2_f32(float);
extern "C" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(1, 64))) doubled(float* x) {
  x[__ockl_get_local_id(0)] = __ocml_exp2_f32(x[__ockl_get_local_id(0)]);
})";

TEST_P(Comgr, SourceBecomesACodeObject) {
  isa(GetParam());
  options({"-O3", "-std=c++14", "-nogpuinc", "-Xclang", "-disable-llvm-passes"});
  const std::string bitcode = act(AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC,
                                  AMD_COMGR_DATA_KIND_SOURCE, kSource, AMD_COMGR_DATA_KIND_BC);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  options({"-O3", "-mllvm", "-amdgpu-internalize-symbols"});
  const std::string relocatable = act(AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE, AMD_COMGR_DATA_KIND_BC,
                                      bitcode, AMD_COMGR_DATA_KIND_RELOCATABLE);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  options({""});
  const std::string code = act(AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE,
                               AMD_COMGR_DATA_KIND_RELOCATABLE, relocatable, AMD_COMGR_DATA_KIND_EXECUTABLE);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  EXPECT_EQ(kernels(code), std::vector<std::string>{"doubled"});
}
INSTANTIATE_TEST_SUITE_P(Targets, Comgr,
                         testing::Values("gfx90a", "gfx942:sramecc+:xnack-", "gfx950", "gfx1100", "gfx1151",
                                         "gfx1201"));

TEST_F(Comgr, AssemblyBecomesARelocatable) {
  const std::string made = act(AMD_COMGR_ACTION_ASSEMBLE_SOURCE_TO_RELOCATABLE, AMD_COMGR_DATA_KIND_SOURCE,
                               ".text\n.globl f\nf:\n  s_endpgm\n", AMD_COMGR_DATA_KIND_RELOCATABLE);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  EXPECT_EQ(made.substr(0, 4),
            "\x7f"
            "ELF");
}

TEST_F(Comgr, OpenClBecomesACodeObject) {
  ASSERT_EQ(amd_comgr_action_info_set_language(info, AMD_COMGR_LANGUAGE_OPENCL_2_0),
            AMD_COMGR_STATUS_SUCCESS);
  const std::string bitcode = act(AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC, AMD_COMGR_DATA_KIND_SOURCE,
                                  "#if __OPENCL_C_VERSION__ != 200\n#error version\n#endif\n"
                                  "__kernel void add(__global float4* x, float y) { "
                                  "x[__builtin_amdgcn_workitem_id_x()] += (float4)(y); }\n",
                                  AMD_COMGR_DATA_KIND_BC);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  const std::string linked =
      act(AMD_COMGR_ACTION_LINK_BC_TO_BC, AMD_COMGR_DATA_KIND_BC, bitcode, AMD_COMGR_DATA_KIND_BC);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  const std::string relocatable = act(AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE, AMD_COMGR_DATA_KIND_BC,
                                      linked, AMD_COMGR_DATA_KIND_RELOCATABLE);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  const std::string joined =
      act(AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_RELOCATABLE, AMD_COMGR_DATA_KIND_RELOCATABLE, relocatable,
          AMD_COMGR_DATA_KIND_RELOCATABLE);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  const std::string code = act(AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE,
                               AMD_COMGR_DATA_KIND_RELOCATABLE, joined, AMD_COMGR_DATA_KIND_EXECUTABLE);
  ASSERT_EQ(status, AMD_COMGR_STATUS_SUCCESS) << log;
  EXPECT_EQ(kernels(code), std::vector<std::string>{"add"});
}

TEST_F(Comgr, OpenClsOwnFunctionsNeedItsDeviceLibrary) {
  bool there = false;
  for (const auto& libraries : toolchain::discover().libraries)
    there |= std::filesystem::exists(std::filesystem::path(libraries.folder) / "opencl.bc");
  ASSERT_EQ(amd_comgr_action_info_set_language(info, AMD_COMGR_LANGUAGE_OPENCL_1_2),
            AMD_COMGR_STATUS_SUCCESS);
  act(AMD_COMGR_ACTION_COMPILE_SOURCE_TO_RELOCATABLE, AMD_COMGR_DATA_KIND_SOURCE,
      "__kernel void number(__global int* x) { x[get_global_id(0)] = get_global_id(0); }\n",
      AMD_COMGR_DATA_KIND_RELOCATABLE);
  EXPECT_EQ(status, there ? AMD_COMGR_STATUS_SUCCESS : AMD_COMGR_STATUS_ERROR) << log;
  if (!there) {
    EXPECT_NE(log.find("opencl.bc"), std::string::npos) << log;
  }
}

TEST_F(Comgr, WrongProgramsHaveALog) {
  const std::string made = act(AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC, AMD_COMGR_DATA_KIND_SOURCE,
                               "this is no program;", AMD_COMGR_DATA_KIND_BC);
  EXPECT_EQ(status, AMD_COMGR_STATUS_ERROR);
  EXPECT_TRUE(made.empty());
  EXPECT_NE(log.find("error:"), std::string::npos) << log;
}

TEST_F(Comgr, WhatIsNotServedIsNamed) {
  act(static_cast<amd_comgr_action_kind_t>(11), AMD_COMGR_DATA_KIND_SOURCE, "x", AMD_COMGR_DATA_KIND_SOURCE);
  EXPECT_EQ(status, AMD_COMGR_STATUS_ERROR);
  EXPECT_NE(log.find("action 11"), std::string::npos) << log;
  EXPECT_EQ(amd_comgr_action_info_set_isa_name(info, "nvptx64-nvidia-cuda--sm_90"),
            AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Comgr, HandlesThatAreNoneAreRefused) {
  constexpr auto kRefused = AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  amd_comgr_data_t data;
  EXPECT_EQ(amd_comgr_create_data(AMD_COMGR_DATA_KIND_UNDEF, &data), kRefused);
  EXPECT_EQ(amd_comgr_create_data(AMD_COMGR_DATA_KIND_BC, nullptr), kRefused);
  EXPECT_EQ(amd_comgr_release_data({999999}), kRefused);
  EXPECT_EQ(amd_comgr_destroy_data_set({999999}), kRefused);
  EXPECT_EQ(amd_comgr_do_action(AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC, info, {999999}, {999999}), kRefused);
}

}  // namespace
}  // namespace wavesmith::comgr
