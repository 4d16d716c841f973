# AArch64 Linux, from a host of another architecture: libraries out of the Debian that tools/aarch64 unpacks, QEMU to run what
# is built.
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-root)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT ${root})
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/lib/aarch64-linux-gnu/pkgconfig:${root}/usr/share/pkgconfig)

# As environment rather than options, for programs that a program starts inherit it. Files are looked for under the root first;
# compilers are the host's and are told so. Of addresses QEMU 7.2 keeps books, so that terabytes are too many for it.
set(CMAKE_CROSSCOMPILING_EMULATOR
  env;QEMU_LD_PREFIX=${root};QEMU_RESERVED_VA=0x4000000000;WAVESMITH_HIP_PATH=${root}/usr;qemu-aarch64-static)
