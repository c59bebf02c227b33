# The libraries of an installation in FOLDER/lib64, as targets: this file lies in FOLDER/share/cmake/ascendcl.
#
#   find_package(ascendcl REQUIRED)
#   target_link_libraries(program ascendcl::acl_rt ascendcl::acl_mdl)
#
# Each library that is there is a target under its name without `lib`. FOLDER/include is on the targets' include path if it
# is there.

get_filename_component(ascendcl_HOME "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(ascendcl_LIBRARIES)
file(GLOB ascendcl_files "${ascendcl_HOME}/lib64/lib*.so")
foreach(ascendcl_file IN LISTS ascendcl_files)
  get_filename_component(ascendcl_name "${ascendcl_file}" NAME_WE)
  string(REGEX REPLACE "^lib" "ascendcl::" ascendcl_target "${ascendcl_name}")
  if(NOT TARGET ${ascendcl_target})
    add_library(${ascendcl_target} SHARED IMPORTED)
    # All are one file, which has this name.
    set_target_properties(${ascendcl_target} PROPERTIES
      IMPORTED_LOCATION "${ascendcl_file}" IMPORTED_SONAME libascendcl.so)
    if(IS_DIRECTORY "${ascendcl_HOME}/include")
      target_include_directories(${ascendcl_target} INTERFACE "${ascendcl_HOME}/include")
    endif()
  endif()
  list(APPEND ascendcl_LIBRARIES ${ascendcl_target})
endforeach()
unset(ascendcl_files)

if(NOT TARGET ascendcl::ascendcl)
  set(ascendcl_FOUND FALSE)
  set(ascendcl_NOT_FOUND_MESSAGE "${ascendcl_HOME}/lib64/libascendcl.so is not there.")
endif()
