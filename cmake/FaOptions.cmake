# Every build option of the project.
option(FA_ENABLE_ASSERTIONS "Keep assert() in an optimised build" ON)
option(FA_BUILD_TESTS "Build and register the tests" ON)
set(FA_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, e.g. address,undefined")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(FA_CCACHE ccache)
if(FA_CCACHE)
  # Paths relative to the checkout let two checkouts share one cache.
  set(FA_CCACHE_LAUNCHER ${CMAKE_COMMAND} -E env
      "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" ${FA_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${FA_CCACHE_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FA_CCACHE_LAUNCHER})
endif()
