// The binary interface of hiprtc: values are those of HIP 7.1.
#pragma once

#include <cstddef>

enum hiprtcResult : int {
  HIPRTC_SUCCESS = 0,
  HIPRTC_ERROR_OUT_OF_MEMORY = 1,
  HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  HIPRTC_ERROR_INVALID_INPUT = 3,
  HIPRTC_ERROR_INVALID_PROGRAM = 4,
  HIPRTC_ERROR_INVALID_OPTION = 5,
  HIPRTC_ERROR_COMPILATION = 6,
  HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  HIPRTC_ERROR_INTERNAL_ERROR = 11,
  HIPRTC_ERROR_LINKING = 100
};

/// What a linker input is; the others of the enumeration are NVIDIA's.
enum hiprtcJITInputType : int {
  HIPRTC_JIT_INPUT_LLVM_BITCODE = 100,
  HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE = 101,
  HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE = 102
};

/// Options of the linker that mean something here.
enum hiprtcJIT_option : int {
  HIPRTC_JIT_OPTIMIZATION_LEVEL = 7,
  HIPRTC_JIT_IR_TO_ISA_OPT_EXT = 10000,
  HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT = 10001
};

using hiprtcProgram = struct _hiprtcProgram*;
using hiprtcLinkState = struct ihiprtcLinkState*;

#define HIPRTC_API extern "C" __attribute__((visibility("default")))

HIPRTC_API const char* hiprtcGetErrorString(hiprtcResult result);
HIPRTC_API hiprtcResult hiprtcVersion(int* major, int* minor);
HIPRTC_API hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name,
                                            int header_count, const char** headers,
                                            const char** include_names);
HIPRTC_API hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program);
HIPRTC_API hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char* expression);
HIPRTC_API hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int option_count, const char** options);
HIPRTC_API hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char* expression,
                                             const char** name);
HIPRTC_API hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* size);
HIPRTC_API hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log);
HIPRTC_API hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* size);
HIPRTC_API hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code);
HIPRTC_API hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t* size);
HIPRTC_API hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char* bitcode);
HIPRTC_API hiprtcResult hiprtcLinkCreate(unsigned option_count, hiprtcJIT_option* options, void** values,
                                         hiprtcLinkState* state);
HIPRTC_API hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hiprtcJITInputType type, const char* path,
                                          unsigned option_count, hiprtcJIT_option* options, void** values);
HIPRTC_API hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hiprtcJITInputType type, void* data,
                                          size_t size, const char* name, unsigned option_count,
                                          hiprtcJIT_option* options, void** values);
HIPRTC_API hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void** binary, size_t* size);
HIPRTC_API hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state);
