//===- CommandLine.cpp - fa-run's options ---------------------------------===//

#include "CommandLine.h"
#include "Failure.h"
#include <CLI/CLI.hpp>
#include <charconv>

namespace fa_run {

static constexpr const char *kDescription =
    R"(Runs a function of an IR file, or an entry of an artifact that fa-compile wrote.

Examples:
  fa-run model.mlir --random                  fused, on the CPU, random inputs
  fa-run model.mlir --verify                  fused and unfused against f64, error by error
  fa-run model.mlir --inputs=in.npz --output=out.npz
  fa-run model.mlir --inputs=x.npz --expect=x.npz   compares with ref0, ref1, … (or res0, …)
  fa-run model.fa --function=main --random --time    on the GPU; needs its driver, nothing else

Arrays of an .npz file: arguments arg0, arg1, …; results res0, res1, …; references ref0, … in f64.
bf16 is stored as uint16 bits (or as ml_dtypes stores it).)";

static constexpr const char *kFooter =
    R"(
Errors: of a result, max |x - ref| / max |ref| (a reference that is zero but for rounding is measured by the
largest result). --expect allows 1e-9, 2e-5, 1e-2, 6e-2 for f64, f32, f16, bf16;
--verify asks that the fused error is at most twice the unfused one plus 1e-12, 1e-6, 1e-3, 8e-3.

Exit codes: 0 done, 1 values differ, 2 usage or unreadable input, 3 refused, with the reason.)";

/// "2x8x16" or a number: the whole text must be one.
template <typename T> static bool parseNumber(const std::string &text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

static void parseTile(const std::string &text, Options &options) {
  size_t cross = text.find('x');
  bool isValid = cross != std::string::npos &&
                 parseNumber(text.substr(0, cross), options.queryTile) &&
                 parseNumber(text.substr(cross + 1), options.keyTile);
  if (!isValid || options.queryTile < 1 || options.keyTile < 1)
    throw Failure{kBadInput, "--tile=" + text + ": expected queries x keys, such as --tile=64x128"};
}

static void parseDevice(const std::string &text, Options &options) {
  options.isCuda = text != "cpu";
  bool isNumbered = text.compare(0, 5, "cuda:") == 0;
  if (text != "cpu" && text != "cuda" &&
      !(isNumbered && parseNumber(text.substr(5), options.ordinal) && options.ordinal >= 0))
    throw Failure{kBadInput, "--device=" + text + ": expected cpu, cuda or cuda:0, cuda:1, …"};
}

/// What OpenMP can be asked for without running out of something.
static constexpr int kMaxThreads = 1024;

/// What the option parser cannot know.
static void checkTogether(const Options &options) {
  auto forbid = [](bool isWrong, const char *text) {
    if (isWrong)
      throw Failure{kBadInput, text};
  };
  forbid(options.file.empty() && !options.collectEnv, "no file to run; try fa-run --help");
  forbid(!options.inputs.empty() && options.isRandom, "--inputs and --random: give one of them");
  forbid(!options.inputs.empty() && !options.dims.empty(),
         "--dims goes with --random: the sizes of --inputs are those of its arrays");
  forbid(options.verify && options.noFuse,
         "--verify compares fused with unfused: it does not go with --no-fuse");
  forbid(options.tolerance && options.expect.empty(), "--tolerance goes with --expect");
  // Written so that NaN is refused, too.
  forbid(options.timeout && !(*options.timeout > 0 && *options.timeout < 1e9),
         "--timeout: expected seconds, more than 0");
  forbid(options.tolerance && !(*options.tolerance >= 0),
         "--tolerance: expected a number from 0, relative to max |ref|");
  forbid(options.repeat < 1, "--repeat: expected a number of runs from 1");
  forbid(options.threads < 0 || options.threads > kMaxThreads,
         "--threads: expected a number from 0 (one for each core) to 1024");
  forbid(options.noFuse && options.queryTile, "--tile sets the tiles of fused code: it does not go "
                                              "with --no-fuse");
}

namespace {

/// Texts that become something else after parsing.
struct RawTexts {
  std::string device, tile, random, verify, format = "text";
};

/// Declares an option that takes a value; `value` stands for it in the help.
template <typename T>
CLI::Option *addOption(CLI::App &app, const char *name, T &variable, const char *value,
                       const char *help) {
  return app.add_option(name, variable, help)->type_name(value);
}

void declareOptions(CLI::App &app, Options &options, RawTexts &raw) {
  addOption(app, "FILE", options.file, "", "IR (.mlir, - for stdin) or artifact (.fa)");
  addOption(app, "--function", options.function, "F",
            "Which function; of an artifact, also a fused region such as main.0. Default: the only "
            "one");
  addOption(app, "--device", raw.device, "cpu|cuda[:N]",
            "Default: cpu for IR, cuda for an artifact");
  addOption(app, "--inputs", options.inputs, "IN.npz", "The arguments");
  addOption(app, "--random", raw.random, "[SEED]",
            "Random arguments: normal floats, integers 0 or 1, booleans true in 3 of 4");
  addOption(app, "--dims", options.dims, "SIZES",
            "Sizes that the IR leaves open, for --random: N for all, A,B,C one for each, or whole "
            "shapes as arg0=2x8x16,arg1=…. Default: 17 for all");
  addOption(app, "--output", options.output, "OUT.npz", "Writes the results, all or nothing");
  addOption(app, "--expect", options.expect, "REF.npz", "Compares the results with it");
  addOption(app, "--tolerance", options.tolerance, "T", "Of --expect, relative to max |ref|");
  app.add_flag("--no-fuse", options.noFuse, "Runs the IR as it is");
  addOption(app, "--verify", raw.verify, "[exact]",
            "Runs unfused, fused and in f64, and judges the fused errors");
  addOption(app, "--tile", raw.tile, "MxN", "Forces the tiles of fused code: queries x keys");
  app.add_flag("--time", options.time,
               "Measures the run; compiling is left out, and for an artifact copying too");
  addOption(app, "--timeout", options.timeout, "S", "Ends a run that takes more than S seconds");
  addOption(app, "--repeat", options.repeat, "N",
            "Runs N times; all results must be equal in bits");
  addOption(app, "--machine", options.machine, "NAME",
            "Row of the machine table to compile for (fa-compile --list-machines)");
  addOption(app, "--threads", options.threads, "N", "On the CPU. Default: one for each core");
  addOption(app, "--format", raw.format, "text|json", "Of stdout")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--collect-env", options.collectEnv,
               "Prints versions, CPU and GPUs, for a bug report");
  app.set_version_flag("--version", FA_VERSION);
}

} // namespace

