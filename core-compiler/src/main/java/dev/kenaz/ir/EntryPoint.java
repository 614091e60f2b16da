package dev.kenaz.ir;

import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Optional;

/**
 * This is a function that can be called from outside, with its types as its author wrote them.
 *
 * <p>The parameters of the core function are, in order: the sizes that its array parameters share
 * (see {@code sizeParams}), then each parameter's flat components. The results likewise: {@code
 * resultSizes} i64 sizes that callers drop, then each result's flat components.
 *
 * @param name as called
 * @param function the {@link FunDef}
 * @param sizeParams how many leading size parameters the function has; the caller reads each off
 *     the first array that has it as a dimension
 * @param resultSizes how many leading size results the function has
 */
public record EntryPoint(
    String name,
    String function,
    int sizeParams,
    List<Param> params,
    int resultSizes,
    List<Result> results) {
  public EntryPoint {
    params = List.copyOf(params);
    results = List.copyOf(results);
  }

  /** A parameter; {@code unique} means that the call consumes it. */
  public record Param(String name, boolean unique, ExternalType type) {}

  public record Result(boolean unique, ExternalType type) {}

  /** This is a type as callers see it: with the names and the structure of the source program. */
  public sealed interface ExternalType {
    /**
     * Returns the type as the source language writes it, without sizes: {@code i32}, {@code
     * [][]f64}, {@code point}.
     */
    String text();

    /**
     * How many core values make one such value, and their types: scalars of rank 0, arrays above.
     */
    List<Flat> flat();

    /**
     * Returns the same values, with nothing for a {@code ()} outside arrays, which nobody writes.
     */
    default List<Optional<Flat>> written() {
      return switch (this) {
        case RecordType(_, var fields) when fields.isEmpty() -> List.of(Optional.empty());
        case RecordType(_, var fields) ->
            fields.stream().flatMap(f -> f.type().written().stream()).toList();
        default -> flat().stream().map(Optional::of).toList();
      };
    }
  }

  /** This is the type of one of the core values that an external value consists of. */
  public record Flat(Prim prim, int rank) {}

  /** A number or an array of numbers is passed as it is. */
  public record Transparent(Prim prim, int rank) implements ExternalType {
    @Override
    public String text() {
      return "[]".repeat(rank) + prim.text();
    }

    @Override
    public List<Flat> flat() {
      return List.of(new Flat(prim, rank));
    }
  }

  /** A named field of a record; tuples have fields {@code 0}, {@code 1}, … */
  public record Field(String name, ExternalType type) {}

  /**
   * A constructor of a sum type. {@code slots}: which flat components of the sum its payload uses.
   */
  public record Variant(String name, List<ExternalType> payload, List<Integer> slots) {
    public Variant {
      payload = List.copyOf(payload);
      slots = List.copyOf(slots);
    }
  }

  /** A record or tuple. That of no fields is a truth value, false, which nobody reads. */
  public record RecordType(String text, List<Field> fields) implements ExternalType {
    public RecordType {
      fields = List.copyOf(fields);
    }

    @Override
    public List<Flat> flat() {
      return fields.isEmpty()
          ? List.of(new Flat(Prim.BOOL, 0))
          : fields.stream().flatMap(f -> f.type().flat().stream()).toList();
    }
  }

  /** A sum: an i8 tag (the constructors in alphabetical order), then the shared payload slots. */
  public record SumType(String text, List<Variant> variants, List<Flat> flat)
      implements ExternalType {
    public SumType {
      variants = List.copyOf(variants);
      flat = List.copyOf(flat);
    }
  }

  /** An array of what is not a number: arrays of the element's flat components. */
  public record OpaqueArray(String text, ExternalType elem, int rank) implements ExternalType {
    @Override
    public List<Flat> flat() {
      return elem.flat().stream().map(f -> new Flat(f.prim(), f.rank() + rank)).toList();
    }
  }

  /**
   * An abstract type: its parts are hidden.
   *
   * @param identity tells the type from all others of the program; its text doesn't, which depends
   *     on the place where the type is mentioned
   */
  public record Abstract(String text, String identity, List<Flat> flat) implements ExternalType {
    public Abstract {
      flat = List.copyOf(flat);
    }
  }
}
