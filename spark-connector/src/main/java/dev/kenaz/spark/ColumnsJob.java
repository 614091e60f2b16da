package dev.kenaz.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import dev.kenaz.arrow.AddedColumns;
import dev.kenaz.arrow.BatchRange;
import dev.kenaz.arrow.RowRange;
import dev.kenaz.error.UserError;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;

/** Writes files with added columns where executors are, which all see the same folders. */
public final class ColumnsJob {
  private ColumnsJob() {}

  /**
   * A file that is written.
   *
   * @param values for each new column the rows that it is, of files with this column alone
   * @param target the absolute path of the file
   */
  @DefaultSerializer(JavaSerializer.class)
  public record Part(BatchRange batches, ArrayList<ArrayList<RowRange>> values, String target)
      implements Serializable {}

  /**
   * Writes all files. A task that is repeated writes the same file again.
   *
   * @throws UserError if one can't be written
   */
  public static void run(JavaSparkContext spark, AddedColumns columns, List<Part> parts) {
    List<ArrayList<Outcome.Fault>> faults;
    try {
      faults =
          JobTitle.during(
              spark.sc(),
              "kenaz: writes rows with added columns",
              () -> spark.parallelize(parts, parts.size()).map(new Write(columns)).collect());
    } catch (Exception e) { // Spark throws checked exceptions that it does not declare.
      throw SparkFaults.explain(e, spark.sc());
    }
    for (var f : faults) {
      if (!f.isEmpty()) {
        throw Outcome.Fault.error(f);
      }
    }
  }

  /** Returns the faults of a part, if there are any: repeated, a task would find them again. */
  private record Write(AddedColumns columns) implements Function<Part, ArrayList<Outcome.Fault>> {
    @Override
    public ArrayList<Outcome.Fault> call(Part part) {
      try {
        columns.write(part.batches(), part.values(), Path.of(part.target()));
        return new ArrayList<>();
      } catch (UserError e) {
        return new ArrayList<>(Outcome.Fault.of(e));
      }
    }
  }
}
