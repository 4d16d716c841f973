// Device code for the tests of this folder: kernels with arguments, LDS, a variable, a managed variable and a relocation.
#define GLOBAL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))

// What clang wants to be declared when it compiles kernels without HIP's headers.
struct dim3 {
  unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);

DEVICE int table[4] = {1, 2, 3, 4};
DEVICE int* pointer = table;  // needs a relocation
__attribute__((managed)) int counter = 7;

GLOBAL void scale(float* out, const float* in, float factor, int count) {
  const int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i < count) out[i] = in[i] * factor + static_cast<float>(table[i & 3]);
}

GLOBAL void __attribute__((amdgpu_flat_work_group_size(64, 128))) shared_sum(int* out) {
  __attribute__((shared)) static int part[128];
  part[__builtin_amdgcn_workitem_id_x()] = *pointer + counter;
  __builtin_amdgcn_s_barrier();
  *out = part[0] + part[127];
}
