# What users get: the command, the libraries, and a CMake package. `product` builds just these.
#
#   find_package(wavesmith REQUIRED)
#   target_link_libraries(my_hip_program PRIVATE wavesmith::amdhip64)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A folder of their own: other programs on the machine keep finding ROCm's libraries, if there are any.
set(library_folder ${CMAKE_INSTALL_LIBDIR}/wavesmith)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/wavesmith)

add_custom_target(product)
# What running a program that needs no library but HIP's takes: `make run` builds this first, the rest when it is asked for.
add_custom_target(runner DEPENDS wavesmith amdhip64 wavesmith_rocm_preload wavesmith_standby_preload)
set(libraries)
foreach(target wavesmith amdhip64 hiprtc amd_comgr)
  if(TARGET ${target})
    add_dependencies(product ${target})
    if(NOT target STREQUAL "wavesmith")
      list(APPEND libraries ${target})
    endif()
  endif()
endforeach()

# The measured tables that `wavesmith validate` judges by.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/validate/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/wavesmith/validate)
# The programs that it compiles and runs under modelled time.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/validate/mi300a ${PROJECT_SOURCE_DIR}/validate/cdna4_fp8
  DESTINATION ${CMAKE_INSTALL_DATADIR}/wavesmith/validate)

install(TARGETS wavesmith RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${libraries} EXPORT wavesmith LIBRARY DESTINATION ${library_folder})
foreach(target ${libraries})
  # The links of HIP's other major versions.
  install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/ DESTINATION ${library_folder}
    FILES_MATCHING PATTERN "lib${target}.so.[0-9]")
endforeach()
foreach(shim ${WAVESMITH_SHIMS})
  add_dependencies(product ${shim})
  get_target_property(library ${shim} OUTPUT_NAME)
  get_target_property(beside ${shim} WAVESMITH_FOLDER)
  if(NOT beside)
    set(beside "")
  endif()
  install(TARGETS ${shim} LIBRARY DESTINATION ${library_folder}${beside})
  install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}${beside}/ DESTINATION ${library_folder}${beside}
    FILES_MATCHING PATTERN "lib${library}.so.[0-9]")
endforeach()
# The kernel library, its code objects and its headers, for C and C++: wavesmith::kernels.
add_dependencies(product wavesmith_kernels)
set_target_properties(wavesmith_kernels PROPERTIES EXPORT_NAME kernels)
install(TARGETS wavesmith_kernels EXPORT wavesmith LIBRARY DESTINATION ${library_folder}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/kernels DESTINATION ${library_folder} FILES_MATCHING PATTERN "*.co")
file(GLOB kernel_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/wavesmith_*.h
  ${PROJECT_SOURCE_DIR}/kernels/wavesmith_*.hpp)
install(FILES ${kernel_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
add_dependencies(product wavesmith_rocm_preload wavesmith_standby_preload)
install(TARGETS wavesmith_rocm_preload wavesmith_standby_preload LIBRARY DESTINATION ${library_folder})
install(EXPORT wavesmith NAMESPACE wavesmith:: FILE wavesmith-targets.cmake DESTINATION ${package_folder})
file(WRITE ${PROJECT_BINARY_DIR}/wavesmith-config.cmake
  "include(\"\${CMAKE_CURRENT_LIST_DIR}/wavesmith-targets.cmake\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wavesmith-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wavesmith-config.cmake ${PROJECT_BINARY_DIR}/wavesmith-config-version.cmake
  DESTINATION ${package_folder})
