package dev.kenaz;

import static java.util.Objects.requireNonNull;

import dev.kenaz.ad.Derivation;
import dev.kenaz.ad.DerivedEntry.Form;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.pipeline.CompiledEntry;
import dev.kenaz.pipeline.CompiledProgram;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * This is a function of a program that can be called, or a derivative of one. Several threads may
 * use an entry at once; their calls share the cores that the program was compiled for.
 *
 * <h2>Arguments</h2>
 *
 * <p>A call takes one argument for each parameter. An argument is a number or a {@code Boolean}; a
 * Java array such as {@code float[][]}, all of whose rows must have equal lengths; a {@link
 * java.lang.foreign.MemorySegment} for an array of one dimension; a Java record for a record or a
 * tuple; an array of Java records for an array of records or tuples; or a {@link Value} of any
 * type. {@link ElementType} tells which Java types stand for which elements. Numbers are widened as
 * in Java. An integer is also accepted for a narrower type that holds it, where Java would ask for
 * a cast. No number is rounded, except to half precision.
 *
 * <h2>Derivatives</h2>
 *
 * <p>A derivative is an entry as well. It is taken by some of the parameters, which are given by
 * name or, as {@code "0"}, {@code "1"} and so on, by position; if none is given, it is taken by all
 * parameters that hold floats. A derivative is compiled when it is first asked for, and is kept
 * until the program is closed. Its results and errors are the same as if the program's author had
 * written {@code vjp} or {@code jvp}.
 */
public final class Entry extends Calls {
  private final Program program;
  private final CompiledProgram compiled;
  private final CompiledEntry entry;
  private final FunDef function;

  /** The derivatives that lead to this entry from one of the program's own. */
  private final List<Derivation> derivations;

  private final Map<Derivation, Entry> derivatives = new ConcurrentHashMap<>();

  Entry(Program program, CompiledProgram compiled, EntryPoint type, List<Derivation> derivations) {
    this.program = program;
    this.compiled = compiled;
    this.derivations = derivations;
    this.entry = compiled.entry(type.name());
    this.function = compiled.lowered().function(type.function());
  }

  /**
   * Returns the entry's name in the program; the name of a derivative tells which derivative of
   * which entry it is.
   */
  public String name() {
    return entry.name();
  }

  /** Returns the parameters in their order. */
  public List<Parameter> parameters() {
    return entry.type().params().stream()
        .map(p -> new Parameter(p.name(), p.type().text()))
        .toList();
  }

  /** Returns the type of the result as in the program, without sizes, such as {@code [][]f64}. */
  public String resultType() {
    return result().text();
  }

  private EntryPoint.ExternalType result() {
    return entry.type().results().getFirst().type();
  }

  /** Returns the name and the types, for messages. */
  @Override
  public String toString() {
    var text = new StringBuilder(name());
    parameters().forEach(p -> text.append(" (" + p.name() + ": " + p.type() + ")"));
    return text + ": " + resultType();
  }

  /** Compiles the entry, as its first call would otherwise have to do. Returns this entry. */
  public Entry prepare() {
    program.during(
        () -> {
          entry.prepare();
          return null;
        });
    return this;
  }

  // Calls

  /**
   * Calls the function with any number of arguments. The other methods take single arguments rather
   * than a list of variable length, because Java would take a {@code double[][]} for such a list.
   *
   * <p>The call neither changes nor keeps its arguments, and results share no memory with them.
   * Java arrays are copied. Native segments, and values over native segments, are read where they
   * are, except by a GPU. Until the call returns, nobody may change an argument or close its
   * segment.
   *
   * @return the result; its memory is the garbage collector's concern, and stays valid when the
   *     program is closed
   * @throws UserError K6301 or K6302 if the arguments don't fit the parameters, K5xxx if the
   *     program fails
   * @throws IllegalStateException if the program, or an argument's segment, is closed
   */
  @Override
  public Value callAll(List<?> arguments) {
    requireNonNull(arguments, "arguments");
    return program.during(
        () -> {
          var in = Arguments.of(program.origin(), entry.type(), function, arguments);
          return new Value(program.origin(), result(), Aliases.removed(in, entry.call(in)));
        });
  }

