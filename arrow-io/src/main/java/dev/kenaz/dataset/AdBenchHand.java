package dev.kenaz.dataset;

import static dev.kenaz.error.ErrorCode.K6141;

import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Reads the model of ADBench's hand, three files whose fields are separated by colons: the bones
 * with their parents and matrices, the vertices with the weights of their bones, and the triangles.
 */
final class AdBenchHand {
  /** The fields between the coordinates of a vertex and its weights, which nothing uses. */
  private static final int UNUSED = 5;

  private final TextLines in;
  private int at;

  private AdBenchHand(TextLines in) {
    this.in = in;
  }

  static void put(
      AdBenchFile.Model model,
      boolean triangles,
      SequencedMap<String, SequencedMap<String, ArrayValue>> tables) {
    long bones;
    try (var in = new TextLines(model.file("bones"))) {
      var table = new AdBenchHand(in).bones();
      bones = table.get("parent").dim(0);
      tables.put("bones", table);
    }
    try (var in = new TextLines(model.file("vertices"))) {
      tables.put("vertices", new AdBenchHand(in).vertices(bones));
    }
    if (triangles) {
      try (var in = new TextLines(model.file("triangles"))) {
        tables.put("triangles", new AdBenchHand(in).triangles());
      }
    }
  }

  /** Goes in front of the next line's first field. */
  private boolean next() {
    if (!in.next() || !in.word()) {
      return false;
    }
    at = in.from();
    return true;
  }

  /** Goes behind the next field, and returns where it begins. */
  private int field() {
    int from = at;
    if (from >= in.to()) {
      throw in.at(K6141, "the line has too few fields");
    }
    int end = from;
    while (end < in.to() && in.bytes()[end] != ':') {
      end++;
    }
    at = end + 1;
    return from;
  }

  private long number(Prim type) {
    int from = field();
    return in.number(from, at - 1, type);
  }

  private void reals(ArrayBuilder to, int n) {
    for (int i = 0; i < n; i++) {
      to.add(number(Prim.F64));
    }
  }

  private SequencedMap<String, ArrayValue> bones() {
    var parents = new ArrayBuilder(Prim.I64);
    var base = new ArrayBuilder(Prim.F64);
    var inverse = new ArrayBuilder(Prim.F64);
    while (next()) {
      field(); // the name
      parents.add(number(Prim.I64));
      reals(base, 16);
      reals(inverse, 16);
    }
    long n = parents.count();
    var table = new LinkedHashMap<String, ArrayValue>();
    table.put("parent", parents.build(n));
    table.put("base", base.build(n, 16));
    table.put("inverse", inverse.build(n, 16));
    return table;
  }

  /** Reads positions, whose fourth coordinate is 1, and a weight for each bone. */
  private SequencedMap<String, ArrayValue> vertices(long bones) {
    var positions = new ArrayBuilder(Prim.F64);
    var weights = new ArrayBuilder(Prim.F64);
    long n = 0;
    for (; next(); n++) {
      reals(positions, 3);
      positions.add(Double.doubleToRawLongBits(1));
      for (int i = 0; i < UNUSED; i++) {
        field();
      }
      var row = new double[(int) bones];
      long count = number(Prim.I64);
      for (long i = 0; i < count; i++) {
        long bone = number(Prim.I64);
        if (bone < 0 || bone >= bones) {
          throw in.at(K6141, "there is no bone " + bone);
        }
        row[(int) bone] = Double.longBitsToDouble(number(Prim.F64));
      }
      for (double w : row) {
        weights.add(Double.doubleToRawLongBits(w));
      }
    }
    var table = new LinkedHashMap<String, ArrayValue>();
    table.put("position", positions.build(n, 4));
    table.put("weights", weights.build(n, bones));
    return table;
  }

  private SequencedMap<String, ArrayValue> triangles() {
    var corners = new ArrayBuilder(Prim.I64);
    long n = 0;
    for (; next(); n++) {
      for (int i = 0; i < 3; i++) {
        corners.add(number(Prim.I64));
      }
    }
    var table = new LinkedHashMap<String, ArrayValue>();
    table.put("corners", corners.build(n, 3));
    return table;
  }
}
