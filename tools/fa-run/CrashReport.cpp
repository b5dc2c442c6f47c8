//===- CrashReport.cpp - One line for a crash -----------------------------===//

#include "CrashReport.h"
#include "Failure.h"
#include <atomic>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace fa_run {

static std::atomic<bool> isInCompiledCode{false};

static const char *describe(int signal) {
  switch (signal) {
  case SIGFPE:
    return "an integer was divided by zero (SIGFPE)";
  case SIGILL:
    return "an instruction that this CPU does not have (SIGILL)";
  case SIGABRT:
    return "it gave up (SIGABRT)";
  default:
    return "an address out of bounds, or a stack overflow (SIGSEGV)";
  }
}

static void put(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

static void onCrash(int signal) {
  put(isInCompiledCode ? "error: the program crashed: "
                       : "error: fa-run or its compiler crashed: ");
  put(describe(signal));
  put(isInCompiledCode ? "; check the indices, divisors and sizes of the IR\n"
                       : "; please report it, with the file and fa-run --collect-env\n");
  _exit(kRefused);
}

void reportCrashes() {
#ifdef FA_SANITIZED
  return; // the sanitizer says more
#endif
  // A stack of its own: the other one may be what is used up.
  static char stack[1 << 16];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

InCompiledCode::InCompiledCode() { isInCompiledCode = true; }
InCompiledCode::~InCompiledCode() { isInCompiledCode = false; }

} // namespace fa_run