  // Pieces

  /**
   * Returns the same function, computed over pieces of some of its parameters. Its calls take the
   * same arguments and have the same results; the last digits of floats may differ.
   *
   * @param rows the names of the parameters that are divided: arrays with the same number of rows
   * @throws UserError K8002 if these parameters can't be divided
   * @throws Limitation K8001 if the function can't be computed in pieces
   */
  public EntryInPieces inPieces(String... rows) {
    for (var r : requireNonNull(rows, "rows")) {
      requireNonNull(r, "rows");
    }
    return inPieces(List.of(rows));
  }

  private EntryInPieces inPieces(List<String> rows) {
    return EntryInPieces.of(program, compiled.lowered(), derivations, entry.type(), rows);
  }

  /**
   * Returns the same function over a dataset that isn't in memory, such as {@code ArrowData}. Its
   * calls take the arguments for the other parameters.
   *
   * @throws UserError K8002 if the dataset's parameters can't be divided
   * @throws Limitation K8001 if the function can't be computed in pieces
   */
  public EntryInPieces over(Dataset dataset) {
    requireNonNull(dataset, "dataset");
    return inPieces(dataset.parameters()).over(dataset);
  }

  // Derivatives

  /**
   * Returns the entry that computes the tangent of the result, as {@code jvp} does. Its parameters
   * are those of this entry, then a tangent for each parameter by which the derivative is taken, of
   * the same type and shape as that parameter.
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry jvp(String... by) {
    return derivative(Form.JVP, by);
  }

  /**
   * Returns an entry like that of {@link #jvp}, whose result is a pair of this entry's result and
   * its tangent.
   */
  public Entry jvp2(String... by) {
    return derivative(Form.JVP2, by);
  }

  /**
   * Returns the entry that computes the adjoints of the parameters, as {@code vjp} does. Its
   * parameters are those of this entry, then the adjoint of the result, of the same type and shape
   * as the result. If the derivative is taken by one parameter, the result is the adjoint of that
   * parameter, of its type and shape; if it is taken by several, the result is a record with the
   * parameters' names as fields (a tuple, if not all of them have a name of their own).
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry vjp(String... by) {
    return derivative(Form.VJP, by);
  }

  /**
   * Returns an entry like that of {@link #vjp}, whose result is a pair of this entry's result and
   * the adjoints.
   */
  public Entry vjp2(String... by) {
    return derivative(Form.VJP2, by);
  }

  /**
   * Returns the entry that computes the gradient of a function whose result is one float: it is
   * {@link #vjp} with 1 as adjoint of the result. Its parameters are those of this entry.
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry gradient(String... by) {
    return derivative(Form.GRADIENT, by);
  }

  /**
   * Returns an entry like that of {@link #gradient}, whose result is a pair of this entry's result
   * and the gradient.
   */
  public Entry valueAndGradient(String... by) {
    return derivative(Form.VALUE_AND_GRADIENT, by);
  }

  /**
   * Returns the entry that computes the derivatives of all elements of the result by all elements
   * of one parameter. Both must be floats or arrays of floats. The dimensions of the result come
   * first in the Jacobian's shape, then those of the parameter.
   *
   * @throws UserError K6305 if there is no such derivative
   * @throws Limitation if Kenaz can't take it
   */
  public Entry jacobian(String... by) {
    return derivative(Form.JACOBIAN, by);
  }

  /**
   * Returns the entry that computes the second derivatives of a function whose result is one float,
   * by all pairs of elements of one parameter, which is a float or an array of floats. The
   * Hessian's shape has the dimensions of the parameter twice.
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
        () -> derivatives.computeIfAbsent(new Derivation(name(), form, by), this::derivative));
  }

  private Entry derivative(Derivation derivation) {
    var derived = program.derivative(derivation.of(compiled.lowered()));
    var all = Stream.concat(derivations.stream(), Stream.of(derivation)).toList();
    return new Entry(program, derived, derived.entryPoints().getFirst(), all);
  }
}
