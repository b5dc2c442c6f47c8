//===- LaunchStubs.cpp ----------------------------------------------------===//

#include "LaunchStubs.h"
#include "fa/Dialect/Attention/Attention.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fa;

/// Declares `@fa.launch(region, words)`.
static func::FuncOp declareLaunch(ModuleOp module) {
  OpBuilder builder(module.getBodyRegion());
  Type index = builder.getIndexType();
  auto words = MemRefType::get({ShapedType::kDynamic}, index);
  auto launch = func::FuncOp::create(builder, module.getLoc(), kLaunchName,
                                     builder.getFunctionType({index, words}, {}));
  launch.setPrivate();
  launch->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
  return launch;
}

namespace {
/// Collects the words of a call.
class WordList {
public:
  WordList(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// The address and sizes of a dense buffer.
  void addBuffer(Value buffer) {
    words.push_back(memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer));
    for (int64_t dim = 0; dim < cast<MemRefType>(buffer.getType()).getRank(); ++dim)
      words.push_back(memref::DimOp::create(builder, loc, buffer, dim));
  }

  /// An input: a tensor, or a scalar, which goes through memory.
  void addInput(Value value) {
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
      auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
      return addBuffer(bufferization::ToBufferOp::create(builder, loc, type, value,
                                                         /*read_only=*/true));
    }
    Value slot = memref::AllocaOp::create(builder, loc, MemRefType::get({}, value.getType()));
    memref::StoreOp::create(builder, loc, value, slot);
    addBuffer(slot);
  }

  /// All words in one buffer.
  Value store() {
    auto type = MemRefType::get({static_cast<int64_t>(words.size())}, builder.getIndexType());
    Value buffer = memref::AllocaOp::create(builder, loc, type);
    for (auto [i, word] : llvm::enumerate(words)) {
      Value position = arith::ConstantIndexOp::create(builder, loc, i);
      memref::StoreOp::create(builder, loc, word, buffer, position);
    }
    auto anySize = MemRefType::get({ShapedType::kDynamic}, builder.getIndexType());
    return memref::CastOp::create(builder, loc, anySize, buffer);
  }

private:
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> words;
};
} // namespace

/// Memory for a result whose sizes are `shape`.
static Value allocate(OpBuilder &builder, Location loc, Value result,
                      ArrayRef<OpFoldResult> shape) {
  auto tensor = cast<RankedTensorType>(result.getType());
  SmallVector<Value> dynamicSizes;
  for (auto [dim, size] : llvm::zip(tensor.getShape(), shape))
    if (ShapedType::isDynamic(dim))
      dynamicSizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  return memref::AllocOp::create(
      builder, loc, MemRefType::get(tensor.getShape(), tensor.getElementType()), dynamicSizes);
}

static llvm::Error makeStub(func::FuncOp region, func::FuncOp launch, int64_t number) {
  auto op = *region.getOps<AttentionOp>().begin();
  Location loc = op.getLoc();
  OpBuilder builder(op);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(op.reifyResultShapes(builder, shapes)))
    return refusal("region '" + region.getName() + "': cannot tell the sizes of its results");
  WordList words(builder, loc);
  for (Value argument : region.getArguments())
    words.addInput(argument);
  SmallVector<Value> results;
  for (auto [result, shape] : llvm::zip(op->getResults(), shapes)) {
    Value buffer = allocate(builder, loc, result, shape);
    words.addBuffer(buffer);
    results.push_back(bufferization::ToTensorOp::create(builder, loc, result.getType(), buffer,
                                                        /*restrict=*/true, /*writable=*/true));
  }
  Value position = arith::ConstantIndexOp::create(builder, loc, number);
  func::CallOp::create(builder, loc, launch, ValueRange{position, words.store()});
  op->replaceAllUsesWith(results);
  op->erase();
  return llvm::Error::success();
}

llvm::Expected<std::vector<LaunchRegion>>
mlir::fa::makeLaunchStubs(ModuleOp module, ArrayRef<func::FuncOp> functions) {
  std::vector<LaunchRegion> regions;
  func::FuncOp launch = declareLaunch(module);
  for (auto [number, region] : llvm::enumerate(functions)) {
    func::FuncOp function = region;
    auto signature = readSignature(function);
    if (!signature)
      return signature.takeError();
    regions.push_back({function.getName().str(), std::move(*signature)});
    if (llvm::Error error = makeStub(function, launch, number))
      return std::move(error);
  }
  return regions;
}

const char *mlir::fa::launchRegion(const LaunchRegion &region, const int64_t *words,
                                   const FaRunOptions &options) {
  if (!options.launch)
    return "the program has regions for a GPU, but no launcher was given";
  auto read = [&](const std::vector<ValueType> &types) {
    std::vector<FaTensor> tensors;
    for (const ValueType &type : types) {
      auto rank = static_cast<int32_t>(type.dims.size());
      tensors.push_back({reinterpret_cast<void *>(words[0]), type.dtype, rank, words + 1, nullptr});
      words += 1 + rank;
    }
    return tensors;
  };
  std::vector<FaTensor> inputs = read(region.signature.arguments);
  std::vector<FaTensor> outputs = read(region.signature.results);
  return options.launch(options.launchUserData, region.name.c_str(), inputs.data(), inputs.size(),
                        outputs.data(), outputs.size());
}
