# SPDX-License-Identifier: Apache-2.0
# Compiler settings and the few helpers that the folders share.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g3")
add_compile_definitions(_GNU_SOURCE $<$<CONFIG:Debug>:CRU_DEBUG>) # a debug build checks what costs time
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wmissing-prototypes -Wstrict-prototypes
                    -Wvla -Werror -fno-math-errno)
# `omp simd` is a wish: where clang cannot vectorise a loop, that is no fault of the source.
add_compile_options($<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)

# One layout for the build tree and for an installed tree, so that the program finds its plugins the same way in both.
set(CRUCIBLE_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/crucible/plugins)
set(CRUCIBLE_SHARE_DIR ${CMAKE_INSTALL_DATADIR}/crucible)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_BINDIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/static)
file(RELATIVE_PATH crucible_lib_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(CMAKE_BUILD_WITH_INSTALL_RPATH OFF)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

if(CRUCIBLE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(CRUCIBLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link) # the fuzzer steers by the branches taken in the code under test
endif()
if(CRUCIBLE_COVERAGE)
  add_compile_options(--coverage -O0)
  add_link_options(--coverage)
endif()
if(CRUCIBLE_LTO)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)

# crucible_plugin(<name> <kind folder> <source>... [LIBS <library>...]): one loadable module that sees the SDK and
# nothing of the host. Plugins that pull heavy libraries are a component of their own, and so a package.
set(crucible_components algorithms-xgb-graph:xgboost algorithms-xgbod:xgboost datasets-mat:matlab datasets-mat-pll:matlab
  datasets-linkx:matlab)
function(crucible_plugin name kind)
  cmake_parse_arguments(arg "" "" "LIBS" ${ARGN})
  set(target ${kind}-${name})
  add_library(${target} MODULE ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE crucible ${arg_LIBS})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CRUCIBLE_PLUGIN_DIR}/${kind}
    INSTALL_RPATH "$ORIGIN/../../..")
  set(component runtime)
  foreach(pair ${crucible_components})
    if(pair MATCHES "^${target}:(.*)")
      set(component ${CMAKE_MATCH_1})
    endif()
  endforeach()
  install(TARGETS ${target} LIBRARY DESTINATION ${CRUCIBLE_PLUGIN_DIR}/${kind} COMPONENT ${component})
  set_property(GLOBAL APPEND PROPERTY crucible_${kind} ${target}) # for tests that need all plugins of a kind
endfunction()

# crucible_common(<library> <folder> [<library>...]): what the plugins of a folder share, one static library of its .c files
# and those one folder below; nothing where there are none.
function(crucible_common library folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*/*.c)
  if(sources)
    file(GLOB rooms LIST_DIRECTORIES true ${folder}/*)
    list(FILTER rooms EXCLUDE REGEX "\\.[ch]$")
    add_library(${library} STATIC ${sources})
    target_include_directories(${library} PUBLIC ${folder} ${rooms})
    target_link_libraries(${library} PUBLIC crucible ${ARGN})
  endif()
endfunction()

# crucible_plugin_folder(<folder> <kind folder> [<library>...]): the plugin named after the folder, from its .c files; its
# own CMakeLists.txt where it needs a library of its own. Files beside <name>.c become the library <name>-parts, so that
# tests can call them.
function(crucible_plugin_folder folder kind)
  get_filename_component(name ${folder} NAME)
  if(EXISTS ${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
    return()
  endif()
  file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.c)
  list(REMOVE_ITEM parts ${folder}/${name}.c)
  set(libs ${ARGN})
  if(parts)
    add_library(${name}-parts STATIC ${parts})
    target_include_directories(${name}-parts PUBLIC ${folder})
    target_link_libraries(${name}-parts PUBLIC crucible ${ARGN})
    set_property(GLOBAL APPEND PROPERTY crucible_${kind}_parts ${name}-parts)
    set(libs ${name}-parts ${libs})
  endif()
  crucible_plugin(${name} ${kind} ${folder}/${name}.c LIBS ${libs})
endfunction()

# crucible_plugins(<kind folder> <folder> [<library>...]): every .c file of the folder is a plugin named after it, and so is
# every folder in it that holds a .c file of its own name.
function(crucible_plugins kind folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    crucible_plugin(${name} ${kind} ${source} LIBS ${ARGN})
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(home ${source} DIRECTORY)
    if(home STREQUAL ${folder}/${name})
      crucible_plugin_folder(${home} ${kind} ${ARGN})
    endif()
  endforeach()
endfunction()

# crucible_add_folders(): descends into every folder below that brings a CMakeLists.txt.
function(crucible_add_folders)
  file(GLOB lists CONFIGURE_DEPENDS */CMakeLists.txt)
  foreach(list ${lists})
    get_filename_component(folder ${list} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()
