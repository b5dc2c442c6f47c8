//===- Artifact.h - What fa-compile writes and the runtime launches -------===//
//
// An artifact is data only: for every fused region a launch program, that is, an
// ordered list of kernel launches whose grids, parameters and workspace are formulas
// over run-time sizes. docs/Artifact.md describes the file format.
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_ARTIFACT_ARTIFACT_H
#define FA_RUNTIME_ARTIFACT_ARTIFACT_H

#include "Runtime/Artifact/Expr.h"
#include "Runtime/DType.h"
#include "Runtime/Expected.h"
#include <array>
#include <string>
#include <vector>

namespace fa_runtime {

/// The version of the file format that this code writes and reads.
constexpr uint32_t kArtifactVersion = 1;

/// An argument of an entry: a tensor in device memory, or a scalar passed by value.
struct Argument {
  std::string name;
  bool isScalar = false;
  DType dtype = DType::Invalid;
  /// Sizes; -1 where any size fits. The rank is `dims.size()`.
  std::vector<int64_t> dims;
  /// Required strides in elements, -1 where any fits; empty: any strides. Strides of dimensions
  /// of size 0 or 1 are not looked at.
  std::vector<int64_t> strides;
  /// The address must be a multiple of this many bytes: a power of two. The element's width always
  /// holds.
  int64_t alignment = 1;
};

/// A result: a tensor whose memory the caller gives. Every element is written.
struct Result {
  std::string name;
  DType dtype = DType::Invalid;
  /// Sizes over the entry's arguments.
  std::vector<Expr> dims;
  std::vector<int64_t> strides; ///< as in Argument
  int64_t alignment = 1;
};

/// A condition that the caller must keep; `text` says it in words: "q and k have the same head
/// size".
struct Constraint {
  Expr condition;
  std::string text;
};

/// A place in device memory.
struct Address {
  enum class Base : uint8_t {
    Operand,   ///< the tensor `operand`, arguments first, then results
    Workspace, ///< scratch memory, undefined when a region starts, at least 256-byte aligned
    State      ///< persistent memory, zero before the first run; every run leaves it zero again
  };
  Base base = Base::Operand;
  int32_t operand = 0;
  Expr offset; ///< in bytes
};

/// A tensor map for the bulk tensor copy engine, encoded before the launch by
/// cuTensorMapEncodeTiled and passed by value (128 bytes, `__grid_constant__`). Dimension 0 is the
/// innermost, of stride 1.
struct TensorMap {
  Address address;
  DType dtype = DType::Invalid;
  std::vector<Expr> sizes;   ///< in elements, 1 to 5 of them
  std::vector<Expr> strides; ///< in bytes, of dimensions 1…: one less than `sizes`
  std::vector<int64_t> box;  ///< elements per copy, at most 256 each
  int32_t swizzle = 0;       ///< bytes: 0, 32, 64 or 128
  int32_t l2Promotion = 0;   ///< bytes: 0, 64, 128 or 256
  bool nanFill = false;      ///< what lies outside reads as NaN, not as zero
};

/// One kernel parameter, in order.
struct Parameter {
  enum class Kind : uint8_t {
    Pointer,  ///< `address`
    Int32,    ///< `value`; a value that does not fit is an error
    Int64,    ///< `value`
    Scalar,   ///< the scalar argument `operand`, in its own type
    TensorMap ///< `map`
  };
  Kind kind = Kind::Pointer;
  Address address;
  Expr value;
  int32_t operand = 0;
  TensorMap map;

  /// The address of tensor `operand`, plus `offset` bytes.
  static Parameter pointer(int32_t operand, Expr offset = 0);
  static Parameter workspace(Expr offset = 0);
  static Parameter state(Expr offset = 0);
  static Parameter int32(Expr value);
  static Parameter int64(Expr value);
  static Parameter scalar(int32_t operand);
  static Parameter tensorMap(TensorMap map);
};

/// One kernel launch. A grid with a zero means that there is nothing to do: it is skipped.
struct Launch {
  enum class Phase : uint8_t {
    Pre, ///< prepares what the main pass reads
    Main,
    Post ///< finishes the main pass's partial results
  };
  Phase phase = Phase::Main;
  /// Runs only where this is true: several schedules for different sizes stand in one list.
  Expr guard = 1;
  int32_t kernel = 0; ///< index into Artifact::kernels
  std::array<Expr, 3> grid = {Expr(1), Expr(1), Expr(1)};
  std::array<Expr, 3> block = {Expr(1), Expr(1), Expr(1)};
  Expr sharedBytes = 0; ///< dynamic shared memory
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// May start while the launch before it still runs; the kernel waits by itself.
  bool programmatic = false;
  std::vector<Parameter> parameters;
};

/// How one machine runs a region: the launches in order. At least one Main launch must have a true
/// guard, otherwise the sizes are refused.
struct Program {
  std::string machine;  ///< "sm_80": also runs on later chips; "sm_90a": on that one only
  std::string schedule; ///< in words, for people
  std::vector<Launch> launches;
  Expr workspaceBytes = 0;
  Expr stateBytes = 0;
};

/// A fused region, "F.0", "F.1", …
struct Region {
  std::string name;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  std::vector<Constraint> constraints;
  std::vector<Program> programs; ///< best first; the first that fits the device is taken
};

/// A tensor seen through other sizes and strides, all over the *function's* arguments.
struct View {
  enum class Source : uint8_t { Argument, Result, Temporary };
  Source source = Source::Argument;
  int32_t index = 0; ///< which argument, result or temporary of the function
  Expr offset;       ///< in elements
  std::vector<Expr> dims;
  std::vector<Expr> strides; ///< in elements; one for each of `dims`
};

/// A dense row-major tensor between two calls.
struct Temporary {
  DType dtype = DType::Invalid;
  std::vector<Expr> dims;
};

/// One region run on views. A scalar argument is a view of a scalar, without dims.
struct Call {
  int32_t region = 0; ///< index into Artifact::regions
  std::vector<View> arguments;
  std::vector<View> results;
};

/// A whole function, when nothing but fused regions and views is in it.
struct Function {
  std::string name;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  std::vector<Constraint> constraints;
  std::vector<Temporary> temporaries;
  std::vector<Call> calls;
};

/// Machine code for one chip, "sm_90a".
struct Cubin {
  std::string chip;
  std::string code;
};

/// A unit of device code.
struct Module {
  std::string machine; ///< what the PTX was generated for
  std::string ptx;     ///< as text; the driver compiles it when no cubin fits
  std::vector<Cubin> cubins;
};

struct Kernel {
  std::string symbol;
  int32_t module = 0;
};

struct Artifact {
  std::string compiler;   ///< name and version of what wrote it
  std::string sourceHash; ///< of the IR it was made from
  std::vector<Module> modules;
  std::vector<Kernel> kernels;
  std::vector<Region> regions;
  std::vector<Function> functions;
};

/// The bytes of the file. Equal artifacts give equal bytes.
std::string serialize(const Artifact &artifact);

/// Reads what `serialize` wrote and checks everything: what it returns can be launched without
/// further checks of indices. The error says what is wrong with the bytes.
Expected<Artifact> parseArtifact(const void *data, size_t size);

/// Writes `serialize(artifact)`: the whole file or nothing.
Status writeArtifactFile(const std::string &path, const Artifact &artifact);

/// True if the bytes begin like an artifact's.
bool looksLikeArtifact(const void *data, size_t size);

} // namespace fa_runtime

#endif // FA_RUNTIME_ARTIFACT_ARTIFACT_H
