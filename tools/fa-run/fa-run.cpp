//===- fa-run.cpp - Runs IR and artifacts ---------------------------------===//

#include "CrashReport.h"
#include "Runtime/WholeFile.h"
#include "Session.h"
#include <algorithm>
#include <cstdio>
#include <new>
#include <stdexcept>

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

/// Whether all that was printed arrived: on a full disk, stdout says so at the end only.
static bool isPrinted() { return fflush(stdout) == 0 && !ferror(stdout); }

int main(int argc, char **argv) {
  fa_runtime::removePendingFilesOnSignals();
  reportCrashes();
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
    return isPrinted() ? code : reportFailure({kBadInput, "cannot write to stdout"}, nullptr);
  } catch (const Failure &failure) {
    return reportFailure(failure, &report);
  } catch (const std::bad_alloc &) {
    return reportFailure({kRefused, "out of memory"}, &report);
  } catch (const std::length_error &) {
    return reportFailure({kRefused, "out of memory: an array would be too large"}, &report);
  }
}
