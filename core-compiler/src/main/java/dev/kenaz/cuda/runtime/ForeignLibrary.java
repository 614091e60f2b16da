package dev.kenaz.cuda.runtime;

import dev.kenaz.error.CompilerBug;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * This is a shared library whose functions are called by name. It stays loaded: neither the CUDA
 * driver nor NVRTC can be unloaded safely.
 */
final class ForeignLibrary {
  private final String name;
  private final SymbolLookup symbols;

  private ForeignLibrary(String name, SymbolLookup symbols) {
    this.name = name;
    this.symbols = symbols;
  }

  /**
   * Loads the library in a file.
   *
   * @throws IllegalArgumentException if it can't be loaded
   */
  static ForeignLibrary load(Path file) {
    return new ForeignLibrary(file.toString(), SymbolLookup.libraryLookup(file, Arena.global()));
  }

  /**
   * Loads the library that the system's loader finds by that name.
   *
   * @throws IllegalArgumentException if the loader finds none
   */
  static ForeignLibrary load(String soname) {
    return new ForeignLibrary(soname, SymbolLookup.libraryLookup(soname, Arena.global()));
  }

  /**
   * Says, in the system's words, why a library can't be loaded; the exception of {@link #load}
   * doesn't say it.
   */
  static String whyNot(String name) {
    var linker = Linker.nativeLinker();
    var system = new ForeignLibrary("the C library", linker.defaultLookup());
    try (var arena = Arena.ofConfined()) {
      var address = ValueLayout.ADDRESS;
      var open =
          system.function("dlopen", FunctionDescriptor.of(address, address, ValueLayout.JAVA_INT));
      var error = system.function("dlerror", FunctionDescriptor.of(address));
      // No function may be looked up between these two calls, as that would clear the error.
      var opened = (MemorySegment) open.invokeWithArguments(arena.allocateFrom(name), 1);
      var words = (MemorySegment) error.invokeWithArguments();
      return opened.address() != 0 || words.address() == 0
          ? name + " can be opened, but not used"
          : words.reinterpret(4096).getString(0);
    } catch (Throwable e) {
      return name;
    }
  }

  /** Sets a variable of the environment for libraries of this process; Java doesn't see it. */
  static void setEnvironment(String name, String value) {
    var system = new ForeignLibrary("the C library", Linker.nativeLinker().defaultLookup());
    try (var arena = Arena.ofConfined()) {
      system.call("setenv", arena.allocateFrom(name), arena.allocateFrom(value), 1);
    }
  }

  /** Returns the file or the name by which the library was loaded. */
  String name() {
    return name;
  }

  boolean has(String function) {
    return symbols.find(function).isPresent();
  }

  /**
   * Calls a function that returns an int status.
   *
   * @param arguments Integer, Long or MemorySegment, as the function's parameters are int, any
   *     64-bit integer, or a pointer
   * @throws IllegalArgumentException if the library has no such function
   */
  int call(String function, Object... arguments) {
    var layouts = new ValueLayout[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      layouts[i] =
          switch (arguments[i]) {
            case Integer _ -> ValueLayout.JAVA_INT;
            case Long _ -> ValueLayout.JAVA_LONG;
            default -> ValueLayout.ADDRESS;
          };
    }
    return (int) invoke(function, FunctionDescriptor.of(ValueLayout.JAVA_INT, layouts), arguments);
  }

  /** Calls a function of the given type. */
  Object invoke(String function, FunctionDescriptor type, Object... arguments) {
    try {
      return function(function, type).invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new CompilerBug("cuda", function + " failed", e);
    }
  }

  /**
   * Returns a function of the given type.
   *
   * @throws IllegalArgumentException if the library has no such function
   */
  MethodHandle function(String function, FunctionDescriptor type) {
    var address =
        symbols
            .find(function)
            .orElseThrow(() -> new IllegalArgumentException(name + " has no function " + function));
    return Linker.nativeLinker().downcallHandle(address, type);
  }
}
