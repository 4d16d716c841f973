# A library's other names as small libraries of their own, for places that cannot hold links: a wheel is a zip file. Each has
# its name as soname and needs the real library beside it, so a process has one copy whatever names it asks by.

# wavesmith_forward(TARGET NAME VERSIONS [CODE]): NAME ("libamdhip64.so.6") forwards to the library TARGET. A program looks for
# symbol versions in the library of the name it asks by: VERSIONS. CODE is C.
function(wavesmith_forward library name versions)
  string(MAKE_C_IDENTIFIER forward_${name} target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/forward)
  file(CONFIGURE OUTPUT ${folder}/${name}.c CONTENT "// Nothing but a name; ${library} has the functions.\n${ARGN}" @ONLY)
  add_library(${target} SHARED ${folder}/${name}.c)
  # Beside the library that it forwards to.
  get_target_property(beside ${library} WAVESMITH_FOLDER)
  if(NOT beside)
    set(beside "")
  endif()
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/forward${beside} PREFIX "" SUFFIX ""
    OUTPUT_NAME ${name} NO_SONAME ON LINKER_LANGUAGE C BUILD_WITH_INSTALL_RPATH ON)
  target_link_libraries(${target} PRIVATE -Wl,--no-as-needed ${library})
  target_link_options(${target} PRIVATE -nostdlib -Wl,-soname,${name} -Wl,--no-gc-sections)
  if(versions)
    set(script "")
    foreach(version IN LISTS versions)
      string(APPEND script "${version} { };\n")
    endforeach()
    file(CONFIGURE OUTPUT ${folder}/${name}.map CONTENT "${script}" @ONLY)
    target_link_options(${target} PRIVATE -Wl,--version-script=${folder}/${name}.map)
  endif()
  set_property(GLOBAL APPEND PROPERTY wavesmith_forwards${beside} ${target})
endfunction()
