package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6124;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Random rows, in parts of about equal size. Each row has a random stream of its own, which depends
 * on the seed and the row's number, so the rows don't depend on how they are divided.
 *
 * @param files the number of parts
 */
public record GeneratedRows(RowKind kind, int files) implements RowSource {
  private static final RandomGeneratorFactory<RandomGenerator> GENERATOR =
      RandomGeneratorFactory.of("L64X128MixRandom");

  /** A large odd number, so that the streams of neighbouring rows start far apart. */
  private static final long ROW_STEP = 0x9E37_79B9_7F4A_7C15L;

  public GeneratedRows {
    if (files < 1) {
      throw fault(K6124, "can't write " + files + " files");
    }
  }

  @Override
  public Schema schema() {
    return kind.schema();
  }

  private long perPart() {
    return Math.max(1, Math.ceilDiv(kind.rows(), files));
  }

  @Override
  public int parts() {
    return (int) Math.max(1, Math.ceilDiv(kind.rows(), perPart()));
  }

  @Override
  public String name(int part) {
    return "part " + part;
  }

  @Override
  public long weight(int part) {
    return Math.min(kind.rows(), (part + 1) * perPart()) - part * perPart();
  }

  @Override
  public RowReader open(int part) {
    long from = part * perPart();
    return new Rows(kind, from, Math.min(kind.rows(), from + perPart()));
  }

  /** Makes the rows of a part. */
  private static final class Rows extends BatchReader {
    private final RowKind kind;
    private final RowKind.Maker maker;
    private final long from;
    private final long to;
    private final int batchRows;
    private long next;

    Rows(RowKind kind, long from, long to) {
      super("generated rows", kind.schema());
      this.kind = kind;
      this.maker = kind.maker();
      this.from = from;
      this.next = from;
      this.to = to;
      this.batchRows = Math.clamp(BATCH_ELEMENTS / kind.width(), 1, BATCH_ROWS);
    }

    @Override
    int fill(VectorSchemaRoot batch) {
      int n = (int) Math.min(batchRows, to - next);
      var lists = new ArrayList<ListFiller>();
      var columns = new ArrayList<RowKind.Numbers>();
      for (var vector : batch.getFieldVectors()) {
        columns.add(numbers(vector, n, lists));
      }
      for (int i = 0; i < n; i++, next++) {
        lists.forEach(ListFiller::begin);
        maker.row(GENERATOR.create(kind.seed() ^ (next + 1) * ROW_STEP), next, columns);
      }
      lists.forEach(ListFiller::end);
      return n;
    }

    private static RowKind.Numbers numbers(FieldVector vector, int rows, List<ListFiller> lists) {
      if (vector instanceof ListVector l) {
        var filler = new ListFiller(l);
        lists.add(filler);
        return filler::add;
      }
      var cells = vector;
      if (vector instanceof FixedSizeListVector l) {
        l.setInitialCapacity(rows);
        l.allocateNew();
        for (int i = 0; i < rows; i++) {
          l.setNotNull(i);
        }
        cells = l.getDataVector();
      }
      var numbers = NumberVector.of(cells).orElseThrow();
      var at = new int[1];
      return bits -> numbers.set(at[0]++, bits);
    }

    @Override
    public double fraction() {
      return to == from ? 1 : (double) (next - from) / (to - from);
    }
  }
}
