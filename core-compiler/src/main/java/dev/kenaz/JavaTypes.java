package dev.kenaz;

import dev.kenaz.ir.EntryPoint.Abstract;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;

/** Names the types of Java that stand for those of a program, for messages. */
final class JavaTypes {
  private JavaTypes() {}

  /** Says what a value of the type is in Java. */
  static String text(ExternalType type) {
    return switch (type) {
      case Transparent(var prim, var rank) when rank == 0 -> Scalars.natural(prim).getSimpleName();
      case Transparent(var prim, var rank) ->
          JavaArrays.components(prim).getFirst().getSimpleName() + "[]".repeat(rank);
      case RecordType r -> JavaRecords.wanted(r);
      case OpaqueArray(_, RecordType r, var rank) ->
          JavaRecords.wanted(r) + " in an array of " + rank + " dimensions";
      case OpaqueArray(_, _, var rank) -> "Value" + "[]".repeat(rank);
      case SumType _, Abstract _ -> "Value";
    };
  }
}
