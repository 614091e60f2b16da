package dev.kenaz.dataset;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** Fills batches with random values, among which extreme ones are frequent. */
final class RandomBatches {
  private static final String[] TEXTS = {
    "",
    "a",
    "é€😀",
    "a,b",
    "say \"x\"",
    "line\nbreak",
    " spaces ",
    "\ttab",
    "x:y",
    "back\\slash",
    "'"
  };

  private final SplittableRandom random;
  private final boolean wholeMillis;

  RandomBatches(long seed) {
    this(seed, false);
  }

  /**
   * @param wholeMillis whether points of time are whole milliseconds within a century or so
   */
  RandomBatches(long seed, boolean wholeMillis) {
    this.random = new SplittableRandom(seed);
    this.wholeMillis = wholeMillis;
  }

  SplittableRandom random() {
    return random;
  }

  /** Fills a batch; columns of nullable fields have nulls, the first row has none. */
  void fill(VectorSchemaRoot batch, int rows) {
    batch.clear();
    for (var vector : batch.getFieldVectors()) {
      vector.allocateNew();
      for (int i = 0; i < rows; i++) {
        value(vector, i, i > 0);
      }
    }
    batch.setRowCount(rows);
  }

  private void value(FieldVector vector, int i, boolean mayBeNull) {
    if (mayBeNull && vector.getField().isNullable() && random.nextInt(5) == 0) {
      vector.setNull(i);
      return;
    }
    switch (vector) {
      case VarCharVector v -> v.setSafe(i, text().getBytes(StandardCharsets.UTF_8));
      case LargeVarCharVector v -> v.setSafe(i, text().getBytes(StandardCharsets.UTF_8));
      case ViewVarCharVector v -> v.setSafe(i, (text() + text()).getBytes(StandardCharsets.UTF_8));
      case VarBinaryVector v -> v.setSafe(i, bytes(random.nextInt(5)));
      case LargeVarBinaryVector v -> v.setSafe(i, bytes(random.nextInt(5)));
      case FixedSizeBinaryVector v -> v.setSafe(i, bytes(v.getByteWidth()));
      case DecimalVector v -> v.setSafe(i, decimal(v.getPrecision(), v.getScale()));
      case DateDayVector v -> v.setSafe(i, random.nextInt(-700_000, 2_900_000));
      case TimeMilliVector v -> v.setSafe(i, random.nextInt(86_400_000));
      case TimeMicroVector v -> v.setSafe(i, random.nextLong(86_400_000_000L));
      case TimeNanoVector v -> v.setSafe(i, random.nextLong(86_400_000_000_000L));
      case TimeStampVector v -> v.setSafe(i, timestamp(v));
      case MapVector v -> elements(v, i, random.nextInt(4));
      case ListVector v -> elements(v, i, random.nextInt(4));
      case LargeListVector v -> {
        int n = random.nextInt(4);
        int from = (int) v.startNewValue(i);
        for (int j = 0; j < n; j++) {
          value(v.getDataVector(), from + j, true);
        }
        v.endValue(i, n);
      }
      case FixedSizeListVector v -> {
        int from = v.startNewValue(i);
        for (int j = 0; j < v.getListSize(); j++) {
          value(v.getDataVector(), from + j, i > 0);
        }
      }
      case StructVector v -> {
        v.setIndexDefined(i);
        v.getChildrenFromFields().forEach(child -> value(child, i, i > 0));
      }
      case BaseFixedWidthVector v -> {
        var numbers = NumberVector.of(v).orElseThrow();
        numbers.set(i, number(numbers));
      }
      default -> throw new IllegalArgumentException(vector.toString());
    }
  }

  private void elements(ListVector v, int i, int n) {
    int from = v.startNewValue(i);
    for (int j = 0; j < n; j++) {
      value(v.getDataVector(), from + j, true);
    }
    v.endValue(i, n);
  }

  private long number(NumberVector numbers) {
    var type = numbers.type();
    if (type.isFloat()) {
      double[] special = {
        0, -0.0, 1, 1e300, 5e-324, -1e-40, 1 / 3.0, Double.NaN, 1 / 0.0, -1 / 0.0
      };
      boolean plain = random.nextBoolean();
      double x = plain ? random.nextGaussian() : special[random.nextInt(special.length)];
      return type.normalise(type.fromDouble(x));
    }
    long[] special = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 31, 127, 255};
    long x = random.nextBoolean() ? random.nextLong() : special[random.nextInt(special.length)];
    return type.normalise(x);
  }

  private long timestamp(TimeStampVector vector) {
    if (!wholeMillis) {
      return random.nextLong(-(1L << 55), 1L << 57);
    }
    var type = (ArrowType.Timestamp) vector.getField().getType();
    long millis = random.nextLong(-(1L << 42), 1L << 42);
    return switch (type.getUnit()) {
      case SECOND -> millis / 1000;
      case MILLISECOND -> millis;
      case MICROSECOND -> 1000 * millis;
      case NANOSECOND -> 1_000_000 * (millis >> 10); // a double, as JavaScript's numbers are
    };
  }

  private String text() {
    return TEXTS[random.nextInt(TEXTS.length)] + (random.nextBoolean() ? "" : "word");
  }

  private byte[] bytes(int n) {
    var bytes = new byte[n];
    random.nextBytes(bytes);
    return bytes;
  }

  private BigDecimal decimal(int precision, int scale) {
    var all = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
    var digits =
        switch (random.nextInt(4)) {
          case 0 -> all;
          case 1 -> all.negate();
          default -> BigInteger.valueOf(random.nextInt()).mod(all);
        };
    return new BigDecimal(digits, scale);
  }

  /** Chooses a few of some types of columns, each perhaps several times. */
  Schema schema(List<Field> kinds, int most) {
    var fields = new ArrayList<Field>();
    int n = 1 + random.nextInt(most);
    for (int i = 0; i < n; i++) {
      var kind = kinds.get(random.nextInt(kinds.size()));
      fields.add(new Field("c" + i, kind.getFieldType(), kind.getChildren()));
    }
    return new Schema(fields);
  }
}
