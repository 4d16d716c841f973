#!/usr/bin/env bash
# Installs to a scratch folder, and builds and runs there what a user would: a CMake project that links to the libraries, and
# the command. Usage: tests/install_test.sh BUILD_FOLDER [TOOLCHAIN_FILE [WHAT RUNS ITS PROGRAMS...]]
set -euo pipefail
build=$(cd "$1" && pwd)
toolchain=${2-}
run=("${@:3}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cat > "$scratch/main.cc" <<'EOF'
#include <cstdio>
extern "C" int hipGetDeviceCount(int*);
int main() {
  int count = 0;
  const int error = hipGetDeviceCount(&count);
  std::printf("%d %d\n", error, count);
}
EOF
# A product by the kernel library, whose header is C's.
cat > "$scratch/product.c" <<'EOF'
#include <stdio.h>
#include <wavesmith_kernels.h>
int hipMalloc(void**, size_t);
int hipMemcpy(void*, const void*, size_t, int);
int main(void) {
  enum { kSize = 40 };
  uint16_t ones[kSize * kSize]; /* 1 in f16 */
  float product[kSize * kSize] = {0};
  void *a = NULL, *d = NULL;
  for (int i = 0; i < kSize * kSize; ++i) ones[i] = 0x3c00;
  hipMalloc(&a, sizeof ones);
  hipMalloc(&d, sizeof product);
  hipMemcpy(a, ones, sizeof ones, 1);
  const wavesmith_kernels_matrix operand = {a, WAVESMITH_KERNELS_F16, kSize, 1, 0};
  const wavesmith_kernels_matrix result = {d, WAVESMITH_KERNELS_F32, kSize, 1, 0};
  const wavesmith_kernels_gemm_description gemm = {
      .m = kSize, .n = kSize, .k = kSize, .batches = 1, .alpha = 1, .a = operand, .b = operand, .d = result};
  const int status = wavesmith_kernels_gemm(&gemm, NULL);
  hipMemcpy(product, d, sizeof product, 2);
  printf("%d '%s' %g %g\n", status, wavesmith_kernels_message(), product[0], product[kSize * kSize - 1]);
}
EOF
# The same from C++: what it throws.
cat > "$scratch/refused.cc" <<'EOF'
#include <cstdio>
#include <wavesmith_kernels.hpp>
int main() {
  namespace kernels = wavesmith::kernels;
  float* const nothing = nullptr;
  try {
    kernels::softmax(kernels::softmax_of(kernels::rows(nothing, 2, 3), kernels::rows(nothing, 2, 3)));
  } catch (const kernels::Error& error) {
    std::printf("%d %s\n", error.status(), error.what());
  }
}
EOF
cat > "$scratch/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(consumer C CXX)
find_package(wavesmith REQUIRED)
add_executable(consumer main.cc)
target_link_libraries(consumer PRIVATE wavesmith::amdhip64)
add_executable(product product.c)
target_link_libraries(product PRIVATE wavesmith::kernels wavesmith::amdhip64)
add_executable(refused refused.cc)
target_link_libraries(refused PRIVATE wavesmith::kernels wavesmith::amdhip64)
EOF
cmake -S "$scratch" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
  ${toolchain:+-DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_STAGING_PREFIX="$scratch/prefix" -DCMAKE_INSTALL_PREFIX="$scratch/prefix" -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld-22} >/dev/null
cmake --build "$scratch/build" >/dev/null
got=$(WAVESMITH_GPU=mi300x:3 "${run[@]}" "$scratch/build/consumer")
[ "$got" = "0 3" ] || { echo "the program that links to the installed library printed '$got', not '0 3'"; exit 1; }
got=$("${run[@]}" "$scratch/prefix/bin/wavesmith" run --gpu mi210:2 -- "$scratch/build/consumer")
[ "$got" = "0 2" ] || { echo "the installed command gave '$got', not '0 2'"; exit 1; }
for gpu in mi300x rx9070xt; do
  got=$(WAVESMITH_GPU=$gpu "${run[@]}" "$scratch/build/product")
  [ "$got" = "0 '' 40 40" ] || { echo "the product by the kernel library printed '$got' on $gpu, not 0 '' 40 40"; exit 1; }
done
got=$("${run[@]}" "$scratch/build/refused")
[ "$got" = "1 softmax: x.data is null" ] || { echo "the C++ program printed '$got', not 1 softmax: x.data is null"; exit 1; }
got=$("${run[@]}" "$scratch/prefix/bin/wavesmith" kernels gemm --m 64 --n 64 --k 64 --gpu mi300x)
[[ $got = *gemm_bf16_* ]] || { echo "the installed command found no kernel: $got"; exit 1; }
