//===- Machines.cpp - One row per machine ---------------------------------===//
//
// Sources: the vendor's architecture white papers and data sheets (A100 80 GB SXM, H100 SXM5, H200
// SXM, B200 in a DGX), dense rates. Where a figure is given as a range (A100: 1.94 to 2.04 TB/s) a
// round one inside it stands here.
//
//===----------------------------------------------------------------------===//

#include "fa/Machine/Machine.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <thread>

using namespace llvm;
using namespace mlir::fa;

static constexpr int64_t kKiB = 1024;
static constexpr int64_t kMiB = 1024 * kKiB;
static constexpr double kGiga = 1e9, kTera = 1e12;

/// The machine this process runs on. Cores and vector width are read from it; clock, bandwidth and
/// caches are nominal. Schedules depend on the nominal figures only, so that the same program gets
/// the same tiles everywhere.
static Machine makeHost() {
  StringMap<bool> features = sys::getHostCPUFeatures();
  int lanes = features.lookup("avx512f") ? 16 : features.lookup("avx") ? 8 : 4;
  int cores = std::max(1u, std::thread::hardware_concurrency());
  // Two fused multiply-adds per cycle.
  double peakF32 = cores * 3.0 * kGiga * lanes * 4;

  Machine host;
  host.name = "host";
  host.description = "this machine: its cores and vector width, nominal 3 GHz and 10 GB/s per core";
  host.fastBytes = kMiB;
  host.registers = 0;
  host.processors = cores;
  host.warpSize = 1;
  host.lastLevelBytes = 32 * kMiB;
  host.clock = 3.0 * kGiga;
  host.bandwidth = cores * 10.0 * kGiga;
  host.peakF64 = peakF32 / 2;
  host.peakF32 = peakF32;
  host.peakTF32 = 0;
  // Computed in f32 after widening.
  host.peakF16 = peakF32;
  host.sparseFactor = 1;
  return host;
}

ArrayRef<Machine> mlir::fa::getMachines() {
  // clang-format off
  static const Machine machines[] = {
      makeHost(),
      // name, card, description
      //   fast memory, registers, processors, warp, last level, clock, bandwidth
      //   f64, f32, tf32, f16, sparse
      {"sm_80", "a100", "NVIDIA A100 80 GB SXM",
       163 * kKiB, 65536, 108, 32, 40 * kMiB, 1.41 * kGiga, 2.0 * kTera,
       19.5 * kTera, 19.5 * kTera, 156 * kTera, 312 * kTera, 2},
      {"sm_90a", "h200", "NVIDIA H200 SXM",
       227 * kKiB, 65536, 132, 32, 50 * kMiB, 1.83 * kGiga, 4.8 * kTera,
       67 * kTera, 67 * kTera, 494.5 * kTera, 989 * kTera, 2},
      {"sm_90a", "h100", "NVIDIA H100 SXM",
       227 * kKiB, 65536, 132, 32, 50 * kMiB, 1.83 * kGiga, 3.35 * kTera,
       67 * kTera, 67 * kTera, 494.5 * kTera, 989 * kTera, 2},
      {"sm_100a", "b200", "NVIDIA B200",
       227 * kKiB, 65536, 148, 32, 126 * kMiB, 1.86 * kGiga, 8.0 * kTera,
       40 * kTera, 80 * kTera, 1125 * kTera, 2250 * kTera, 2},
  };
  // clang-format on
  return machines;
}
