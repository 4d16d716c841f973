// The binary interface of AMD's code object manager (comgr). Values are those of version 3.0.
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
  AMD_COMGR_DATA_KIND_BYTES = 9,
  AMD_COMGR_DATA_KIND_FATBIN = 16,
  AMD_COMGR_DATA_KIND_LAST = 21
};

enum amd_comgr_action_kind_t : int {
  AMD_COMGR_ACTION_SOURCE_TO_PREPROCESSOR = 0,
  AMD_COMGR_ACTION_ADD_PRECOMPILED_HEADERS = 1,
  AMD_COMGR_ACTION_COMPILE_SOURCE_TO_BC = 2,
  AMD_COMGR_ACTION_LINK_BC_TO_BC = 3,
  AMD_COMGR_ACTION_CODEGEN_BC_TO_RELOCATABLE = 4,
  AMD_COMGR_ACTION_CODEGEN_BC_TO_ASSEMBLY = 5,
  AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_RELOCATABLE = 6,
  AMD_COMGR_ACTION_LINK_RELOCATABLE_TO_EXECUTABLE = 7,
  AMD_COMGR_ACTION_ASSEMBLE_SOURCE_TO_RELOCATABLE = 8,
  AMD_COMGR_ACTION_COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC = 12,
  AMD_COMGR_ACTION_COMPILE_SOURCE_TO_RELOCATABLE = 13,
  AMD_COMGR_ACTION_COMPILE_SOURCE_TO_EXECUTABLE = 14
};

enum amd_comgr_metadata_kind_t : int {
  AMD_COMGR_METADATA_KIND_NULL = 0,
  AMD_COMGR_METADATA_KIND_STRING = 1,
  AMD_COMGR_METADATA_KIND_MAP = 2,
  AMD_COMGR_METADATA_KIND_LIST = 3
};

