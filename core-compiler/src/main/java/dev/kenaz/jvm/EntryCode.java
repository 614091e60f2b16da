package dev.kenaz.jvm;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CounterBounds;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.LoopFun.ArrayResult;
import dev.kenaz.loopir.LoopFun.ScalarResult;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.value.Prim;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * An entry's class, and what calls of it need to know besides.
 *
 * @param classFile the class, see {@link EntryClass}
 * @param method the entry's method in it
 * @param params of the core function
 * @param results what the method returns
 * @param faults with which the code may end, by their numbers
 * @param labels of traces, by their numbers
 * @param places where the code accesses memory, by their numbers, if that is checked
 */
public record EntryCode(
    byte[] classFile,
    String method,
    List<Var> params,
    List<Result> results,
    List<Context.FaultSite> faults,
    List<String> labels,
    List<Context.Place> places)
    implements Serializable {

  /** Nothing else is in what {@link #toBytes} writes. */
  private static final ObjectInputFilter OURS =
      ObjectInputFilter.Config.createFilter("dev.kenaz.**;java.util.*;java.lang.*;!*");

  public EntryCode {
    params = List.copyOf(params);
    results = List.copyOf(results);
    faults = List.copyOf(faults);
    labels = List.copyOf(labels);
    places = List.copyOf(places);
  }

  /**
   * One of the core function's results: an address and sizes, or a number if the rank is 0.
   *
   * @param prim of the elements
   */
  public record Result(Prim prim, int rank) implements Serializable {
    /** Returns how many words the code returns for it. */
    int words() {
      return rank == 0 ? 1 : 3 + rank;
    }
  }

  /**
   * Makes an entry's class.
   *
   * @param callees by their names
   */
  static EntryCode of(
      LoopFun function,
      Map<String, LoopProgram.Callee> callees,
      JvmOptions options,
      Constants constants,
      Map<Code, Span> places) {
    var plain = CounterBounds.without(function);
    var code =
        options.vectors() == JvmOptions.Vectors.OFF
            ? plain
            : ColumnLoops.in(
                Lanes.in(Distances.in(Contraction.in(EarlyChecks.in(FlatRows.in(plain))))));
    var made = new EntryClass(code, callees, options, constants::address, places);
    var results = function.results().stream().map(EntryCode::result).toList();
    return new EntryCode(
        made.bytes(),
        made.entryName(),
        function.variables(),
        results,
        made.faults(),
        made.labels(),
        made.places());
  }

  private static Result result(LoopFun.Result result) {
    return switch (result) {
      case ScalarResult(var e) -> new Result(e.prim(), 0);
      case ArrayResult(var prim, _, _, var dims) -> new Result(prim, dims.size());
    };
  }

  /** Returns the code as {@link #ofBytes} reads it. */
  public byte[] toBytes() {
    var bytes = new ByteArrayOutputStream();
    try (var out = new ObjectOutputStream(bytes)) {
      out.writeObject(this);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads code that this version of the compiler has written.
   *
   * @throws IOException if it isn't
   */
  public static EntryCode ofBytes(byte[] bytes) throws IOException {
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      in.setObjectInputFilter(OURS);
      return (EntryCode) in.readObject();
    } catch (ClassNotFoundException | ClassCastException e) {
      throw new IOException(e);
    }
  }
}