/// A bare --random or --verify takes no value from the next word.
static std::vector<std::string> completeBareOptions(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string &word : words)
    if (word == "--random")
      word = "--random=0";
    else if (word == "--verify")
      word = "--verify=rule";
  std::reverse(words.begin(), words.end()); // as the parser wants them
  return words;
}

Options parseCommandLine(int argc, char **argv) {
  Options options;
  RawTexts raw;
  CLI::App app(kDescription, "fa-run");
  app.footer(kFooter);
  app.get_formatter()->column_width(26);
  declareOptions(app, options, raw);
  try {
    app.parse(completeBareOptions(argc, argv));
  } catch (const CLI::CallForHelp &) {
    fputs(app.help().c_str(), stdout);
    exit(kDone);
  } catch (const CLI::CallForVersion &) {
    puts("fa-run " FA_VERSION);
    exit(kDone);
  } catch (const CLI::ParseError &error) {
    std::string text = error.what();
    text[0] = static_cast<char>(tolower(text[0]));
    throw Failure{kBadInput, text + "; try fa-run --help"};
  }
  options.isRandom = !raw.random.empty();
  options.verify = !raw.verify.empty();
  options.isJson = raw.format == "json";
  if (options.isRandom && !parseNumber(raw.random, options.seed))
    throw Failure{kBadInput, "--random=" + raw.random + ": expected a seed, a number from 0"};
  if (raw.verify == "exact")
    throw Failure{kRefused, "--verify=exact needs an exact arithmetic that this version does not "
                            "have; --verify compares with f64"};
  if (options.verify && raw.verify != "rule")
    throw Failure{kBadInput, "--verify=" + raw.verify + ": expected --verify"};
  if (!raw.device.empty())
    parseDevice(raw.device, options);
  if (!raw.tile.empty())
    parseTile(raw.tile, options);
  checkTogether(options);
  return options;
}

} // namespace fa_run
