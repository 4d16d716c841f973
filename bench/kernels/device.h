// HIP's device interface in builtins, as far as the benchmark kernels need it: they compile without HIP
// headers.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define KERNEL extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 1024)))

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = unsigned long;

__device__ inline u32 thread_x() { return __builtin_amdgcn_workitem_id_x(); }
__device__ inline u32 block_x() { return __builtin_amdgcn_workgroup_id_x(); }
