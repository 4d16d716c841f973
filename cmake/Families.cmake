# What isa/families.txt lists, for those who make something of every family.

set(families_list ${PROJECT_SOURCE_DIR}/isa/families.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${families_list})
file(STRINGS ${families_list} families_lines REGEX "^[a-z]")

# wavesmith_family(LINE HEADER NAME): the two words of a line.
macro(wavesmith_family line header name)
  if(NOT "${line}" MATCHES "^([a-z0-9_/]+) +([a-z0-9_]+)$")
    message(FATAL_ERROR "isa/families.txt: '${line}' is not a header and a name")
  endif()
  set(${header} ${CMAKE_MATCH_1})
  set(${name} ${CMAKE_MATCH_2})
endmacro()
