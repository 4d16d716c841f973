// A kernel of a code object: its descriptor and its metadata.
// Source: LLVM, "User Guide for AMDGPU Backend", sections "Kernel Descriptor" and "Code Object Metadata".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/extent3.h"

namespace wavesmith::object {

/// One argument, as the metadata describes it.
struct Argument {
  enum class Kind : uint8_t {
    Value,
    GlobalBuffer,
    DynamicSharedPointer,
    Image,
    Sampler,
    Pipe,
    Queue,
    HiddenBlockCountX,
    HiddenBlockCountY,
    HiddenBlockCountZ,
    HiddenGroupSizeX,
    HiddenGroupSizeY,
    HiddenGroupSizeZ,
    HiddenRemainderX,
    HiddenRemainderY,
    HiddenRemainderZ,
    HiddenGlobalOffsetX,
    HiddenGlobalOffsetY,
    HiddenGlobalOffsetZ,
    HiddenGridDims,
    HiddenNone,
    HiddenPrintfBuffer,
    HiddenHostcallBuffer,
    HiddenDefaultQueue,
    HiddenCompletionAction,
    HiddenMultigridSyncArg,
    HiddenHeap,
    HiddenDynamicLdsSize,
    HiddenPrivateBase,
    HiddenSharedBase,
    HiddenQueuePtr,
    Unknown
  };
  Kind kind = Kind::Value;
  uint32_t offset = 0, size = 0;
  std::string name = {}, type_name = {}, value_kind = {};
  uint32_t pointee_align = 0;

  /// Filled by the runtime, not passed by the program.
  [[nodiscard]] bool hidden() const { return value_kind.starts_with("hidden_"); }
};

/// The 64-byte kernel descriptor, field by field.
struct Descriptor {
  uint32_t group_segment_fixed_size = 0, private_segment_fixed_size = 0, kernarg_size = 0;
  int64_t kernel_code_entry_byte_offset = 0;
  uint32_t compute_pgm_rsrc1 = 0, compute_pgm_rsrc2 = 0, compute_pgm_rsrc3 = 0;
  uint16_t kernel_code_properties = 0, kernarg_preload = 0;

  // kernel_code_properties
  [[nodiscard]] bool private_segment_buffer() const { return kernel_code_properties & 1u << 0; }
  [[nodiscard]] bool dispatch_ptr() const { return kernel_code_properties & 1u << 1; }
  [[nodiscard]] bool queue_ptr() const { return kernel_code_properties & 1u << 2; }
  [[nodiscard]] bool kernarg_segment_ptr() const { return kernel_code_properties & 1u << 3; }
  [[nodiscard]] bool dispatch_id() const { return kernel_code_properties & 1u << 4; }
  [[nodiscard]] bool flat_scratch_init() const { return kernel_code_properties & 1u << 5; }
  [[nodiscard]] bool private_segment_size() const { return kernel_code_properties & 1u << 6; }
  [[nodiscard]] bool wave32() const { return kernel_code_properties & 1u << 10; }
  [[nodiscard]] bool uses_dynamic_stack() const { return kernel_code_properties & 1u << 11; }
  // compute_pgm_rsrc2
  [[nodiscard]] bool private_segment() const { return compute_pgm_rsrc2 & 1u; }
  [[nodiscard]] uint32_t user_sgprs() const { return compute_pgm_rsrc2 >> 1 & 31; }
  [[nodiscard]] bool workgroup_id(int axis) const { return compute_pgm_rsrc2 >> (7 + axis) & 1; }
  [[nodiscard]] bool workgroup_info() const { return compute_pgm_rsrc2 >> 10 & 1; }
  [[nodiscard]] uint32_t workitem_id() const { return compute_pgm_rsrc2 >> 11 & 3; }
  // compute_pgm_rsrc1: FLOAT_MODE, bits 12-19 of MODE's layout
  [[nodiscard]] uint32_t float_mode() const { return compute_pgm_rsrc1 >> 12 & 0xff; }
};

struct Kernel {
  std::string name;         ///< without ".kd"
  uint64_t descriptor = 0;  ///< virtual address of the descriptor in the object
  Descriptor fields;
  std::vector<Argument> arguments;
  uint32_t kernarg_size = 0, kernarg_align = 8;
  uint32_t vgpr_count = 0, agpr_count = 0, sgpr_count = 0, vgpr_spill_count = 0, sgpr_spill_count = 0;
  uint32_t max_flat_workgroup_size = 1024, wavefront_size = 64;
  Extent3 required_workgroup_size{0, 0, 0};
  bool uses_dynamic_stack = false, uniform_workgroup_size = false;
  [[nodiscard]] uint64_t entry() const {
    return descriptor + static_cast<uint64_t>(fields.kernel_code_entry_byte_offset);
  }
};

}  // namespace wavesmith::object
