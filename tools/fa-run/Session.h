//===- Session.h - One call of fa-run -------------------------------------===//
#ifndef FA_RUN_SESSION_H
#define FA_RUN_SESSION_H

#include "CommandLine.h"
#include "Failure.h"
#include "Report.h"

namespace fa_run {

/// Does what the options say. Throws Failure; `report` then holds what was known so far.
ExitCode runSession(const Options &options, Report &report);

} // namespace fa_run

#endif // FA_RUN_SESSION_H
