package dev.kenaz.jobs.tools;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Makes random values, which are the same for the same seed. Integers have all values of their type
 * and floats are between 0 and 1, unless bounds are set.
 */
public final class ValueGenerator {
  private record Bounds(Value low, Value high) {}

  /** A type with sizes. */
  private record Shape(Prim prim, long[] dims) {}

  private SplittableRandom random;
  private final Map<Prim, Bounds> bounds = new EnumMap<>(Prim.class);

  public ValueGenerator(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Starts again with another seed; the bounds stay. */
  public void seed(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Sets bounds, both inclusive, for the values of the type from now on. */
  public void bound(Prim prim, String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw ToolFault.command("bounds are MIN:MAX, not " + text);
    }
    var low = number(prim, text.substring(0, colon));
    var high = number(prim, text.substring(colon + 1));
    if (low.asDouble() > high.asDouble()) {
      throw ToolFault.command("the bounds " + text + " leave nothing");
    }
    bounds.put(prim, new Bounds(low, high));
  }

  private static ScalarValue number(Prim prim, String text) {
    try (var in = ValueReader.of(text.getBytes(), "<bounds>")) {
      if (in.nextAs(prim) instanceof ScalarValue s && s.prim() == prim && !in.hasNext()) {
        return s;
      }
    }
    throw ToolFault.type("not a number of type " + prim + ": " + text);
  }

  /**
   * Returns a random value of a type such as {@code [10][2]f32}; for a constant such as {@code
   * 10i64}, that constant.
   */
  public Value generate(String type) {
    var text = type.strip();
    if (!text.isEmpty() && (Character.isDigit(text.charAt(0)) || text.charAt(0) == '-')) {
      return ValueReader.parse(text).getFirst();
    }
    var shape = shape(text);
    if (shape.dims().length == 0) {
      return new ScalarValue(shape.prim(), bits(shape.prim()));
    }
    var data = ArrayValue.allocate(shape.prim(), shape.dims());
    long n = ArrayValue.count(shape.dims());
    for (long i = 0; i < n; i++) {
      Elements.setBits(data, shape.prim(), i, bits(shape.prim()));
    }
    return ArrayValue.of(shape.prim(), data, shape.dims());
  }

  /** Returns the dimensions of a type such as {@code [10][2]f32}. */
  public static long[] dimensions(String type) {
    return shape(type.strip()).dims();
  }

  /** Returns the element type of a type such as {@code [10][2]f32}. */
  public static Prim element(String type) {
    return shape(type.strip()).prim();
  }

  private static Shape shape(String type) {
    var dims = new ArrayList<Long>();
    int at = 0;
    while (at < type.length() && type.charAt(at) == '[') {
      int end = type.indexOf(']', at);
      try {
        dims.add(Long.parseLong(type.substring(at + 1, end).strip().replaceFirst("i64$", "")));
      } catch (NumberFormatException | StringIndexOutOfBoundsException _) {
        throw ToolFault.command("a type with sizes is needed, such as [10]f32, not " + type);
      }
      at = end + 1;
    }
    var rest = type.substring(at).strip();
    var prim = Prim.named(rest).orElseThrow(() -> ToolFault.name("there is no type " + rest));
    if (dims.stream().anyMatch(d -> d < 0)) {
      throw ToolFault.command("a negative size in " + type);
    }
    return new Shape(prim, dims.stream().mapToLong(d -> d).toArray());
  }

  private long bits(Prim prim) {
    var b = bounds.get(prim);
    if (prim == Prim.BOOL) {
      return random.nextInt(2);
    }
    if (prim.isFloat()) {
      double low = b == null ? 0 : ((ScalarValue) b.low()).asDouble();
      double high = b == null ? 1 : ((ScalarValue) b.high()).asDouble();
      return prim.fromDouble(low + random.nextDouble() * (high - low));
    }
    if (b == null) {
      return random.nextLong();
    }
    long low = ((ScalarValue) b.low()).asLong();
    long count = ((ScalarValue) b.high()).asLong() - low + 1;
    return low
        + (count == 0 ? random.nextLong() : Long.remainderUnsigned(random.nextLong(), count));
  }
}
