/*===- fa-c/Compiler.h - From IR text to something that runs -----------------===*\
 * The C interface of libFaCompiler.so. `fa-run` loads the library with dlopen, so
 * that the program itself needs no LLVM; anything else may link it.
 *
 * A program is compiled once and run as often as one likes, from one thread at a
 * time. Several programs may live side by side (`fa-run --verify` holds three).
 *
 * Every function that can fail returns an FaStatus, whose value is the exit code
 * that goes with it, and on failure sets `*error` to one line of text: the caller
 * frees it with faCompilerFreeString. `error` may be NULL.
\*===--------------------------------------------------------------------------===*/
#ifndef FA_C_COMPILER_H
#define FA_C_COMPILER_H

#include "fa-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this interface. A loader compares it with faCompilerAbiVersion() before anything
 *  else, and refuses another one. */
#define FA_COMPILER_ABI_VERSION 1

/** The type of one argument or result. */
typedef struct FaValueType {
  int32_t dtype; /**< FaDType */
  int32_t rank;
  const int64_t *dims; /**< `rank` sizes, -1 where the IR leaves it to run time */
  int32_t isScalar;    /**< 1 if the IR has a scalar here, not a tensor of rank 0 */
  const char *name;    /**< "arg0", "res0", … */
} FaValueType;

/** Called once per remark while compiling: `kind` is "passed", "missed", "failed" or "analysis". */
typedef void (*FaRemarkCallback)(void *userData, const char *kind, const char *text);

enum { FA_FUSE_OFF = 0, FA_FUSE_ON = 1 };

enum {
  FA_PRECISION_AS_WRITTEN = 0,
  /** Every float is f64 with f32's range: the reference that errors are measured against. Arguments
   *  are still passed in the types of the IR, results come back as f64. Never fused. */
  FA_PRECISION_F64_REFERENCE = 1
};

enum {
  FA_DEVICE_CPU = 0,
  /** Fused regions are handed to `FaRunOptions.launch`, the rest runs on the CPU. */
  FA_DEVICE_CUDA = 1
};

/** How to compile. Fill with faCompileOptionsInit, then change what you need. */
typedef struct FaCompileOptions {
  uint32_t structSize;  /**< sizeof(FaCompileOptions) of the caller */
  const char *function; /**< NULL: the module's only public function */
  int32_t fuse;         /**< FA_FUSE_*; default on */
  int64_t queryTile;    /**< forced tile sizes; 0, 0 (default): the schedule chooses */
  int64_t keyTile;
  int32_t precision;   /**< FA_PRECISION_* */
  int32_t optLevel;    /**< of LLVM, 0…3; -1 (default): 0 if unfused, else 3 */
  int32_t device;      /**< FA_DEVICE_* */
  const char *machine; /**< a row of the machine table; NULL: "host" for CPU, "sm_80" for CUDA */
  int32_t threads;     /**< 0 (default): one per core */
  FaRemarkCallback remark; /**< NULL: remarks are dropped */
  void *remarkUserData;
} FaCompileOptions;

typedef struct FaProgram FaProgram;

/** Runs fused region `region` ("F.0", "F.1", …) of the program's artifact: reads `inputs`, writes
 *  all elements of `outputs`, whose memory is there already; returns when they are written.
 *  All tensors are in host memory, dense and row-major outputs, strided inputs.
 *  Returns NULL, or the reason of the failure, which stays valid until the next call. */
typedef const char *(*FaLaunchCallback)(void *userData, const char *region, const FaTensor *inputs,
                                        int32_t numInputs, const FaTensor *outputs,
                                        int32_t numOutputs);

/** How to run. Fill with faRunOptionsInit. */
typedef struct FaRunOptions {
  uint32_t structSize;     /**< sizeof(FaRunOptions) of the caller */
  FaLaunchCallback launch; /**< needed by programs for FA_DEVICE_CUDA with fused regions */
  void *launchUserData;
  double seconds; /**< out: time in the compiled function alone, without converting and copying */
} FaRunOptions;

uint32_t faCompilerAbiVersion(void);
/** Project, LLVM version and host CPU in one line; static. */
const char *faCompilerDescription(void);
void faCompilerFreeString(char *text);

void faCompileOptionsInit(FaCompileOptions *options);
void faRunOptionsInit(FaRunOptions *options);

/** Compiles `size` bytes of IR; `name` stands for the file in error messages. */
FaStatus faCompileText(const char *text, size_t size, const char *name,
                       const FaCompileOptions *options, FaProgram **program, char **error);
/** Compiles the IR in a file, "-" for stdin. */
FaStatus faCompileFile(const char *path, const FaCompileOptions *options, FaProgram **program,
                       char **error);
void faProgramFree(FaProgram *program);

/** The function that was compiled; lives as long as the program, as all pointers below. */
const char *faProgramFunction(const FaProgram *program);
int32_t faProgramNumArguments(const FaProgram *program);
int32_t faProgramNumResults(const FaProgram *program);
/** NULL if there is no such argument. The dtype is what a caller passes (and, for results, gets).
 */
const FaValueType *faProgramArgument(const FaProgram *program, int32_t index);
const FaValueType *faProgramResult(const FaProgram *program, int32_t index);
/** The dtype of result `index` in the IR as written: differs from faProgramResult's only for the
 *  f64 reference. */
int32_t faProgramResultDTypeAsWritten(const FaProgram *program, int32_t index);
/** How many regions were fused; 0 if fusion is off. */
int32_t faProgramNumRegions(const FaProgram *program);
/** The launch program of the fused regions, in the artifact format; for FA_DEVICE_CUDA only.
 *  Without fused regions `*size` is 0. */
void faProgramArtifact(const FaProgram *program, const void **data, size_t *size);

/** Runs the program. `arguments` are checked against the signature and never written to. On success
 *  each of the `numResults` entries of `results` is filled with a dense tensor that the library
 *  owns: free it with faTensorFree. On failure `results` is untouched. */
FaStatus faProgramRun(FaProgram *program, const FaTensor *arguments, int32_t numArguments,
                      FaTensor *results, int32_t numResults, FaRunOptions *options, char **error);
/** Frees a result's data, shape and strides, and clears the struct. */
void faTensorFree(FaTensor *tensor);

#ifdef __cplusplus
}
#endif

#endif /* FA_C_COMPILER_H */
