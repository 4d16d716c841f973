#!/usr/bin/env bash
# A project as they are written for ROCm, with CMake's HIP language, find_package(hip) and find_package(hipblas), configured
# below `wavesmith run`, built without it, run on two GPUs. Usage: tests/cmake_test.sh PATH_OF_WAVESMITH
set -euo pipefail
wavesmith=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WAVESMITH_CACHE=$scratch/cache

# The best headers of this computer, and with them one of a library, wherever these come from.
headers=$("$wavesmith" cc --doctor --json | python3 -c 'import json, sys
found = [each for each in json.load(sys.stdin)["headers"] if each["from"] != "rocm"]
print(found[0]["include"] if found else "")') || true
[ -n "$headers" ] || { echo "no HIP headers but ROCm's"; exit 77; }
mkdir -p "$scratch/sdk/include/hipblas"
for each in "$headers"/*; do
  name=$(basename "$each")
  case $name in hip | hsa | hip_prof_str.h | amd_comgr*) ln -s "$each" "$scratch/sdk/include/$name" ;; esac
done
echo 'extern "C" int hipblasCreate(void**);' > "$scratch/sdk/include/hipblas/hipblas.h"

cat > "$scratch/kernels.hip" <<'EOF2'
#include <hip/hip_runtime.h>
__global__ void twice(int* values) { values[threadIdx.x] *= 2; }
void launch(int* values) { twice<<<1, 64>>>(values); }
EOF2
cat > "$scratch/main.cc" <<'EOF2'
#include <hip/hip_runtime_api.h>
#include <hipblas/hipblas.h>
#include <cstdio>
void launch(int*);
int main() {
  int host[64], *device = nullptr;
  for (int i = 0; i < 64; ++i) host[i] = i;
  void* handle = nullptr;
  const int blas = hipblasCreate(&handle);
  (void)hipMalloc(reinterpret_cast<void**>(&device), sizeof host);
  (void)hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice);
  launch(device);
  const int error = hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost);
  std::printf("%d %d %d\n", blas, error, host[21]);
}
EOF2
cat > "$scratch/CMakeLists.txt" <<'EOF2'
cmake_minimum_required(VERSION 3.21)
project(consumer CXX HIP)
find_package(hip REQUIRED)
find_package(hipblas REQUIRED)
message(STATUS "version ${hip_VERSION}")
find_package(rocfft QUIET)
if(rocfft_FOUND)
  message(FATAL_ERROR "rocfft was found, whose headers are not there")
endif()
add_library(kernels SHARED kernels.hip)
add_executable(consumer main.cc)
target_link_libraries(consumer PRIVATE kernels roc::hipblas)
EOF2

WAVESMITH_HIP_PATH="$scratch/sdk" "$wavesmith" run --gpu rx7900xtx -- cmake -S "$scratch" -B "$scratch/build" \
  -DCMAKE_CXX_COMPILER=clang++-22 "-DCMAKE_HIP_ARCHITECTURES=gfx1100;gfx942" > "$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }
# Whatever the headers are of, all that is shown of ROCm is of the runtime's version.
version=$("$wavesmith" run -- sh -c 'hipcc --version | sed -n "s/^HIP version: //p"')
release=${version%.*}
grep -q "^-- version $version\$" "$scratch/log" || { cat "$scratch/log"; echo "not HIP $version"; exit 1; }
shown=$("$wavesmith" run -- sh -c 'cd "$ROCM_PATH"; hipconfig --version; echo; sed "s/.*=//" share/hip/version | paste -sd.
  cut -d. -f1,2 .info/version; sed -n "s/.*ROCM_VERSION_M[AI][JN]OR //p" include/rocm-core/rocm_version.h | paste -sd.')
[ "$shown" = "$(printf '%s\n' "$version" "$version" "$release" "$release")" ] || { echo "not all of $version: $shown"; exit 1; }
# No variable of the first step is needed any more.
cmake --build "$scratch/build" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
for gpu in rx7900xtx mi300x; do
  got=$("$wavesmith" run --gpu "$gpu" -- "$scratch/build/consumer")
  [ "$got" = "0 0 42" ] || { echo "the program printed '$got' on $gpu, not '0 0 42'"; exit 1; }
done
