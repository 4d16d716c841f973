// Addresses reserved, memory created, the one mapped at the other.
#include <hip/hip_runtime.h>
#include <unistd.h>

#include <vector>

#include "check.h"

__global__ void fill(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = value + i;
}

int main() {
  hipMemAllocationProp props{};
  props.type = hipMemAllocationTypePinned;
  props.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  props.location.type = hipMemLocationTypeDevice;
  props.location.id = 0;
  size_t granularity = 0;
  CHECK_HIP(hipMemGetAllocationGranularity(&granularity, &props, hipMemAllocationGranularityMinimum));
  CHECK(granularity >= 4096 && (granularity & (granularity - 1)) == 0);
  const size_t piece = 4 * granularity, size = 2 * piece;
  const int count = static_cast<int>(size / sizeof(int));

  void* address = nullptr;
  CHECK_HIP(hipMemAddressReserve(&address, size, 0, nullptr, 0));
  CHECK_ERROR(hipMemAddressReserve(&address, size + 1, 0, nullptr, 0), hipErrorOutOfMemory);
  CHECK_ERROR(hipMemset(address, 0, 4), hipErrorInvalidValue);  // no memory there yet

  hipMemGenericAllocationHandle_t first, second;
  CHECK_HIP(hipMemCreate(&first, piece, &props, 0));
  CHECK_HIP(hipMemCreate(&second, piece, &props, 0));
  CHECK_ERROR(hipMemCreate(&second, piece + 1, &props, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipMemCreate(&second, size_t{1} << 50, &props, 0), hipErrorOutOfMemory);
  char* const begin = static_cast<char*>(address);
  CHECK_HIP(hipMemMap(begin, piece, 0, first, 0));
  CHECK_HIP(hipMemMap(begin + piece, piece, 0, second, 0));
  CHECK_ERROR(hipMemMap(begin, piece, 0, second, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipMemMap(begin + size, piece, 0, second, 0), hipErrorInvalidValue);
  hipMemAccessDesc access{};
  access.location = props.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  CHECK_HIP(hipMemSetAccess(address, size, &access, 1));
  unsigned long long flags = 0;
  CHECK_HIP(hipMemGetAccess(&flags, &access.location, begin + piece + 100));
  CHECK(flags == hipMemAccessFlagsProtReadWrite);

  // One range of addresses over two pieces of memory.
  int* const data = static_cast<int*>(address);
  fill<<<(count + 255) / 256, 256>>>(data, count, 7);
  std::vector<int> host(count);
  CHECK_HIP(hipDeviceSynchronize());
  CHECK_HIP(hipMemcpy(host.data(), data, size, hipMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i) CHECK(host[i] == 7 + i);
  CHECK_HIP(hipMemcpy(begin + piece / 2, host.data(), piece, hipMemcpyHostToDevice));
  CHECK_HIP(hipMemcpy(host.data(), begin + piece / 2, piece, hipMemcpyDeviceToHost));
  for (int i = 0; i < count / 2; ++i) CHECK(host[i] == 7 + i);
  CHECK_HIP(hipMemcpy(begin + piece / 2, begin, piece, hipMemcpyDeviceToDevice));
  CHECK_ERROR(hipMemcpy(host.data(), begin + 4, size, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  CHECK_ERROR(hipMemset(begin + 4, 0, size), hipErrorInvalidValue);
  fill<<<(count + 255) / 256, 256>>>(data, count, 7);

  // The pieces change places; their contents go with them.
  CHECK_ERROR(hipMemUnmap(begin, piece / 2), hipErrorInvalidValue);
  CHECK_ERROR(hipMemUnmap(begin, size + piece), hipErrorInvalidValue);
  CHECK_HIP(hipMemUnmap(begin, size));
  CHECK_ERROR(hipMemUnmap(begin + piece, piece), hipErrorInvalidValue);
  CHECK_HIP(hipMemMap(begin, piece, 0, second, 0));
  CHECK_HIP(hipMemMap(begin + piece, piece, 0, first, 0));
  CHECK_HIP(hipMemSetAccess(address, size, &access, 1));
  CHECK_HIP(hipMemcpy(host.data(), data, piece, hipMemcpyDeviceToHost));
  CHECK(host[0] == 7 + count / 2);

  // A file names the memory; another address shows it, too.
  int file = -1;
  hipMemGenericAllocationHandle_t imported, retained;
  CHECK_HIP(hipMemExportToShareableHandle(&file, first, hipMemHandleTypePosixFileDescriptor, 0));
  CHECK_HIP(hipMemImportFromShareableHandle(&imported, reinterpret_cast<void*>(static_cast<intptr_t>(file)),
                                            hipMemHandleTypePosixFileDescriptor));
  close(file);
  void* other = nullptr;
  CHECK_HIP(hipMemAddressReserve(&other, piece, 0, nullptr, 0));
  CHECK_HIP(hipMemMap(other, piece, 0, imported, 0));
  CHECK_HIP(hipMemSetAccess(other, piece, &access, 1));
  CHECK_HIP(hipMemset(other, 0x11, piece));
  CHECK_HIP(hipMemcpy(host.data(), begin + piece, 4, hipMemcpyDeviceToHost));
  CHECK(host[0] == 0x11111111);

  // Memory lives as long as it is mapped, whoever holds its handle.
  CHECK_HIP(hipMemRelease(first));
  CHECK_ERROR(hipMemRelease(first), hipErrorInvalidValue);
  CHECK_HIP(hipMemRetainAllocationHandle(&retained, begin + piece));
  hipMemAllocationProp got{};
  CHECK_HIP(hipMemGetAllocationPropertiesFromHandle(&got, retained));
  CHECK(got.type == hipMemAllocationTypePinned && got.location.id == 0);
  CHECK_HIP(hipMemRelease(retained));

  CHECK_ERROR(hipMemAddressFree(address, size), hipErrorInvalidValue);  // still mapped
  CHECK_HIP(hipMemUnmap(begin, piece));
  CHECK_HIP(hipMemUnmap(begin + piece, piece));
  CHECK_HIP(hipMemUnmap(other, piece));
  CHECK_ERROR(hipMemUnmap(other, piece), hipErrorInvalidValue);
  CHECK_HIP(hipMemAddressFree(address, size));
  CHECK_HIP(hipMemAddressFree(other, piece));
  CHECK_HIP(hipMemRelease(second));
  CHECK_HIP(hipMemRelease(imported));
  return finish();
}
