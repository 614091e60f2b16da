package dev.kenaz.pipeline;

import static dev.kenaz.error.ErrorCode.K9001;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Names;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pass;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.typing.Checker;
import dev.kenaz.typing.TypedProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** This is the compiler. Several threads may use it at once. */
public final class Compiler {
  /**
   * The size of the stack in bytes on which programs are compiled, as these may be deeply nested.
   */
  private static final long STACK_BYTES = 512L << 20;

  /** Takes the place of {@link Pipelines#LOWER} where a program is lowered already. */
  private static final Pass<CoreProgram, CoreProgram> GIVEN =
      Pass.of(Pipelines.LOWER.name(), Pipelines.LOWER.description(), p -> p);

  private Compiler() {}

  /**
   * Compiles a file and what it imports.
   *
   * @throws UserError if the program is at fault
   * @throws Limitation if it uses what Kenaz can't do yet
   */
  public static CompiledProgram compile(Path file, CompileOptions options) {
    return compile(ProgramSource.read(file), options);
  }

  /** Compiles a text that imports nothing; see {@link #compile(ProgramSource, CompileOptions)}. */
  public static CompiledProgram compile(String name, String text, CompileOptions options) {
    return compile(ProgramSource.of(name, text), options);
  }

  /**
   * Compiles a program.
   *
   * @throws UserError if the program is at fault
   * @throws Limitation if it uses what Kenaz can't do yet
   */
  public static CompiledProgram compile(ProgramSource source, CompileOptions options) {
    return deep(source.root(), () -> compile(checked(source), options));
  }

  /**
   * Checks and lowers a program. Each entry point is compiled by itself when it is first called or
   * {@linkplain CompiledEntry#prepare prepared}, so a large program is ready soon.
   *
   * @throws UserError if the program is at fault
   * @throws Limitation if it uses what Kenaz can't do yet
   */
  public static CompiledProgram open(ProgramSource source, CompileOptions options) {
    if (options.backend() != Backend.JVM) {
      return compile(source, options);
    }
    return deep(
        source.root(),
        () -> {
          var typed = checked(source);
          return onDemand(Pipelines.LOWER, typed, typed.warnings(), options);
        });
  }

  /** Compiles a program that was lowered before. */
  public static CompiledProgram compile(CoreProgram lowered, CompileOptions options) {
    return deep(
        lowered.entries().getFirst().name(), () -> compile(GIVEN, lowered, List.of(), options));
  }

  /**
   * Does as {@link #open(ProgramSource, CompileOptions)} does with a program that was lowered
   * before, such as a derivative of an entry point.
   */
  public static CompiledProgram open(CoreProgram lowered, CompileOptions options) {
    return options.backend() == Backend.JVM
        ? onDemand(GIVEN, lowered, List.of(), options)
        : compile(lowered, options);
  }

  private static <A> CompiledProgram onDemand(
      Pass<A, CoreProgram> first, A program, List<Diagnostic> warnings, CompileOptions options) {
    var recorder = new Recorder(options);
    var lowered = recorder.run(first, program);
    var compilation = new Compilation<>(lowered, recorder.results(), warnings);
    return new CompiledProgram(compilation, new OnDemand(lowered, options));
  }

  /** Returns the executable of a lowered program of one entry. */
  static Executable executable(CoreProgram lowered, CompileOptions options) {
    var name = lowered.entries().getFirst().name();
    var recorder = new Recorder(options);
    return deep(name, () -> Executable.kept(lowered, Route.ofLowered(options), recorder));
  }

  /**
   * Takes a program through some passes, and no further.
   *
   * @throws UserError if the program is at fault
   * @throws Limitation if it uses what Kenaz can't do yet
   */
  public static <B> Compilation<B> run(
      ProgramSource source, Pipeline<TypedProgram, B> passes, CompileOptions options) {
    return deep(
        source.root(),
        () -> {
          var typed = checked(source);
          var recorder = new Recorder(options);
          var result = passes.run(typed, recorder);
          return new Compilation<>(result, recorder.results(), typed.warnings());
        });
  }

  /**
   * Takes a lowered program through some passes, and no further. Another process that does the same
   * gets the same, down to the tags of variables.
   */
  public static <B> Compilation<B> run(
      CoreProgram lowered, Pipeline<CoreProgram, B> passes, CompileOptions options) {
    return deep(
        lowered.entries().getFirst().name(),
        () -> {
          var recorder = new Recorder(options);
          var result = Names.again(lowered, own -> passes.run(own, recorder));
          return new Compilation<>(result, recorder.results(), List.of());
        });
  }

  /**
   * Parses and checks a program, and goes no further.
   *
   * @throws UserError if the program is at fault
   */
  public static TypedProgram check(ProgramSource source) {
    return deep(source.root(), () -> checked(source));
  }

  private static TypedProgram checked(ProgramSource source) {
    return Checker.check(source.parse(), source);
  }

  private static CompiledProgram compile(TypedProgram typed, CompileOptions options) {
    return compile(Pipelines.LOWER, typed, typed.warnings(), options);
  }

  private static <A> CompiledProgram compile(
      Pass<A, CoreProgram> first, A program, List<Diagnostic> warnings, CompileOptions options) {
    var recorder = new Recorder(options);
    var lowered = recorder.run(first, program);
    var executable = Executable.of(lowered, Route.ofLowered(options), recorder);
    return new CompiledProgram(
        new Compilation<>(lowered, recorder.results(), warnings), executable);
  }

  /** Does some work on a thread with a deep stack. */
  private static <T> T deep(String name, Callable<T> work) {
    var task = new FutureTask<>(work);
    var thread = new Thread(null, task, "kenaz-compile", STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case StackOverflowError _ ->
            throw new UserError(K9001, name + " nests more deeply than can be compiled");
        case RuntimeException cause -> throw cause;
        case Error error -> throw error;
        default -> throw new CompilerBug("compile", "unexpected failure", e.getCause());
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
      throw UserError.interrupted();
    }
  }
}
