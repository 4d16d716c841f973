# One of two objects that are linked to one: each brings a metadata note of its own, as Tensile's kernels do.
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl first
.p2align 8
.type first,@function
first:
  s_endpgm
.size first, .-first

.rodata
.p2align 6
.amdhsa_kernel first
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 8
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
custom.config: {3: 32, 4: {5: six}}
amdhsa.kernels:
  - .name: first
    .symbol: first.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
...
.end_amdgpu_metadata
