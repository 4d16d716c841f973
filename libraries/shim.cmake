# From libraries.tsv and one table a library, at configure time: a small library with AMD's name, soname and symbol versions.
# A library is a row of libraries.tsv (library, major versions of its soname, the first one first; the status that says "not
# supported", and its value) and a table <library>.tsv (symbol, version, status|served, the programs that import it).

# wavesmith_shim(LIBRARY MAJORS STATUS VALUE): the target of that name.
function(wavesmith_shim library majors status value)
  set(table ${CMAKE_CURRENT_SOURCE_DIR}/${library}.tsv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^[_a-zA-Z]")
  list(POP_FRONT rows)  # the heading
  set(code "#include \"libraries/answer.h\"\n\n")
  set(versions "")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^([^\t]+)\t([^\t]+)\t(status|served)\t([^\t]+)$")
      message(FATAL_ERROR "${table}: not symbol, version, status|served, programs: ${row}")
    endif()
    if(CMAKE_MATCH_3 STREQUAL "status")
      string(APPEND code "WAVESMITH_UNSERVED(${CMAKE_MATCH_1}, \"${status}\", ${value})\n")
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

  set(served ${CMAKE_CURRENT_SOURCE_DIR}/${library}.cc)
  if(NOT EXISTS ${served})
    set(served "")
  endif()
  string(REPLACE "," ";" majors "${majors}")
  list(POP_FRONT majors first)
  set(target shim_${library})
  add_library(${target} SHARED answer.cc ${source} ${served})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE wavesmith_warnings)
  target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti -ffunction-sections -Wno-deprecated-non-prototype)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${library} SOVERSION ${first} LINK_DEPENDS ${map}
    BUILD_WITH_INSTALL_RPATH ON)
  # Small: without C++'s library. A row that says `served` and has no function fails the link.
  target_link_options(${target} PRIVATE -nostdlib++ -s -Wl,--version-script=${map} -Wl,--no-undefined-version
    -Wl,--no-undefined -Wl,--gc-sections -Wl,-z,noseparate-code -Wl,-Bsymbolic)
  list(REMOVE_ITEM versions -)
  foreach(major IN LISTS majors)  # of other ROCm releases
    add_custom_command(TARGET ${target} POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink
      $<TARGET_FILE_NAME:${target}> $<TARGET_FILE_DIR:${target}>/lib${library}.so.${major} VERBATIM)
    wavesmith_forward(${target} lib${library}.so.${major} "${versions}")
  endforeach()
  wavesmith_forward(${target} lib${library}.so "${versions}")
endfunction()
