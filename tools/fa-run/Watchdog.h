//===- Watchdog.h - The end of a run that hangs ---------------------------===//
#ifndef FA_RUN_WATCHDOG_H
#define FA_RUN_WATCHDOG_H

namespace fa_run {

/// Ends the process with exit code 3 and one line after `seconds`, wherever it is: in compiled code
/// or waiting for a GPU.
void startWatchdog(double seconds);

/// The run is over; what follows (writing files) is not to be cut off.
void stopWatchdog();

} // namespace fa_run

#endif // FA_RUN_WATCHDOG_H
