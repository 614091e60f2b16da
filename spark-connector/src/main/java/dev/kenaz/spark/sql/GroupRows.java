package dev.kenaz.spark.sql;

import dev.kenaz.distribute.FoldPlan;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * What is known of a group while its rows come: rows, and the partial values of others that are
 * folded already. Rows with a null are not rows of the group.
 */
final class GroupRows {
  /** So many rows are folded at once. */
  private static final int CHUNK = 1024;

  /** Fewer bytes of rows travel as they are. */
  private static final int SMALL = 1 << 12;

  /** The bytes of a group's rows that are kept, where they can't be folded. */
  static final int MOST_BYTES = 1 << 30;

  private final GroupFunction function;
  private final List<CellBuffer> cells;
  private List<Value> partial;
  private long folded;
  private final GroupFolds folds;
  private FoldPlan.Fold fold;

  private final long most;

  GroupRows(GroupFolds folds) {
    this(folds, MOST_BYTES);
  }

  /**
   * @param most how many bytes of rows are kept, where they can't be folded
   */
  GroupRows(GroupFolds folds, long most) {
    this.most = most;
    this.folds = folds;
    this.function = folds.function();
    this.cells = function.columns().stream().map(CellBuffer::new).toList();
  }

  private int kept() {
    return cells.getFirst().rows();
  }

  private long bytes() {
    return cells.stream().mapToLong(CellBuffer::bytes).sum();
  }

  /**
   * Adds a row of arguments.
   *
   * @throws UserError K6302 if its arrays have another size than those before, K6116 if there are
   *     too many rows
   */
  void add(InternalRow row) {
    var columns = function.columns();
    for (int i = 0; i < columns.size(); i++) {
      if (CellBuffer.hasNull(row, i, columns.get(i))) {
        return;
      }
    }
    for (int i = 0; i < columns.size(); i++) {
      if (!cells.get(i).fits(row, i)) {
        throw otherSize(i, row.getArray(i).numElements(), cells.get(i).width());
      }
      cells.get(i).add(row, i);
    }
    if (kept() >= CHUNK) {
      settle();
    }
  }

  /** Folds the rows, or finds that they are too many to be kept. */
  private void settle() {
    CancelledTask.check();
    if (function.parts()) {
      fold();
    } else if (bytes() > most) {
      throw new UserError(
          ErrorCode.K6116,
          "%s needs all rows of a group at once, and a group has more than %,d MiB of them"
              .formatted(function.name(), most >> 20));
    }
  }

  private UserError otherSize(int column, int one, int other) {
    return new UserError(
        ErrorCode.K6302,
        "argument %d of %s has arrays of %d and of %d elements in one group"
            .formatted(column + 1, function.name(), other, one),
        "all arrays of a group must have one size");
  }

  private FoldPlan.Fold folding() {
    if (fold == null) {
      fold = folds.of(cells.stream().map(CellBuffer::width).toList());
    }
    return fold;
  }

  private void fold() {
    if (kept() == 0) {
      return;
    }
    int rows = kept();
    try {
      var next = folding().partial(values());
      partial = partial == null ? next : folding().combined(partial, next);
    } catch (UserError e) {
      throw SqlFaults.in(e, function.name() + " of some of a group's rows");
    }
    folded += rows;
    cells.forEach(CellBuffer::clear);
  }

  private List<ArrayValue> values() {
    return cells.stream().map(CellBuffer::value).toList();
  }

  /** Adds the rows of another part of the group. */
  void addAll(GroupRows other) {
    for (int i = 0; i < cells.size(); i++) {
      int mine = cells.get(i).width();
      int its = other.cells.get(i).width();
      if (mine >= 0 && its >= 0 && mine != its) {
        throw otherSize(i, its, mine);
      }
      cells.get(i).addAll(other.cells.get(i));
    }
    if (other.partial != null) {
      partial = partial == null ? other.partial : folding().combined(partial, other.partial);
      folded += other.folded;
    }
    if (kept() >= CHUNK) {
      settle();
    }
  }

  /** Returns the results; nothing if the group has no rows. More rows may come after that. */
  List<Value> results() {
    if (function.parts()) {
      fold();
      return folded == 0 ? List.of() : faulty(folded, () -> folding().results(folded, partial));
    }
    int rows = kept();
    return rows == 0 ? List.of() : faulty(rows, () -> function.whole(values()));
  }

  private List<Value> faulty(long rows, Supplier<List<Value>> computed) {
    try {
      return computed.get();
    } catch (UserError e) {
      throw SqlFaults.in(e, function.name() + " of a group of " + rows + " rows");
    }
  }

  /** Returns it as bytes that travel. */
  byte[] bytesToSend() {
    if (function.parts() && bytes() > SMALL) {
      fold();
    }
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      for (var c : cells) {
        c.write(out);
      }
      out.writeLong(folded);
      out.writeInt(partial == null ? 0 : partial.size());
      if (partial != null) {
        for (var v : partial) {
          write(v, out);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static GroupRows read(GroupFolds folds, byte[] bytes) {
    var rows = new GroupRows(folds);
    try (var in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      for (var c : rows.cells) {
        c.read(in);
      }
      rows.folded = in.readLong();
      int values = in.readInt();
      if (rows.folded > 0) {
        var partial = new ArrayList<Value>();
        for (int i = 0; i < values; i++) {
          partial.add(read(in));
        }
        rows.partial = List.copyOf(partial);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  private static void write(Value value, DataOutputStream out) throws IOException {
    out.writeByte(value.prim().ordinal());
    out.writeByte(value.rank());
    switch (value) {
      case ScalarValue s -> out.writeLong(s.bits());
      case ArrayValue a -> {
        for (long d : a.shape()) {
          out.writeLong(d);
        }
        var bytes = a.data().toArray(ValueLayout.JAVA_BYTE);
        out.writeInt(bytes.length);
        out.write(bytes);
      }
    }
  }

  private static Value read(DataInputStream in) throws IOException {
    var prim = Prim.values()[in.readByte()];
    int rank = in.readByte();
    if (rank == 0) {
      return new ScalarValue(prim, in.readLong());
    }
    var shape = new long[rank];
    for (int i = 0; i < rank; i++) {
      shape[i] = in.readLong();
    }
    var bytes = in.readNBytes(in.readInt());
    var memory = ArrayValue.allocate(prim, shape);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, 0, bytes.length);
    return ArrayValue.of(prim, memory, shape);
  }
}
