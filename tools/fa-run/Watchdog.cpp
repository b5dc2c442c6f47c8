//===- Watchdog.cpp - The end of a run that hangs -------------------------===//

#include "Watchdog.h"
#include "Failure.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/time.h>
#include <unistd.h>

namespace fa_run {

/// Made beforehand: a signal handler may not format.
static char message[128];

static void onAlarm(int) {
  ssize_t ignored = write(STDERR_FILENO, message, strlen(message));
  (void)ignored;
  _exit(kRefused);
}

static void setTimer(double seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void startWatchdog(double seconds) {
  snprintf(message, sizeof message, "error: the run took more than %g s, ended by --timeout\n",
           seconds);
  struct sigaction action = {};
  action.sa_handler = onAlarm;
  sigaction(SIGALRM, &action, nullptr);
  // The timer counts microseconds; 0 would switch it off.
  setTimer(seconds < 1e-6 ? 1e-6 : seconds);
}

void stopWatchdog() { setTimer(0); }

} // namespace fa_run
