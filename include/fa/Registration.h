//===- Registration.h - Everything that a tool has to register ------------===//
#ifndef FA_REGISTRATION_H
#define FA_REGISTRATION_H

namespace mlir {
class DialectRegistry;

namespace fa {

/// Upstream's dialects and extensions, all of them: what input files may be written in.
void registerUpstream(DialectRegistry &registry);

/// The project's dialect, and the upstream interface implementations that its passes need.
void registerDialects(DialectRegistry &registry);

/// The project's passes and pipelines, for the command line and for textual pipelines.
void registerPasses();

} // namespace fa
} // namespace mlir

#endif // FA_REGISTRATION_H
