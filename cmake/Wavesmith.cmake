# What every folder's CMakeLists.txt uses: one library a folder, one test program a folder.

add_library(wavesmith_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(wavesmith_warnings INTERFACE -Wall -Wextra -Wpedantic -Werror
    -Wno-gnu-anonymous-struct -Wno-nested-anon-types -Wno-vla-extension -Wno-c99-extensions -Wno-c++23-extensions -Wno-c2y-extensions -Wno-missing-field-initializers -Wno-missing-designated-field-initializers)
endif()

# The language's floating point, exactly as written: an emulator may not contract, reorder or assume.
add_compile_options(-ffp-contract=off -fno-strict-aliasing)

# wavesmith_library(NAME SOURCES... LINK public dependencies...): a static library from the folder's sources.
function(wavesmith_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(wavesmith_${name} STATIC ${ARG_SOURCES})
  target_include_directories(wavesmith_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(wavesmith_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK} wavesmith_warnings)
endfunction()

# What a test may take, in seconds, and how many inputs the fuzzers try: an emulated processor takes its time.
set(WAVESMITH_TEST_TIMEOUT 300)
set(WAVESMITH_FUZZ_COUNT 3000)
if(CMAKE_CROSSCOMPILING)
  set(WAVESMITH_TEST_TIMEOUT 1800)
  set(WAVESMITH_FUZZ_COUNT 100)
endif()

# wavesmith_tests(NAME LINK libraries...): one program from every *_test.cc of this folder.
function(wavesmith_tests name)
  if(NOT WAVESMITH_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LINK;SOURCES" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS *_test.cc)
  endif()
  if(NOT ARG_SOURCES)
    return()
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_LINK} GTest::gtest_main wavesmith_warnings)
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT ${WAVESMITH_TEST_TIMEOUT}
    PROPERTIES TIMEOUT ${WAVESMITH_TEST_TIMEOUT})
endfunction()

# wavesmith_sources(VAR): every *.cc of this folder that is not a test.
macro(wavesmith_sources var)
  file(GLOB ${var} CONFIGURE_DEPENDS *.cc)
  list(FILTER ${var} EXCLUDE REGEX "_test\\.cc$")
endmacro()
