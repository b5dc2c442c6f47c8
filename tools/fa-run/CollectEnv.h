//===- CollectEnv.h - What a bug report needs to say ----------------------===//
#ifndef FA_RUN_COLLECTENV_H
#define FA_RUN_COLLECTENV_H

#include "Report.h"

namespace fa_run {

/// Versions of this program and the compiler, the system, CPU, driver and GPUs. What is missing is
/// said, not an error.
void collectEnv(Report &report);

} // namespace fa_run

#endif // FA_RUN_COLLECTENV_H
