// Allocation, copies of every shape, fills, pointers and what they are.
#include <hip/hip_runtime.h>

#include <cstring>
#include <vector>

#include "check.h"

__global__ void twice(int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 2;
}

void rows_with_pitch() {
  const size_t width = 37 * sizeof(int), height = 11;
  char* device;
  size_t pitch = 0;
  CHECK_HIP(hipMallocPitch((void**)&device, &pitch, width, height));
  CHECK(pitch >= width && pitch % 128 == 0);
  std::vector<int> in(37 * height), out(37 * height);
  for (size_t i = 0; i < in.size(); ++i) in[i] = int(i) * 3;
  CHECK_HIP(hipMemset2D(device, pitch, 0xee, width, height));
  CHECK_HIP(hipMemcpy2D(device, pitch, in.data(), width, width, height, hipMemcpyHostToDevice));
  CHECK_HIP(hipMemcpy2D(out.data(), width, device, pitch, width, height, hipMemcpyDeviceToHost));
  CHECK(in == out);
  CHECK_ERROR(hipMemcpy2D(device, width - 1, in.data(), width, width, height, hipMemcpyHostToDevice),
              hipErrorInvalidPitchValue);
  // Sizes that no memory has, some of them so large that they come out small.
  for (const size_t rows : {SIZE_MAX, SIZE_MAX / pitch + 2, size_t{1} << 40}) {
    CHECK_ERROR(hipMemset2D(device, pitch, 0, width, rows), hipErrorInvalidValue);
    CHECK_ERROR(hipMemset2DAsync(device, pitch, 0, width, rows, nullptr), hipErrorInvalidValue);
    CHECK_ERROR(hipMemset3D(make_hipPitchedPtr(device, pitch, width, height), 0, make_hipExtent(width, rows, 1)),
                hipErrorInvalidValue);
    CHECK_ERROR(hipMemset3D(make_hipPitchedPtr(device, pitch, width, height), 0, make_hipExtent(width, 1, rows)),
                hipErrorInvalidValue);
    CHECK_ERROR(hipMemcpy2D(out.data(), width, device, pitch, width, rows, hipMemcpyDeviceToHost),
                hipErrorInvalidValue);
  }
  CHECK_ERROR(hipMemsetD32(device, 0, SIZE_MAX / 4 + 2), hipErrorInvalidValue);
  CHECK_HIP(hipFree(device));
}

void boxes() {
  const hipExtent extent = make_hipExtent(20, 5, 4);
  hipPitchedPtr pitched;
  CHECK_HIP(hipMalloc3D(&pitched, extent));
  CHECK_HIP(hipMemset3D(pitched, 0, extent));
  std::vector<unsigned char> in(20 * 5 * 4), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 7);
  hipMemcpy3DParms there = {};
  there.srcPtr = make_hipPitchedPtr(in.data(), 20, 20, 5);
  there.dstPtr = pitched;
  there.extent = extent;
  there.kind = hipMemcpyHostToDevice;
  CHECK_HIP(hipMemcpy3D(&there));
  // A box inside the box, from and to an offset.
  hipMemcpy3DParms back = {};
  back.srcPtr = pitched;
  back.srcPos = make_hipPos(3, 1, 2);
  back.dstPtr = make_hipPitchedPtr(out.data(), 20, 20, 5);
  back.dstPos = make_hipPos(3, 1, 2);
  back.extent = make_hipExtent(10, 3, 2);
  back.kind = hipMemcpyDeviceToHost;
  CHECK_HIP(hipMemcpy3D(&back));
  for (size_t z = 0; z < 4; ++z)
    for (size_t y = 0; y < 5; ++y)
      for (size_t x = 0; x < 20; ++x) {
        const bool inside = x >= 3 && x < 13 && y >= 1 && y < 4 && z >= 2;
        const size_t i = (z * 5 + y) * 20 + x;
        CHECK(out[i] == (inside ? in[i] : 0));
      }
  CHECK_HIP(hipFree(pitched.ptr));
}

void fills_of_every_width() {
  std::vector<unsigned char> out(64);
  unsigned char* device;
  CHECK_HIP(hipMalloc((void**)&device, 64));
  CHECK_HIP(hipMemset(device, 0x5a, 64));
  CHECK_HIP(hipMemsetD8(device, 1, 8));
  CHECK_HIP(hipMemsetD16(device + 16, 0x1234, 4));
  CHECK_HIP(hipMemsetD32(device + 32, 0x11223344, 4));
  CHECK_HIP(hipMemcpy(out.data(), device, 64, hipMemcpyDeviceToHost));
  CHECK(out[0] == 1 && out[7] == 1 && out[8] == 0x5a);
  CHECK(out[16] == 0x34 && out[17] == 0x12 && out[23] == 0x12 && out[24] == 0x5a);
  CHECK(out[32] == 0x44 && out[35] == 0x11 && out[47] == 0x11 && out[48] == 0x5a);
  CHECK_HIP(hipFree(device));
}

void host_and_managed_memory_are_shared() {
  for (const bool managed : {false, true}) {
    int* values;
    if (managed)
      CHECK_HIP(hipMallocManaged((void**)&values, 1000 * sizeof(int), hipMemAttachGlobal));
    else
      CHECK_HIP(hipHostMalloc((void**)&values, 1000 * sizeof(int), 0));
    for (int i = 0; i < 1000; ++i) values[i] = i;
    twice<<<10, 128>>>(values, 1000);
    CHECK_HIP(hipDeviceSynchronize());
    for (int i = 0; i < 1000; ++i) CHECK(values[i] == 2 * i);
    CHECK_HIP(managed ? hipFree(values) : hipHostFree(values));
  }
}

void used_memory_is_counted() {
  size_t before, after, total;
  void* memory;
  CHECK_HIP(hipMemGetInfo(&before, &total));
  CHECK_HIP(hipMalloc(&memory, 64 << 20));
  CHECK_HIP(hipMemGetInfo(&after, &total));
  CHECK(before - after >= (64u << 20));
  CHECK_HIP(hipFree(memory));
  CHECK_HIP(hipMemGetInfo(&after, &total));
  CHECK(before == after);
}

void asynchronous_copies_keep_their_source() {
  int* device;
  CHECK_HIP(hipMalloc((void**)&device, 4096 * sizeof(int)));
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  {
    std::vector<int> source(4096, 17);
    CHECK_HIP(hipMemcpyAsync(device, source.data(), 4096 * sizeof(int), hipMemcpyHostToDevice, stream));
    std::fill(source.begin(), source.end(), 0);  // pageable memory: its bytes were taken
  }
  std::vector<int> out(4096);
  CHECK_HIP(hipMemcpyAsync(out.data(), device, 4096 * sizeof(int), hipMemcpyDeviceToHost, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  for (const int value : out) CHECK(value == 17);
  CHECK_HIP(hipStreamDestroy(stream));
  CHECK_HIP(hipFree(device));
}

int main() {
  rows_with_pitch();
  boxes();
  fills_of_every_width();
  host_and_managed_memory_are_shared();
  used_memory_is_counted();
  asynchronous_copies_keep_their_source();
  return finish();
}