enum amd_comgr_symbol_info_t : int {
  AMD_COMGR_SYMBOL_INFO_NAME_LENGTH = 0,
  AMD_COMGR_SYMBOL_INFO_NAME = 1,
  AMD_COMGR_SYMBOL_INFO_TYPE = 2,
  AMD_COMGR_SYMBOL_INFO_SIZE = 3,
  AMD_COMGR_SYMBOL_INFO_IS_UNDEFINED = 4,
  AMD_COMGR_SYMBOL_INFO_VALUE = 5
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
struct amd_comgr_metadata_node_t {
  uint64_t handle;
};
struct amd_comgr_symbol_t {
  uint64_t handle;
};
struct amd_comgr_disassembly_info_t {
  uint64_t handle;
};
struct amd_comgr_symbolizer_info_t {
  uint64_t handle;
};
/// In: which isa. Out: where its code is in a bundle; no size: there is none.
struct amd_comgr_code_object_info_t {
  const char* isa;
  size_t size;
  uint64_t offset;
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
COMGR_API amd_comgr_status_t amd_comgr_action_info_get_isa_name(amd_comgr_action_info_t info, size_t* size,
                                                                char* name);
COMGR_API amd_comgr_status_t amd_comgr_action_info_get_language(amd_comgr_action_info_t info,
                                                                amd_comgr_language_t* language);
COMGR_API amd_comgr_status_t amd_comgr_action_info_get_option_list_count(amd_comgr_action_info_t info,
                                                                         size_t* count);
COMGR_API amd_comgr_status_t amd_comgr_action_info_get_option_list_item(amd_comgr_action_info_t info,
                                                                        size_t index, size_t* size,
                                                                        char* option);
COMGR_API amd_comgr_status_t amd_comgr_action_info_set_bundle_entry_ids(amd_comgr_action_info_t info,
                                                                        const char* ids[], size_t count);
COMGR_API amd_comgr_status_t amd_comgr_action_info_get_bundle_entry_id_count(amd_comgr_action_info_t info,
                                                                             size_t* count);
COMGR_API amd_comgr_status_t amd_comgr_action_info_get_bundle_entry_id(amd_comgr_action_info_t info,
                                                                       size_t index, size_t* size, char* id);
COMGR_API amd_comgr_status_t amd_comgr_action_info_set_vfs(amd_comgr_action_info_t info, bool use);
COMGR_API amd_comgr_status_t amd_comgr_action_info_set_device_lib_linking(amd_comgr_action_info_t info,
                                                                          bool link);
COMGR_API amd_comgr_status_t amd_comgr_action_info_get_working_directory_path(amd_comgr_action_info_t info,
                                                                              size_t* size, char* path);
COMGR_API amd_comgr_status_t amd_comgr_action_info_get_logging(amd_comgr_action_info_t info, bool* logging);

COMGR_API amd_comgr_status_t amd_comgr_get_isa_count(size_t* count);
COMGR_API amd_comgr_status_t amd_comgr_get_isa_name(size_t index, const char** name);
COMGR_API amd_comgr_status_t amd_comgr_get_isa_metadata(const char* name,
                                                        amd_comgr_metadata_node_t* metadata);

COMGR_API amd_comgr_status_t amd_comgr_get_data_metadata(amd_comgr_data_t data,
                                                         amd_comgr_metadata_node_t* metadata);
COMGR_API amd_comgr_status_t amd_comgr_destroy_metadata(amd_comgr_metadata_node_t metadata);
COMGR_API amd_comgr_status_t amd_comgr_get_metadata_kind(amd_comgr_metadata_node_t metadata,
                                                         amd_comgr_metadata_kind_t* kind);
COMGR_API amd_comgr_status_t amd_comgr_get_metadata_string(amd_comgr_metadata_node_t metadata, size_t* size,
                                                           char* string);
COMGR_API amd_comgr_status_t amd_comgr_get_metadata_map_size(amd_comgr_metadata_node_t metadata,
                                                             size_t* size);
COMGR_API amd_comgr_status_t amd_comgr_iterate_map_metadata(
    amd_comgr_metadata_node_t metadata,
    amd_comgr_status_t (*callback)(amd_comgr_metadata_node_t key, amd_comgr_metadata_node_t value,
                                   void* user_data),
    void* user_data);
COMGR_API amd_comgr_status_t amd_comgr_metadata_lookup(amd_comgr_metadata_node_t metadata, const char* key,
                                                       amd_comgr_metadata_node_t* value);
COMGR_API amd_comgr_status_t amd_comgr_get_metadata_list_size(amd_comgr_metadata_node_t metadata,
                                                              size_t* size);
COMGR_API amd_comgr_status_t amd_comgr_index_list_metadata(amd_comgr_metadata_node_t metadata, size_t index,
                                                           amd_comgr_metadata_node_t* value);

COMGR_API amd_comgr_status_t amd_comgr_set_data_from_file_slice(amd_comgr_data_t data, int descriptor,
                                                                uint64_t offset, uint64_t size);
COMGR_API amd_comgr_status_t amd_comgr_get_data_isa_name(amd_comgr_data_t data, size_t* size, char* name);
COMGR_API amd_comgr_status_t amd_comgr_iterate_symbols(
    amd_comgr_data_t data, amd_comgr_status_t (*callback)(amd_comgr_symbol_t symbol, void* user_data),
    void* user_data);
COMGR_API amd_comgr_status_t amd_comgr_symbol_lookup(amd_comgr_data_t data, const char* name,
                                                     amd_comgr_symbol_t* symbol);
COMGR_API amd_comgr_status_t amd_comgr_symbol_get_info(amd_comgr_symbol_t symbol,
                                                       amd_comgr_symbol_info_t attribute, void* value);
COMGR_API amd_comgr_status_t amd_comgr_demangle_symbol_name(amd_comgr_data_t mangled,
                                                            amd_comgr_data_t* demangled);
COMGR_API amd_comgr_status_t amd_comgr_populate_mangled_names(amd_comgr_data_t data, size_t* count);
COMGR_API amd_comgr_status_t amd_comgr_get_mangled_name(amd_comgr_data_t data, size_t index, size_t* size,
                                                        char* name);
COMGR_API amd_comgr_status_t amd_comgr_lookup_code_object(amd_comgr_data_t data,
                                                          amd_comgr_code_object_info_t* info_list,
                                                          size_t count);
COMGR_API amd_comgr_status_t amd_comgr_map_elf_virtual_address_to_code_object_offset(
    amd_comgr_data_t data, uint64_t address, uint64_t* offset, uint64_t* slice_size, bool* nobits);

// Not served: errors that say so.
COMGR_API amd_comgr_status_t amd_comgr_populate_name_expression_map(amd_comgr_data_t data, size_t* count);
COMGR_API amd_comgr_status_t amd_comgr_map_name_expression_to_symbol_name(amd_comgr_data_t data, size_t* size,
                                                                          const char* expression,
                                                                          char* symbol);
COMGR_API amd_comgr_status_t amd_comgr_create_disassembly_info(
    const char* isa, uint64_t (*read_memory)(uint64_t from, char* to, uint64_t size, void* user_data),
    void (*print_instruction)(const char* instruction, void* user_data),
    void (*print_address)(uint64_t address, void* user_data), amd_comgr_disassembly_info_t* info);
COMGR_API amd_comgr_status_t amd_comgr_destroy_disassembly_info(amd_comgr_disassembly_info_t info);
COMGR_API amd_comgr_status_t amd_comgr_disassemble_instruction(amd_comgr_disassembly_info_t info,
                                                               uint64_t address, void* user_data,
                                                               uint64_t* size);
COMGR_API amd_comgr_status_t amd_comgr_create_symbolizer_info(amd_comgr_data_t code_object,
                                                              void (*print)(const char* symbol,
                                                                            void* user_data),
                                                              amd_comgr_symbolizer_info_t* info);
COMGR_API amd_comgr_status_t amd_comgr_destroy_symbolizer_info(amd_comgr_symbolizer_info_t info);
COMGR_API amd_comgr_status_t amd_comgr_symbolize(amd_comgr_symbolizer_info_t info, uint64_t address,
                                                 bool is_code, void* user_data);
