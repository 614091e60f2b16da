package dev.kenaz.dataset;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.arrow.ColumnData;
import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.math.BigInteger;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Counts the nulls of a column, and finds the range of its numbers; of lists, of all their
 * elements.
 */
final class ColumnStatistics {
  private final String name;
  private final Prim prim;
  private long nulls;
  private long nans;
  private boolean any;
  private double least = Double.POSITIVE_INFINITY;
  private double most = Double.NEGATIVE_INFINITY;
  private long leastInteger;
  private long mostInteger;

  ColumnStatistics(Field field) {
    this.name = field.getName();
    this.prim = ColumnInfo.of(field).prim().orElse(null);
    boolean unsigned = prim == Prim.U64;
    this.leastInteger = unsigned ? -1 : Long.MAX_VALUE;
    this.mostInteger = unsigned ? 0 : Long.MIN_VALUE;
  }

  String name() {
    return name;
  }

  /** Adds the rows of a batch. */
  void add(FieldVector column) {
    if (prim == null) {
      nulls += column.getNullCount();
      return;
    }
    var data = ColumnData.of(column);
    if (data.mayHaveNulls()) {
      for (long row = 0; row < data.rows(); row++) {
        if (data.isNull(row)) {
          nulls++;
        } else {
          add(data, row, row + 1);
        }
      }
    } else {
      add(data, 0, data.rows());
    }
  }

  private void add(ColumnData c, long from, long to) {
    long first = (c.offset() + from) * c.info().width();
    long end = (c.offset() + to) * c.info().width();
    any |= end > first;
    switch (prim) {
      case BOOL -> {
        for (long i = first; i < end; i++) {
          integer(ColumnData.bit(c.data(), i) ? 1 : 0);
        }
      }
      case F16, F32, F64 -> reals(c, first, end);
      case U64 -> {
        for (long i = first; i < end; i++) {
          long x = Elements.bits(c.data(), Prim.U64, i);
          leastInteger = Long.compareUnsigned(x, leastInteger) < 0 ? x : leastInteger;
          mostInteger = Long.compareUnsigned(x, mostInteger) > 0 ? x : mostInteger;
        }
      }
      case I8, I16, I32, I64, U8, U16, U32 -> {
        for (long i = first; i < end; i++) {
          integer(Elements.bits(c.data(), prim, i));
        }
      }
    }
  }

  private void integer(long x) {
    leastInteger = Math.min(leastInteger, x);
    mostInteger = Math.max(mostInteger, x);
  }

  private void reals(ColumnData c, long first, long end) {
    double min = least;
    double max = most;
    long bad = 0;
    for (long i = first; i < end; i++) {
      double x = prim.toDouble(Elements.bits(c.data(), prim, i));
      if (x < min) {
        min = x;
      }
      if (x > max) {
        max = x;
      }
      bad += x != x ? 1 : 0;
    }
    least = min;
    most = max;
    nans += bad;
  }

  /** Returns the counts, and the range if there are numbers. */
  ObjectNode json() {
    var json = JsonNodeFactory.instance.objectNode();
    json.put("nulls", nulls);
    if (prim == null) {
      return json;
    }
    if (prim.isFloat()) {
      json.put("nans", nans);
      if (least <= most) {
        put(json, "min", least);
        put(json, "max", most);
      }
    } else if (any) {
      json.put("min", integerOf(leastInteger));
      json.put("max", integerOf(mostInteger));
    }
    return json;
  }

  private BigInteger integerOf(long bits) {
    return prim == Prim.U64
        ? new BigInteger(Long.toUnsignedString(bits))
        : BigInteger.valueOf(bits);
  }

  /** JSON has no numbers that are infinite. */
  private static void put(ObjectNode json, String key, double x) {
    if (Double.isInfinite(x)) {
      json.put(key, x > 0 ? "inf" : "-inf");
    } else {
      json.put(key, x);
    }
  }
}
