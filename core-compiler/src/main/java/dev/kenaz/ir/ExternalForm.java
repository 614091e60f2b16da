package dev.kenaz.ir;

import static dev.kenaz.error.ErrorCode.K6301;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Flat;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * These are the parameters or the results of an entry point as they are written in a file: one
 * value for each core value, but none for {@code ()}, which inside is a value like others.
 *
 * @param values the types; nothing where nothing is written
 */
public record ExternalForm(List<Optional<Flat>> values) {
  /** What {@code ()} is made of. */
  public static final Value NOTHING = new ScalarValue(Prim.BOOL, 0);

  public static ExternalForm parameters(EntryPoint entry) {
    return of(entry.params().stream().map(EntryPoint.Param::type));
  }

  /** Returns the parameters that are not among those of these names. */
  public static ExternalForm parametersBeside(EntryPoint entry, Collection<String> names) {
    return of(
        entry.params().stream().filter(p -> !names.contains(p.name())).map(EntryPoint.Param::type));
  }

  public static ExternalForm results(EntryPoint entry) {
    return of(entry.results().stream().map(EntryPoint.Result::type));
  }

  private static ExternalForm of(Stream<ExternalType> types) {
    return new ExternalForm(types.flatMap(t -> t.written().stream()).toList());
  }

  /** Core values: those written, as far as there are any, with those of {@code ()}. */
  public List<Value> read(ValueReader in) {
    var all = new ArrayList<Value>();
    for (var type : values) {
      if (type.isEmpty()) {
        all.add(NOTHING);
      } else if (in.hasNext()) {
        all.add(in.nextAs(type.get().prim()));
      }
    }
    while (count() > 0 && in.hasNext()) {
      all.add(in.next());
    }
    return all;
  }

  /**
   * Reads as many values as there are to be.
   *
   * @param name who takes them, for the message
   * @throws UserError K6301 if there are more or fewer
   */
  public List<Value> readAll(ValueReader in, String name) {
    var all = read(in);
    if (all.size() != values.size()) {
      long there = all.size() - values.size() + count();
      throw new UserError(K6301, name + " takes " + count() + " values, but there are " + there);
    }
    return all;
  }

  /** Returns those of the core values that are written. */
  public List<Value> of(List<? extends Value> all) {
    var written = new ArrayList<Value>();
    for (int i = 0; i < all.size(); i++) {
      if (values.get(i).isPresent()) {
        written.add(all.get(i));
      }
    }
    return written;
  }

  private long count() {
    return values.stream().filter(Optional::isPresent).count();
  }
}
