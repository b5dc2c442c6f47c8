//===- CrashReport.h - One line for a crash -------------------------------===//
#ifndef FA_RUN_CRASHREPORT_H
#define FA_RUN_CRASHREPORT_H

namespace fa_run {

/// From now on a crash ends the process with exit code 3 and one line, not with a core and nothing:
/// IR may divide by zero or index out of bounds, and the compiler may be wrong.
void reportCrashes();

/// While one lives, crashes are those of compiled code, the IR's own.
class InCompiledCode {
public:
  InCompiledCode();
  ~InCompiledCode();
};

} // namespace fa_run

#endif // FA_RUN_CRASHREPORT_H
