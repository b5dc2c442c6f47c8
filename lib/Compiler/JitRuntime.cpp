//===- JitRuntime.cpp -----------------------------------------------------===//

#include "JitRuntime.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_set>

namespace {
/// Every block that compiled code holds. Worker threads allocate too, so the set is split by
/// address to keep them from waiting for each other.
class LiveBlocks {
public:
  void insert(void *block) {
    Shard &shard = getShard(block);
    std::lock_guard<std::mutex> lock(shard.mutex);
    shard.blocks.insert(block);
  }

  /// Whether `block` was live.
  bool erase(void *block) {
    Shard &shard = getShard(block);
    std::lock_guard<std::mutex> lock(shard.mutex);
    return shard.blocks.erase(block);
  }

  void freeAll() {
    for (Shard &shard : shards) {
      for (void *block : shard.blocks)
        std::free(block);
      shard.blocks.clear();
    }
  }

private:
  struct Shard {
    std::mutex mutex;
    std::unordered_set<void *> blocks;
  };
  Shard &getShard(void *block) {
    return shards[(reinterpret_cast<uintptr_t>(block) >> 6) % shards.size()];
  }
  std::array<Shard, 16> shards;
};

LiveBlocks liveBlocks;
std::mutex runMutex;
/// Where a run that fails goes; set on the thread that called `runCompiledCode` only.
thread_local std::jmp_buf *runExit = nullptr;
std::string lastText;
FaStatus lastStatus;
const mlir::fa::LaunchFunction *activeLaunch = nullptr;
} // namespace

/// Ends the run with `text`. Compiled frames hold no destructors, so jumping over them is sound; a
/// worker thread has nowhere to jump to, and ends the process instead.
[[noreturn]] static void failRun(FaStatus status, const std::string &text) {
  if (runExit) {
    lastText = text;
    lastStatus = status;
    std::longjmp(*runExit, 1);
  }
  std::fprintf(stderr, "error: %s\n", text.c_str());
  std::_Exit(status);
}

static void *track(void *block, size_t size) {
  if (!block) {
    failRun(FA_STATUS_REFUSED,
            "out of memory: the program asked for " + std::to_string(size) + " bytes");
  }
  liveBlocks.insert(block);
  return block;
}

// Compiled code may divide a size of 0 by an alignment, but never needs NULL.
static void *jitMalloc(size_t size) { return track(std::malloc(size ? size : 1), size); }

static void *jitAlignedAlloc(size_t alignment, size_t size) {
  void *block = nullptr;
  if (posix_memalign(&block, std::max(alignment, sizeof(void *)), size ? size : 1))
    block = nullptr;
  return track(block, size);
}

// Constants and arguments are not ours to free.
static void jitFree(void *block) {
  if (liveBlocks.erase(block))
    std::free(block);
}

// cf.assert prints its message, then aborts.
static int jitPuts(const char *text) {
  lastText = text;
  return 0;
}

static void jitAbort() {
  failRun(FA_STATUS_INPUT,
          "an assertion of the IR failed: " + (lastText.empty() ? "no message" : lastText));
}

/// memref.copy between buffers that are not dense.
static void jitMemrefCopy(int64_t elementSize, UnrankedMemRefType<char> *from,
                          UnrankedMemRefType<char> *to) {
  DynamicMemRefType<char> source(*from), target(*to);
  if (llvm::is_contained(llvm::ArrayRef(source.sizes, source.rank), 0))
    return;
  std::vector<int64_t> index(source.rank, 0);
  const char *read = source.data + source.offset * elementSize;
  char *write = target.data + target.offset * elementSize;
  while (true) {
    std::memcpy(write, read, elementSize);
    int64_t dim = source.rank - 1;
    for (; dim >= 0; --dim) {
      read += source.strides[dim] * elementSize;
      write += target.strides[dim] * elementSize;
      if (++index[dim] < source.sizes[dim])
        break;
      read -= source.sizes[dim] * source.strides[dim] * elementSize;
      write -= target.sizes[dim] * target.strides[dim] * elementSize;
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

static void jitLaunch(int64_t number, StridedMemRefType<int64_t, 1> *words) {
  if (const char *failure = (*activeLaunch)(number, words->data))
    failRun(FA_STATUS_REFUSED, failure);
}

llvm::Error mlir::fa::runCompiledCode(const std::function<void()> &function,
                                      const std::function<llvm::Error()> &collect,
                                      const LaunchFunction &launch) {
  std::lock_guard<std::mutex> lock(runMutex);
  std::jmp_buf exit;
  lastText.clear();
  activeLaunch = &launch;
  lastStatus = FA_STATUS_OK;
  llvm::Error failure = llvm::Error::success();
  if (setjmp(exit) == 0) {
    runExit = &exit;
    function();
    runExit = nullptr;
    failure = collect();
  }
  runExit = nullptr;
  liveBlocks.freeAll();
  if (lastStatus != FA_STATUS_OK)
    failure = llvm::make_error<CompilerError>(lastStatus, lastText);
  return failure;
}

std::vector<std::pair<llvm::StringRef, void *>> mlir::fa::getJitSymbols() {
  return {{"malloc", reinterpret_cast<void *>(&jitMalloc)},
          {"aligned_alloc", reinterpret_cast<void *>(&jitAlignedAlloc)},
          {"free", reinterpret_cast<void *>(&jitFree)},
          {"puts", reinterpret_cast<void *>(&jitPuts)},
          {"abort", reinterpret_cast<void *>(&jitAbort)},
          {"_mlir_ciface_fa.launch", reinterpret_cast<void *>(&jitLaunch)},
          {"memrefCopy", reinterpret_cast<void *>(&jitMemrefCopy)}};
}
