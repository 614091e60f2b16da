package dev.kenaz.dataset;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Rows of a source that are changed on their way.
 *
 * @param inner where the rows come from
 * @param change what is done with them
 */
public record ChangedSource(RowSource inner, RowChange change) implements RowSource {

  @Override
  public Schema schema() {
    return change.schema(inner.schema());
  }

  @Override
  public int parts() {
    return inner.parts();
  }

  @Override
  public String name(int part) {
    return inner.name(part);
  }

  @Override
  public long weight(int part) {
    return inner.weight(part);
  }

  @Override
  public void settle() {
    inner.settle();
  }

  @Override
  public RowReader open(int part) {
    var reader = inner.open(part);
    try {
      var in = reader.schema();
      return new Changed(reader, change.schema(in), change.begin(in, part, inner.name(part)));
    } catch (RuntimeException e) {
      reader.close();
      throw e;
    }
  }

  private static final class Changed implements RowReader {
    private final RowReader in;
    private final Schema schema;
    private final RowChange.Step step;
    private long dropped;

    Changed(RowReader in, Schema schema, RowChange.Step step) {
      this.in = in;
      this.schema = schema;
      this.step = step;
    }

    @Override
    public Schema schema() {
      return schema;
    }

    @Override
    public VectorSchemaRoot next() {
      for (var batch = in.next(); batch != null; batch = in.next()) {
        var made = step.apply(batch);
        dropped += batch.getRowCount() - made.getRowCount();
        if (made.getRowCount() > 0) {
          return made;
        }
      }
      return null;
    }

    @Override
    public double fraction() {
      return in.fraction();
    }

    @Override
    public long dropped() {
      return in.dropped() + dropped;
    }

    @Override
    public void close() {
      try (in) {
        step.close();
      }
    }
  }
}
