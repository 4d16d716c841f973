# From libraries.tsv and one table a library, at configure time: a small library with AMD's name, soname and symbol versions.
# A library is a row of libraries.tsv (library, major versions of its soname, the first one first; the status that says "not
# supported", and its value; the libraries that AMD's needs, through which programs find them) and a table <library>.tsv (symbol, version, status|quiet|served, the programs that import it).

# What the libraries' files include, compiled as theirs are.
set(shim_options -fno-exceptions -fno-rtti -ffunction-sections -Wno-deprecated-non-prototype)
wavesmith_precompiled(shims HEADERS <algorithm> <atomic> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <mutex>
  <string> <type_traits> <vector>)
target_compile_options(wavesmith_precompiled_shims PRIVATE ${shim_options})

# wavesmith_shim(LIBRARY MAJORS STATUS VALUE NEEDS): the target of that name.
function(wavesmith_shim library majors status value needs)
  file(GLOB table ${CMAKE_CURRENT_SOURCE_DIR}/*/${library}.tsv)
  cmake_path(GET table PARENT_PATH folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^[_a-zA-Z]")
  list(POP_FRONT rows)  # the heading
  set(code "#include \"libraries/shim/unserved.h\"\n\n")
  set(versions "")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^([^\t]+)\t([^\t]+)\t(status|quiet|served)\t([^\t]+)$")
      message(FATAL_ERROR "${table}: not symbol, version, status|quiet|served, programs: ${row}")
    endif()
    if(CMAKE_MATCH_3 STREQUAL "status")
      string(APPEND code "WAVESMITH_UNSERVED(${CMAKE_MATCH_1}, \"${status}\", ${value})\n")
    elseif(CMAKE_MATCH_3 STREQUAL "quiet")
      string(APPEND code "WAVESMITH_QUIET(${CMAKE_MATCH_1}, ${value})\n")
    endif()
    set(version ${CMAKE_MATCH_2})
    if(NOT version IN_LIST versions)
      list(APPEND versions ${version})
    endif()
    string(APPEND functions_${version} "    ${CMAKE_MATCH_1};\n")
  endforeach()
  set(script "")
  set(others "  local:\n    *;\n")
  foreach(version IN LISTS versions)
    set(name "${version} ")
    if(version STREQUAL "-")
      set(name "")
    endif()
    string(APPEND script "${name}{\n  global:\n${functions_${version}}${others}};\n")
    set(others "")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${library}_unserved.cc)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${library}.map)
  file(CONFIGURE OUTPUT ${source} CONTENT "${code}" @ONLY)
  file(CONFIGURE OUTPUT ${map} CONTENT "${script}" @ONLY)

  set(served ${folder}/${library}.cc)
  if(NOT EXISTS ${served})
    set(served "")
  endif()
  string(REPLACE "," ";" majors "${majors}")
  list(POP_FRONT majors first)
  set(target shim_${library})
  add_library(${target} SHARED shim/unserved.cc ${source} ${served})
  if(needs MATCHES "amdhip64")
    target_sources(${target} PRIVATE shim/work.cc)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE wavesmith_warnings)
  target_compile_definitions(${target} PRIVATE WAVESMITH_LIBRARY="${library}")
  target_compile_options(${target} PRIVATE ${shim_options})
  target_precompile_headers(${target} REUSE_FROM wavesmith_precompiled_shims)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${library} SOVERSION ${first} LINK_DEPENDS ${map}
    BUILD_WITH_INSTALL_RPATH ON)
  # Behind the runtime, in a folder of their own, so that AMD's can come first; but for those that always stand in.
  if(NOT library IN_LIST WAVESMITH_ALWAYS_OURS)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/stand-ins
      INSTALL_RPATH "$ORIGIN;$ORIGIN/.." WAVESMITH_FOLDER /stand-ins)
    # An earlier build's, which would hide AMD's.
    file(GLOB earlier ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${library}.so*)
    if(earlier)
      file(REMOVE ${earlier})
    endif()
  endif()
  # A row that says `served` and has no function fails the link.
  target_link_options(${target} PRIVATE -s -Wl,--as-needed -Wl,--version-script=${map} -Wl,--no-undefined-version
    -Wl,--no-undefined -Wl,--gc-sections -Wl,-z,noseparate-code -Wl,-Bsymbolic)
  if(NOT needs STREQUAL "-")
    string(REPLACE "," ";" needs "${needs}")
    list(TRANSFORM needs PREPEND shim_)
    list(TRANSFORM needs REPLACE "^shim_amdhip64$" amdhip64)
    target_link_libraries(${target} PRIVATE -Wl,--no-as-needed ${needs} -Wl,--as-needed)
  endif()
  list(REMOVE_ITEM versions -)
  foreach(major IN LISTS majors)  # of other ROCm releases
    add_custom_command(TARGET ${target} POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink
      $<TARGET_FILE_NAME:${target}> $<TARGET_FILE_DIR:${target}>/lib${library}.so.${major} VERBATIM)
    wavesmith_forward(${target} lib${library}.so.${major} "${versions}")
  endforeach()
  wavesmith_forward(${target} lib${library}.so "${versions}")
endfunction()
