package dev.kenaz.jobs.tools;

import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;

/**
 * Writes values of any type to files, and reads them: numbers and arrays of them in Futhark's
 * binary format, everything else as its flat components in order.
 */
public final class Serialised {
  private Serialised() {}

  /**
   * Reads a value, which may also be text.
   *
   * @throws dev.kenaz.error.UserError if the value has another type
   */
  public static Item read(ExternalType type, ValueReader in) {
    var flat = new ArrayList<Value>();
    for (var f : type.flat()) {
      var v = in.nextAs(f.prim());
      if (v.prim() != f.prim() || v.rank() != f.rank()) {
        throw ToolFault.type(
            "expected a value of type %s%s, but the file has one of type %s"
                .formatted("[]".repeat(f.rank()), f.prim(), v.typeName()));
      }
      flat.add(v);
    }
    return new Item(type, flat);
  }

  public static void write(Item item, OutputStream out) throws IOException {
    for (var v : item.flat()) {
      ValueWriter.writeBinary(v, out);
    }
  }
}
