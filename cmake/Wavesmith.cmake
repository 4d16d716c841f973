# What every folder's CMakeLists.txt uses: one library a folder, one test program a folder.

add_library(wavesmith_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(wavesmith_warnings INTERFACE -Wall -Wextra -Wpedantic -Werror
    -Wno-gnu-anonymous-struct -Wno-nested-anon-types -Wno-vla-extension -Wno-c99-extensions -Wno-c++23-extensions -Wno-c2y-extensions -Wno-missing-field-initializers -Wno-missing-designated-field-initializers)
endif()

# The language's floating point, exactly as written: an emulator may not contract, reorder or assume.
add_compile_options(-ffp-contract=off -fno-strict-aliasing)

# Headers that nearly every file includes are read once for all: that is a third of what compiling takes. Files still
# include what they use; clang-tidy and the AArch64 build go without (CMAKE_DISABLE_PRECOMPILE_HEADERS).
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cc CONTENT "")
set(WAVESMITH_PRECOMPILED <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <deque> <filesystem> <fstream>
  <functional> <map> <memory> <mutex> <numeric> <optional> <random> <ranges> <set> <span> <string> <string_view>
  <unordered_map> <vector> <fmt/format.h>)
# wavesmith_precompiled(NAME LINK libraries... HEADERS headers...): a target whose precompiled headers others use again. A
# folder's own set adds headers that most of its files include anyway, for a change of one recompiles all that use the set.
function(wavesmith_precompiled name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  add_library(wavesmith_precompiled_${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(wavesmith_precompiled_${name} PRIVATE wavesmith_warnings ${ARG_LINK})
  target_precompile_headers(wavesmith_precompiled_${name} PRIVATE ${ARG_HEADERS})
endfunction()
wavesmith_precompiled(sources LINK wavesmith_fmt HEADERS ${WAVESMITH_PRECOMPILED})

# wavesmith_library(NAME SOURCES... LINK public dependencies... [PRECOMPILED name]): a static library from the folder's
# sources, with the precompiled headers of that name.
function(wavesmith_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED sources)
  endif()
  add_library(wavesmith_${name} STATIC ${ARG_SOURCES})
  target_include_directories(wavesmith_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(wavesmith_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK} wavesmith_warnings)
  target_precompile_headers(wavesmith_${name} REUSE_FROM wavesmith_precompiled_${ARG_PRECOMPILED})
endfunction()

# What a test may take, in seconds, and how many inputs the fuzzers try: an emulated processor takes its time.
set(WAVESMITH_TEST_TIMEOUT 300)
set(WAVESMITH_FUZZ_COUNT 3000)
set(WAVESMITH_SANITIZED OFF)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(WAVESMITH_SANITIZED ON)
  set(WAVESMITH_TEST_TIMEOUT 900)
endif()
if(CMAKE_CROSSCOMPILING)
  set(WAVESMITH_TEST_TIMEOUT 1800)
  set(WAVESMITH_FUZZ_COUNT 100)
endif()

# wavesmith_glob(VAR PATTERN): the files of this folder, its subfolders and theirs; those with a CMakeLists.txt list their own.
macro(wavesmith_glob var pattern)
  file(GLOB ${var} CONFIGURE_DEPENDS ${pattern} */${pattern} */*/${pattern})
  file(GLOB apart CONFIGURE_DEPENDS */CMakeLists.txt */*/CMakeLists.txt)
  foreach(list IN LISTS apart)
    cmake_path(GET list PARENT_PATH subfolder)
    list(FILTER ${var} EXCLUDE REGEX "^${subfolder}/")
  endforeach()
endmacro()

# wavesmith_tests(NAME LINK libraries... [PRECOMPILED name] [PROPERTIES of each test...]): one program from every *_test.cc of
# this folder and its subfolders.
function(wavesmith_tests name)
  if(NOT WAVESMITH_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "PRECOMPILED" "LINK;SOURCES;PROPERTIES" ${ARGN})
  if(NOT ARG_SOURCES)
    wavesmith_glob(ARG_SOURCES *_test.cc)
  endif()
  if(NOT ARG_SOURCES)
    return()
  endif()
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED tests)
  endif()
  if(NOT TARGET wavesmith_precompiled_tests)
    wavesmith_precompiled(tests LINK wavesmith_fmt GTest::gtest HEADERS ${WAVESMITH_PRECOMPILED} <gtest/gtest.h>)
    target_compile_options(wavesmith_precompiled_tests PRIVATE -fPIE)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_precompile_headers(${name}_test REUSE_FROM wavesmith_precompiled_${ARG_PRECOMPILED})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINK} GTest::gtest_main wavesmith_warnings)
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT ${WAVESMITH_TEST_TIMEOUT}
    PROPERTIES TIMEOUT ${WAVESMITH_TEST_TIMEOUT} ${ARG_PROPERTIES})
endfunction()

# wavesmith_sources(VAR): every *.cc of this folder and its subfolders that is not a test.
macro(wavesmith_sources var)
  wavesmith_glob(${var} *.cc)
  list(FILTER ${var} EXCLUDE REGEX "_test\\.cc$")
endmacro()
