# What we ship needs nothing but the C and C++ libraries: it is loaded into other people's processes, and into Python
# environments on machines without our build's packages. So archives are preferred to shared libraries.

find_library(zstd_archive libzstd.a)
find_library(zlib_archive libz.a)
if(zlib_archive)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
find_package(ZLIB REQUIRED)
find_package(LLVM 22.1 REQUIRED CONFIG)

# LLVM's own archives name the shared library.
if(zstd_archive AND TARGET zstd::libzstd_shared)
  set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${zstd_archive})
  add_library(wavesmith_zstd ALIAS zstd::libzstd_shared)
else()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
  add_library(wavesmith_zstd ALIAS PkgConfig::zstd)
endif()

# msgpack's C library has two names: libmsgpackc till version 5.
find_library(msgpack_library NAMES libmsgpack-c.a libmsgpackc.a msgpack-c msgpackc REQUIRED)
find_path(msgpack_headers msgpack.h REQUIRED)
add_library(wavesmith_msgpack UNKNOWN IMPORTED)
set_target_properties(wavesmith_msgpack PROPERTIES IMPORTED_LOCATION ${msgpack_library}
  INTERFACE_INCLUDE_DIRECTORIES ${msgpack_headers})

# Debian's fmt has no archive, but its sources are in the headers.
find_package(fmt REQUIRED)
get_target_property(fmt_type fmt::fmt TYPE)
if(fmt_type STREQUAL "SHARED_LIBRARY" AND fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(wavesmith_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cc)
  foreach(what INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
    get_target_property(value fmt::fmt INTERFACE_${what})
    set_target_properties(wavesmith_fmt PROPERTIES ${what} "${value}" INTERFACE_${what} "${value}")
  endforeach()
else()
  add_library(wavesmith_fmt ALIAS fmt::fmt)
endif()

# What nothing refers to is left out, Z3 among it, which LLVM can do without.
add_link_options(-Wl,--gc-sections -Wl,--as-needed)
