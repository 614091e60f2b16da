package dev.kenaz.jobs.tools;

import dev.kenaz.error.NearestName;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Field;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Variant;
import dev.kenaz.ir.ExternalForm;
import dev.kenaz.ir.SameType;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Puts records, tuples and sums together, and takes them apart. */
public final class Records {
  /** The flat components of a record without fields. */
  public static final List<Value> NOTHING = List.of(ExternalForm.NOTHING);

  private Records() {}

  /** Returns the fields of a record type, or of an array of records. */
  public static List<Field> fields(ExternalType type) {
    return ExternalTypes.fields(type)
        .orElseThrow(() -> ToolFault.type("not a record type: " + type.text()));
  }

  /** Makes a record from its fields, in their order. */
  public static Item record(ExternalType type, List<Item> values) {
    if (!(type instanceof RecordType(_, var fields))) {
      throw ToolFault.type("not a record type: " + type.text());
    }
    var flat = joined(type, fields.stream().map(Field::type).toList(), values);
    return new Item(type, fields.isEmpty() ? NOTHING : flat);
  }

  /** Makes an array of records from the arrays of their fields. */
  public static Item zip(ExternalType type, List<Item> arrays) {
    if (!(type instanceof OpaqueArray array)) {
      throw ToolFault.type("not an array of records: " + type.text());
    }
    var fields = fields(type);
    var flat = joined(type, fields.stream().map(Field::type).toList(), arrays);
    Arrays.commonShape(flat, array.rank());
    return new Item(type, flat);
  }

  private static List<Value> joined(
      ExternalType whole, List<ExternalType> parts, List<Item> values) {
    if (parts.size() != values.size()) {
      throw ToolFault.command(
          whole.text() + " has " + parts.size() + " parts, not " + values.size());
    }
    var flat = new ArrayList<Value>();
    for (int i = 0; i < parts.size(); i++) {
      require(parts.get(i), values.get(i), "part " + (i + 1) + " of " + whole.text());
      flat.addAll(values.get(i).flat());
    }
    return flat;
  }

  /** Throws if the value is of another type. */
  public static void require(ExternalType wanted, Item value, String what) {
    if (!SameType.same(wanted, value.type())) {
      throw ToolFault.type(
          "%s has type %s, but a value of %s given"
              .formatted(what, wanted.text(), value.type().text()));
    }
  }

  /**
   * Returns all fields of a record in their order; for an array of records, each field is an array.
   */
  public static List<Item> parts(Item record) {
    var parts = new ArrayList<Item>();
    int at = 0;
    for (var f : fields(record.type())) {
      int next = at + f.type().flat().size();
      parts.add(new Item(f.type(), record.flat().subList(at, next)));
      at = next;
    }
    return parts;
  }

  /** Returns one field. */
  public static Item project(Item record, String name) {
    var names = fields(record.type()).stream().map(Field::name).toList();
    int i = names.indexOf(name);
    if (i < 0) {
      throw ToolFault.name(
          "no field " + name + " in type " + record.type().text(), NearestName.hint(name, names));
    }
    return parts(record).get(i);
  }

  private static SumType sum(ExternalType type) {
    if (type instanceof SumType s) {
      return s;
    }
    throw ToolFault.type("not a sum type: " + type.text());
  }

  /** Returns the constructors of a sum type. */
  public static List<Variant> variants(ExternalType type) {
    return sum(type).variants();
  }

  /** Returns the constructor that made a value. */
  public static Variant variant(Item value) {
    var variants = variants(value.type());
    return variants.get((int) ((ScalarValue) value.flat().getFirst()).asLong());
  }

  /** Makes a value of a sum type. */
  public static Item construct(ExternalType type, String name, List<Item> payload) {
    var sum = sum(type);
    var names = sum.variants().stream().map(Variant::name).toList();
    int tag = names.indexOf(name);
    if (tag < 0) {
      throw ToolFault.name(
          "no variant " + name + " in type " + type.text(), NearestName.hint(name, names));
    }
    var variant = sum.variants().get(tag);
    var given = joined(type, variant.payload(), payload);
    var flat = new ArrayList<Value>();
    for (var f : sum.flat()) {
      flat.add(
          f.rank() == 0
              ? new ScalarValue(f.prim(), 0)
              : ArrayValue.of(f.prim(), ArrayValue.allocate(f.prim(), 0), new long[f.rank()]));
    }
    flat.set(0, new ScalarValue(sum.flat().getFirst().prim(), tag));
    for (int i = 0; i < given.size(); i++) {
      flat.set(1 + variant.slots().get(i), given.get(i));
    }
    return new Item(type, flat);
  }

  /** Returns the payload of a value's constructor. */
  public static List<Item> destruct(Item value) {
    var variant = variant(value);
    var payload = new ArrayList<Item>();
    int slot = 0;
    for (var type : variant.payload()) {
      var flat = new ArrayList<Value>();
      for (int i = 0; i < type.flat().size(); i++) {
        flat.add(value.flat().get(1 + variant.slots().get(slot++)));
      }
      payload.add(new Item(type, flat));
    }
    return Collections.unmodifiableList(payload);
  }
}
