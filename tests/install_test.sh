#!/usr/bin/env bash
# Installs to a scratch folder, and builds and runs there what a user would: a CMake project that links to the library, and
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
cat > "$scratch/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(consumer CXX)
find_package(wavesmith REQUIRED)
add_executable(consumer main.cc)
target_link_libraries(consumer PRIVATE wavesmith::amdhip64)
EOF
cmake -S "$scratch" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER=clang++-22 \
  ${toolchain:+-DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_STAGING_PREFIX="$scratch/prefix" -DCMAKE_INSTALL_PREFIX="$scratch/prefix" -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld-22} >/dev/null
cmake --build "$scratch/build" >/dev/null
got=$(WAVESMITH_GPU=mi300x:3 "${run[@]}" "$scratch/build/consumer")
[ "$got" = "0 3" ] || { echo "the program that links to the installed library printed '$got', not '0 3'"; exit 1; }
got=$("${run[@]}" "$scratch/prefix/bin/wavesmith" run --gpu mi210:2 -- "$scratch/build/consumer")
[ "$got" = "0 2" ] || { echo "the installed command gave '$got', not '0 2'"; exit 1; }
