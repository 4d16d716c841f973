// The binary interface of AMD's code object manager (comgr), as far as it is served: compiling, assembling
// and linking. Values are those of version 3.0.
#pragma once

#include <cstddef>
#include <cstdint>

enum amd_comgr_status_t : int {
  AMD_COMGR_STATUS_SUCCESS = 0,
  AMD_COMGR_STATUS_ERROR = 1,
  AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT = 2,
  AMD_COMGR_STATUS_ERROR_OUT_OF_RESOURCES = 3
};

enum amd_comgr_language_t : int {
  AMD_COMGR_LANGUAGE_NONE = 0,
  AMD_COMGR_LANGUAGE_OPENCL_1_2 = 1,
  AMD_COMGR_LANGUAGE_OPENCL_2_0 = 2,
  AMD_COMGR_LANGUAGE_HIP = 3,
  AMD_COMGR_LANGUAGE_LLVM_IR = 4,
  AMD_COMGR_LANGUAGE_LAST = AMD_COMGR_LANGUAGE_LLVM_IR
};

enum amd_comgr_data_kind_t : int {
  AMD_COMGR_DATA_KIND_UNDEF = 0,
  AMD_COMGR_DATA_KIND_SOURCE = 1,
  AMD_COMGR_DATA_KIND_INCLUDE = 2,
  AMD_COMGR_DATA_KIND_LOG = 5,
  AMD_COMGR_DATA_KIND_BC = 6,
  AMD_COMGR_DATA_KIND_RELOCATABLE = 7,
  AMD_COMGR_DATA_KIND_EXECUTABLE = 8,
  AMD_COMGR_DATA_KIND_LAST = 21
};

enum amd_comgr_action_kind_t : int {
  AMD_COMGR_ACTION_SOURCE_TO_PREPROCESSOR = 0,
  AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC = 2,
  AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE = 4,
  AMD_COMGR_ACTION_CODEGEN_BC_TO_ASSEMBLY = 5,
  AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE = 7,
  AMD_COMGR_ACTION_ASSEMBLE_SOURCE_TO_RELOCATABLE = 8,
  AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC = 12,
  AMD_COMGR_ACTION_COMPILE_SOURCE_TO_RELOCATABLE = 13,
  AMD_COMGR_ACTION_COMPILE_SOURCE_TO_EXECUTABLE = 14
};

struct amd_comgr_data_t {
  uint64_t handle;
};
struct amd_comgr_data_set_t {
  uint64_t handle;
};
struct amd_comgr_action_info_t {
  uint64_t handle;
};

#define COMGR_API extern "C" __attribute__((visibility("default")))

COMGR_API amd_comgr_status_t amd_comgr_status_string(amd_comgr_status_t status, const char** text);
COMGR_API void amd_comgr_get_version(size_t* major, size_t* minor);
COMGR_API amd_comgr_status_t amd_comgr_create_data(amd_comgr_data_kind_t kind, amd_comgr_data_t* data);
COMGR_API amd_comgr_status_t amd_comgr_release_data(amd_comgr_data_t data);
COMGR_API amd_comgr_status_t amd_comgr_get_data_kind(amd_comgr_data_t data, amd_comgr_data_kind_t* kind);
COMGR_API amd_comgr_status_t amd_comgr_set_data(amd_comgr_data_t data, size_t size, const char* bytes);
COMGR_API amd_comgr_status_t amd_comgr_set_data_name(amd_comgr_data_t data, const char* name);
COMGR_API amd_comgr_status_t amd_comgr_get_data(amd_comgr_data_t data, size_t* size, char* bytes);
COMGR_API amd_comgr_status_t amd_comgr_get_data_name(amd_comgr_data_t data, size_t* size, char* name);
COMGR_API amd_comgr_status_t amd_comgr_create_data_set(amd_comgr_data_set_t* set);
COMGR_API amd_comgr_status_t amd_comgr_destroy_data_set(amd_comgr_data_set_t set);
COMGR_API amd_comgr_status_t amd_comgr_data_set_add(amd_comgr_data_set_t set, amd_comgr_data_t data);
COMGR_API amd_comgr_status_t amd_comgr_data_set_remove(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind);
COMGR_API amd_comgr_status_t amd_comgr_action_data_count(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind,
                                                         size_t* count);
COMGR_API amd_comgr_status_t amd_comgr_action_data_get_data(amd_comgr_data_set_t set,
                                                            amd_comgr_data_kind_t kind, size_t index,
                                                            amd_comgr_data_t* data);
COMGR_API amd_comgr_status_t amd_comgr_create_action_info(amd_comgr_action_info_t* info);
COMGR_API amd_comgr_status_t amd_comgr_destroy_action_info(amd_comgr_action_info_t info);
COMGR_API amd_comgr_status_t amd_comgr_action_info_set_isa_name(amd_comgr_action_info_t info,
                                                                const char* name);
COMGR_API amd_comgr_status_t amd_comgr_action_info_set_language(amd_comgr_action_info_t info,
                                                                amd_comgr_language_t language);
COMGR_API amd_comgr_status_t amd_comgr_action_info_set_option_list(amd_comgr_action_info_t info,
                                                                   const char* options[], size_t count);
COMGR_API amd_comgr_status_t amd_comgr_action_info_set_working_directory_path(amd_comgr_action_info_t info,
                                                                              const char* path);
COMGR_API amd_comgr_status_t amd_comgr_action_info_set_logging(amd_comgr_action_info_t info, bool logging);
COMGR_API amd_comgr_status_t amd_comgr_do_action(amd_comgr_action_kind_t kind, amd_comgr_action_info_t info,
                                                 amd_comgr_data_set_t input, amd_comgr_data_set_t result);
