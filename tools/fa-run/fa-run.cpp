//===- fa-run.cpp - Runs IR and artifacts ---------------------------------===//

#include "Session.h"
#include <algorithm>
#include <cstdio>
#include <new>

using namespace fa_run;

/// One line on stderr, and in JSON the same on stdout.
static int reportFailure(const Failure &failure, Report *report) {
  std::string text = failure.text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  fprintf(stderr, "error: %s\n", text.c_str());
  if (report) {
    report->fields["error"] = text;
    report->fields["exitCode"] = static_cast<int>(failure.code);
    report->finish();
  }
  return failure.code;
}

int main(int argc, char **argv) {
  Options options;
  try {
    options = parseCommandLine(argc, argv);
  } catch (const Failure &failure) {
    return reportFailure(failure, nullptr);
  }
  Report report(options.isJson);
  try {
    ExitCode code = runSession(options, report);
    report.fields["exitCode"] = static_cast<int>(code);
    report.finish();
    return code;
  } catch (const Failure &failure) {
    return reportFailure(failure, &report);
  } catch (const std::bad_alloc &) {
    return reportFailure({kRefused, "out of memory"}, &report);
  }
}
