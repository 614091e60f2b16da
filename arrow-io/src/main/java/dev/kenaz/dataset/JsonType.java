package dev.kenaz.dataset;

import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeSet;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** The type of a value in JSON, which may be null besides. */
sealed interface JsonType {

  /** Of what was always null. */
  record Unknown() implements JsonType {}

  /** Truth values, integers and numbers. */
  record Number(Prim type) implements JsonType {}

  /**
   * Strings.
   *
   * @param integers whether they are integers of which some are beyond i64. No type of numbers
   *     holds all of them exactly, so they become strings; beside numbers that aren't integers they
   *     are rounded as these are
   */
  record Text(boolean integers) implements JsonType {}

  /** Values whose type the user tells. Numbers, truth values and strings are read as such ones. */
  record Told(CsvType type) implements JsonType {}

  /**
   * Arrays.
   *
   * @param width how many elements all of them have; -1 if they are of different lengths
   */
  record Array(JsonType element, int width) implements JsonType {}

  /** Objects, which may lack members. */
  record Members(SequencedMap<String, JsonType> members) implements JsonType {
    /** An object without members. */
    static final Members NONE = new Members(new LinkedHashMap<>());

    /** Returns the columns that objects with these members become. */
    List<Field> fields() {
      var fields = new ArrayList<Field>();
      members.forEach((name, type) -> fields.add(type.field(name)));
      return fields;
    }
  }

  JsonType UNKNOWN = new Unknown();
  JsonType TEXT = new Text(false);
  JsonType INTEGERS = new Text(true);
  JsonType BOOL = new Number(Prim.BOOL);
  JsonType I64 = new Number(Prim.I64);
  JsonType F64 = new Number(Prim.F64);

  /** Returns the narrowest type that holds what both hold; nothing if there is none. */
  static Optional<JsonType> join(JsonType a, JsonType b) {
    if (a.equals(b) || b instanceof Unknown) {
      return Optional.of(a);
    }
    if (a instanceof Unknown) {
      return Optional.of(b);
    }
    if (a instanceof Number(var p) && b instanceof Number(var q)) {
      return p == Prim.BOOL || q == Prim.BOOL ? Optional.empty() : Optional.of(F64);
    }
    if (a instanceof Text(var integers) && integers && b instanceof Number(var q)) {
      return withIntegers(q);
    }
    if (a instanceof Number(var p) && b instanceof Text(var integers) && integers) {
      return withIntegers(p);
    }
    if (a instanceof Array(var p, int m) && b instanceof Array(var q, int n)) {
      return join(p, q).map(element -> new Array(element, m == n ? m : -1));
    }
    return a instanceof Members(var p) && b instanceof Members(var q)
        ? members(p, q)
        : Optional.empty();
  }

  private static Optional<JsonType> withIntegers(Prim numbers) {
    return numbers == Prim.BOOL
        ? Optional.empty()
        : Optional.of(numbers.isFloat() ? F64 : INTEGERS);
  }

  private static Optional<JsonType> members(
      SequencedMap<String, JsonType> a, SequencedMap<String, JsonType> b) {
    var all = new LinkedHashMap<>(a);
    for (var member : b.entrySet()) {
      var joined = join(all.getOrDefault(member.getKey(), UNKNOWN), member.getValue());
      if (joined.isEmpty()) {
        return Optional.empty();
      }
      all.put(member.getKey(), joined.get());
    }
    return Optional.of(new Members(all));
  }

  /** Returns the column that values of this type become. */
  default Field field(String name) {
    return switch (this) {
      case Unknown _ -> nullable(name, Columns.type(Prim.F64));
      case Number n -> nullable(name, Columns.type(n.type()));
      case Text _ -> nullable(name, ArrowType.Utf8.INSTANCE);
      case Told(var type) -> type.field(name, true);
      case Array a ->
          new Field(
              name,
              FieldType.nullable(
                  a.width() > 0 ? new ArrowType.FixedSizeList(a.width()) : new ArrowType.List()),
              List.of(a.element().field("item")));
      case Members m -> new Field(name, FieldType.nullable(ArrowType.Struct.INSTANCE), m.fields());
    };
  }

  /** Returns the type of a column whose values, or the elements of whose arrays, are of a type. */
  default JsonType told(CsvType type) {
    return switch (this) {
      case Unknown _ -> new Told(type);
      case Array(var element, int width) -> new Array(element.told(type), width);
      case Number _, Text _, Told _, Members _ -> this;
    };
  }

  private static Field nullable(String name, ArrowType type) {
    return new Field(name, FieldType.nullable(type), List.of());
  }

  /** Returns what messages call such values. */
  default String text() {
    return switch (this) {
      case Unknown _ -> "null";
      case Number(var type) when type == Prim.BOOL -> "a truth value";
      case Number(var type) -> type.isFloat() ? "a number" : "an integer";
      case Text(var integers) -> integers ? "an integer" : "a string";
      case Told(var type) -> type.text();
      case Array(var element, _) -> "an array of " + element.text();
      case Members(var members) -> "an object with " + new TreeSet<>(members.keySet());
    };
  }
}
