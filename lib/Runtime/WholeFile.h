//===- WholeFile.h - Files that are read and written as a whole -----------===//
#ifndef FA_RUNTIME_WHOLEFILE_H
#define FA_RUNTIME_WHOLEFILE_H

#include "Runtime/Expected.h"
#include <string>
#include <string_view>

namespace fa_runtime {

/// Everything in the file; "-" is standard input. A pipe works too.
Expected<std::string> readWholeFile(const std::string &path);

/// Writes a new file beside `path` and renames it: afterwards `path` holds either what it held
/// before or all of `bytes`, also after a crash or on a full disk. A device or pipe, such as
/// /dev/stdout, is written directly.
Status writeWholeFile(const std::string &path, std::string_view bytes);

/// Whether writeWholeFile could create its file there: asked before long work.
Status checkWritable(const std::string &path);

} // namespace fa_runtime

#endif // FA_RUNTIME_WHOLEFILE_H
