package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7404;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Turns numbers and arrays of a configuration into values of a program. */
final class Hyperparameters {
  private Hyperparameters() {}

  /**
   * Returns the value.
   *
   * @param name what has the value, for messages
   * @throws UserError K7404 if it is none of the type
   */
  static Value value(ExternalType type, JsonNode node, String name) {
    if (!(type instanceof Transparent(var prim, var rank))) {
      throw new UserError(
          K7404,
          name + " has the type " + type.text() + " in the program",
          "a configuration can give numbers, truth values, and arrays of these");
    }
    var shape = new long[rank];
    var at = node;
    for (int i = 0; i < rank; i++) {
      if (!at.isArray()) {
        throw wrong(type, node, name);
      }
      shape[i] = at.size();
      at = at.isEmpty() ? at : at.get(0);
    }
    var scalars = new ArrayList<ScalarValue>();
    collect(prim, node, shape, 0, scalars, () -> wrong(type, node, name));
    if (rank == 0) {
      return scalars.getFirst();
    }
    if (scalars.isEmpty()) {
      return ArrayValue.of(prim, ArrayValue.allocate(prim, shape), shape);
    }
    return ArrayValue.stack(scalars).reshape(shape);
  }

  private static void collect(
      Prim prim,
      JsonNode node,
      long[] shape,
      int depth,
      List<ScalarValue> scalars,
      Supplier<UserError> wrong) {
    if (depth == shape.length) {
      scalars.add(scalar(prim, node, wrong));
      return;
    }
    if (!node.isArray() || node.size() != shape[depth]) {
      throw wrong.get();
    }
    node.forEach(n -> collect(prim, n, shape, depth + 1, scalars, wrong));
  }

  private static ScalarValue scalar(Prim prim, JsonNode node, Supplier<UserError> wrong) {
    if (prim == Prim.BOOL && node.isBoolean()) {
      return ScalarValue.bool(node.asBoolean());
    }
    if (prim.isFloat() && node.isNumber()) {
      return ScalarValue.ofDouble(prim, node.asDouble());
    }
    if (prim != Prim.BOOL && !prim.isFloat() && node.isIntegralNumber()) {
      int bits = 8 * prim.byteSize();
      var number = node.bigIntegerValue();
      boolean fits =
          prim.isSigned()
              ? number.bitLength() < bits
              : number.signum() >= 0 && number.compareTo(BigInteger.ONE.shiftLeft(bits)) < 0;
      if (fits) {
        return ScalarValue.ofLong(prim, number.longValue());
      }
    }
    throw wrong.get();
  }

  private static UserError wrong(ExternalType type, JsonNode node, String name) {
    var shown = node.toString();
    return new UserError(
        K7404,
        "%s is %s, but the program takes %s"
            .formatted(
                name, shown.length() <= 40 ? shown : shown.substring(0, 37) + "...", type.text()));
  }
}
