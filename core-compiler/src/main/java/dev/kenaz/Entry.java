package dev.kenaz;

import dev.kenaz.ad.DerivedEntry;
import dev.kenaz.ad.DerivedEntry.Form;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A function of a program that can be called, or a derivative of one. May be used from several
 * threads at once; calls share the cores that the program was compiled for.
 *
 * <h2>Arguments</h2>
 *
 * <p>For each parameter one argument: a number or a {@code Boolean}; a Java array such as {@code
 * float[][]}, all of whose rows must have equal lengths; a {@link java.lang.foreign.MemorySegment}
 * for an array of one dimension; a Java record for a record or a tuple, an array of Java records
 * for an array of those; or a {@link Value} of any type. {@link ElementType} tells which Java types
 * stand for which elements. Numbers are widened as in Java, also where Java would ask for a cast of
 * an integer that fits; nothing is rounded, but to half precision.
 *
 * <h2>Derivatives</h2>
 *
 * <p>A derivative is an entry as well. Parameters by which it is taken are given by name or, as
 * {@code "0"}, {@code "1"} and so on, by position; if none is given, they are all those that hold
 * floats. A derivative is compiled when it is first asked for and kept with the program. Nothing
 * ends with another result or error than if the program's author had written {@code vjp} or {@code
 * jvp}.
 */
public final class Entry {
  private record Derivative(Form form, Set<Integer> by) {}

  private final Program program;
  private final CompiledProgram compiled;
  private final CompiledEntry entry;
  private final FunDef function;
  private final Map<Derivative, Entry> derivatives = new ConcurrentHashMap<>();

  Entry(Program program, CompiledProgram compiled, EntryPoint type) {
    this.program = program;
    this.compiled = compiled;
    this.entry = compiled.entry(type.name());
    this.function = compiled.lowered().function(type.function());
  }

  /** The name in the program; of a derivative one that tells what it is of. */
  public String name() {
    return entry.name();
  }

  /** In order. */
  public List<Parameter> parameters() {
    return entry.type().params().stream()
        .map(p -> new Parameter(p.name(), p.type().text()))
        .toList();
  }

  /** The type of the result as in the program, without sizes. */
  public String resultType() {
    return result().text();
  }

  private EntryPoint.ExternalType result() {
    return entry.type().results().getFirst().type();
  }

  /** The name and the types, for people. */
  @Override
  public String toString() {
    var text = new StringBuilder(name());
    parameters().forEach(p -> text.append(" (" + p.name() + ": " + p.type() + ")"));
    return text + ": " + resultType();
  }

  /** Does what the first call would have to do before it can run: compilation. */
  public Entry prepare() {
    program.during(
        () -> {
          entry.prepare();
          return null;
        });
    return this;
  }

  // Calls

  /** Calls a function without parameters. */
  public Value call() {
    return callAll(List.of());
  }

  /** As {@link #callAll}. */
  public Value call(Object argument) {
    return callAll(Arrays.asList(argument));
  }

  /** As {@link #callAll}. */
  public Value call(Object first, Object second) {
    return callAll(Arrays.asList(first, second));
  }

  /** As {@link #callAll}. */
  public Value call(Object first, Object second, Object third) {
    return callAll(Arrays.asList(first, second, third));
  }

  /** As {@link #callAll}. */
  public Value call(Object first, Object second, Object third, Object fourth) {
    return callAll(Arrays.asList(first, second, third, fourth));
  }

  /** As {@link #callAll}. */
  public Value call(Object first, Object second, Object third, Object fourth, Object fifth) {
    return callAll(Arrays.asList(first, second, third, fourth, fifth));
  }

  /** As {@link #callAll}. */
  public Value call(
      Object first, Object second, Object third, Object fourth, Object fifth, Object sixth) {
    return callAll(Arrays.asList(first, second, third, fourth, fifth, sixth));
  }

  /**
   * Calls the function with any number of arguments. (The other methods take single arguments
   * rather than a list of variable length, for which Java would take a {@code double[][]}.)
   *
   * <p>Arguments are neither changed nor kept: results share no memory with them. Arrays of Java
   * are copied; segments, and values over segments, are read where they are, except by a GPU, and
   * must neither change nor be closed during the call.
   *
   * @throws UserError K6301 or K6302 if the arguments don't fit the parameters, K5xxx if the
   *     program fails
   * @throws IllegalStateException if the program, or an argument's segment, is closed
   */
  public Value callAll(List<?> arguments) {
    return program.during(
        () -> {
          var in = Arguments.of(entry.type(), function, arguments);
          return new Value(result(), Aliases.removed(in, entry.call(in)));
        });
  }

  // Derivatives

  /**
   * The tangent of the result, as {@code jvp}. Parameters: those of this entry, then a tangent for
   * each parameter by which the derivative is taken, of its type.
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry jvp(String... by) {
    return derivative(Form.JVP, by);
  }

  /** As {@link #jvp}; the result is a pair of the value and its tangent. */
  public Entry jvp2(String... by) {
    return derivative(Form.JVP2, by);
  }

  /**
   * The adjoints of the parameters, as {@code vjp}. Parameters: those of this entry, then the
   * adjoint of the result, of its type. The result is the adjoint of the one parameter by which the
   * derivative is taken, of its type; or, if there are several, a record with the parameters' names
   * as fields (a tuple, if not all of them have a name of their own).
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry vjp(String... by) {
    return derivative(Form.VJP, by);
  }

  /** As {@link #vjp}; the result is a pair of the value and the adjoints. */
  public Entry vjp2(String... by) {
    return derivative(Form.VJP2, by);
  }

  /**
   * The gradient of a function whose result is one float: {@link #vjp} with 1 as adjoint of the
   * result. Parameters: those of this entry.
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry gradient(String... by) {
    return derivative(Form.GRADIENT, by);
  }

  /** As {@link #gradient}; the result is a pair of the value and the gradient. */
  public Entry valueAndGradient(String... by) {
    return derivative(Form.VALUE_AND_GRADIENT, by);
  }

  /**
   * The derivatives of all elements of the result by all elements of one parameter, both floats or
   * arrays of floats: the dimensions of the result come first, then those of the parameter.
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry jacobian(String... by) {
    return derivative(Form.JACOBIAN, by);
  }

  /**
   * The second derivatives of a function whose result is one float, by all pairs of elements of one
   * parameter, a float or an array of floats: the dimensions of the parameter come twice.
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry hessian(String... by) {
    return derivative(Form.HESSIAN, by);
  }

  private Entry derivative(Form form, String... names) {
    var by = Chosen.parameters(entry.type(), names);
    return program.during(
        () ->
            derivatives.computeIfAbsent(
                new Derivative(form, by),
                _ -> {
                  var lowered = DerivedEntry.of(compiled.lowered(), entry.type(), form, by);
                  var derived = program.derivative(lowered);
                  return new Entry(program, derived, derived.entryPoints().getFirst());
                }));
  }
}
