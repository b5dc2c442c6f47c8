/*===- fa-c/Runtime.h - Attention on the caller's stream and memory -------------===*\
 * The C interface of libFaRuntime.so: it loads what `fa-compile` wrote and enqueues
 * its kernels. It needs the CUDA driver and nothing else, and shares the device's
 * primary context, so that memory and streams of PyTorch, JAX or the CUDA runtime can
 * be passed as they are.
 *
 *   FaArtifact *artifact;  FaRegion *region;  FaScratch scratch;
 *   faArtifactOpen("attention.fa", 0, &artifact, &error);
 *   faArtifactRegion(artifact, NULL, &region, &error);
 *   faRegionScratch(region, arguments, 3, results, 1, &scratch, &error);
 *   faRegionRun(region, arguments, 3, results, 1, workspace, state, stream, &error);
 *
 * Every function that can fail returns an FaStatus and on failure sets `*error` to one
 * line of text: the caller frees it with faRuntimeFreeString. `error` may be NULL.
 * An artifact and its regions are used from one thread at a time.
\*===--------------------------------------------------------------------------===*/
#ifndef FA_C_RUNTIME_H
#define FA_C_RUNTIME_H

#include "fa-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this interface. A loader compares it with faRuntimeAbiVersion() first. */
#define FA_RUNTIME_ABI_VERSION 1

/** An artifact on a device. */
typedef struct FaArtifact FaArtifact;
/** A fused region of an artifact, with the program that fits the device. */
typedef struct FaRegion FaRegion;

/** Device memory that a run wants beside its operands, at least 256-byte aligned. */
typedef struct FaScratch {
  int64_t workspaceBytes; /**< undefined before and after a run; runs on one stream may share it */
  int64_t stateBytes;     /**< zeroed once by the caller; every run leaves it zero again */
} FaScratch;

uint32_t faRuntimeAbiVersion(void);
void faRuntimeFreeString(char *text);

/** Reads and checks the artifact in a file and opens device `device` (CUDA's ordinal).
 *  FA_STATUS_INPUT: unreadable or damaged file; FA_STATUS_REFUSED: no driver, no such device. */
FaStatus faArtifactOpen(const char *path, int32_t device, FaArtifact **artifact, char **error);
/** Also frees the artifact's regions. What was enqueued must have been finished. */
void faArtifactClose(FaArtifact *artifact);
int32_t faArtifactNumRegions(const FaArtifact *artifact);
/** "F.0", …; NULL if there is no such region. Lives as long as the artifact. */
const char *faArtifactRegionName(const FaArtifact *artifact, int32_t index);

/** Loads the kernels of the region called `name`; NULL: the only one. The driver compiles them if
 *  the artifact has no machine code for this chip, which can take seconds. The region lives as long
 * as the artifact. FA_STATUS_REFUSED: it was compiled for other chips, or the driver rejects it. */
FaStatus faArtifactRegion(FaArtifact *artifact, const char *name, FaRegion **region, char **error);
/** The schedule in words, for people. */
const char *faRegionSchedule(const FaRegion *region);

/** The memory that faRegionRun wants for these operands. */
FaStatus faRegionScratch(const FaRegion *region, const FaTensor *arguments, int32_t numArguments,
                         const FaTensor *results, int32_t numResults, FaScratch *scratch,
                         char **error);

/** Checks the operands (types, sizes, strides, alignment), enqueues the kernels on `stream` (a
 *  CUstream; NULL: the default stream) and returns. Tensors are in memory of the artifact's device.
 *  Waits for nothing and allocates no device memory, so that it may be captured into a graph. Every
 *  element of every result is written. */
FaStatus faRegionRun(FaRegion *region, const FaTensor *arguments, int32_t numArguments,
                     const FaTensor *results, int32_t numResults, void *workspace, void *state,
                     void *stream, char **error);

#ifdef __cplusplus
}
#endif

#endif /* FA_C_RUNTIME_H */
