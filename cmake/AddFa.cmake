# The only place that knows how MLIR and LLVM are linked: as the two shared libraries that Debian
# builds. Naming a static MLIR archive beside them puts two copies into one process.

set(CMAKE_BUILD_RPATH "${LLVM_LIBRARY_DIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib;${LLVM_LIBRARY_DIR}")
# -fPIC everywhere, executables too: all share one precompiled header.
add_compile_options(-fPIC)

# One precompiled header for all libraries: MLIR's headers are most of the compile time.
set(FA_PCH_SOURCE "${CMAKE_BINARY_DIR}/FaPch.cpp")
if(NOT EXISTS "${FA_PCH_SOURCE}")
  file(WRITE "${FA_PCH_SOURCE}" "")
endif()
add_library(FaPch OBJECT "${FA_PCH_SOURCE}")
llvm_update_compile_flags(FaPch)
target_precompile_headers(FaPch PRIVATE "${CMAKE_SOURCE_DIR}/cmake/FaPch.h")
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(FaPch PRIVATE -Xclang -fno-pch-timestamp)
endif()

# add_fa_library(NAME sources… [TABLEGEN targets…] [LIBS libraries…])
# A compiler library; LIBS lists the project's own libraries it may call.
function(add_fa_library name)
  cmake_parse_arguments(ARG "" "" "TABLEGEN;LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  fa_compile_like_llvm(${name})
  add_dependencies(${name} FaTablegen ${ARG_TABLEGEN})
  target_link_libraries(${name} PUBLIC ${ARG_LIBS} MLIR LLVM)
endfunction()

# add_fa_tool(NAME sources… [LIBS libraries…])
# A compiler tool in build/bin.
function(add_fa_tool name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  fa_compile_like_llvm(${name})
  add_dependencies(${name} FaTablegen)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} MLIR LLVM)
endfunction()

# add_fa_module(NAME sources… [LIBS libraries…])
# A shared library in build/lib that another program loads: the plugin, the compiler for fa-run.
function(add_fa_module name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  fa_compile_like_llvm(${name})
  add_dependencies(${name} FaTablegen)
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} MLIR LLVM)
endfunction()

# add_fa_runtime_library(NAME sources… [LIBS libraries…])
# A library without MLIR and LLVM: plain C++17. Its headers are "Runtime/….h".
function(add_fa_runtime_library name)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}/lib")
  target_link_libraries(${name} PUBLIC ${ARG_LIBS} ${CMAKE_DL_LIBS})
endfunction()

function(fa_compile_like_llvm name)
  llvm_update_compile_flags(${name})
  target_precompile_headers(${name} REUSE_FROM FaPch)
endfunction()
