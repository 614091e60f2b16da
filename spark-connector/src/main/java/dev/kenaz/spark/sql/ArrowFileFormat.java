package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.Serializable;
import java.util.Comparator;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The data source {@code arrow}: files and streams of Arrow's IPC format.
 *
 * <p>It is one of Spark's file formats, as Parquet and ORC are, because these have folders as
 * columns, Spark's committer, catalog tables and streams. Batches of columns reach Spark without a
 * copy.
 */
public final class ArrowFileFormat implements FileFormat, DataSourceRegister, Serializable {
  private static final long serialVersionUID = 1;

  /** What Spark's page of a stage calls the batches that no row of a query's filters is in. */
  static final String SKIPPED = "Arrow batches skipped";

  @Override
  public String shortName() {
    return "arrow";
  }

  @Override
  public String toString() {
    return "Arrow";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ArrowFileFormat;
  }

  @Override
  public int hashCode() {
    return ArrowFileFormat.class.hashCode();
  }

  @Override
  public Option<StructType> inferSchema(
      SparkSession session, Map<String, String> options, Seq<FileStatus> files) {
    var first =
        CollectionConverters.asJava(files).stream()
            .filter(f -> f.getLen() > 0)
            .min(Comparator.comparing(f -> f.getPath().toString()));
    if (first.isEmpty()) {
      return Option.empty();
    }
    var path = first.get().getPath();
    try {
      var schema = SparkFiles.schema(path, hadoop(session, options));
      return Option.apply(SparkTypes.of(schema, path.toString()));
    } catch (IOException e) {
      throw new UserError(ErrorCode.K6101, "can't read " + path + ": " + e.getMessage());
    }
  }

  private static Configuration hadoop(SparkSession session, Map<String, String> options) {
    return ((org.apache.spark.sql.classic.SparkSession) session)
        .sessionState()
        .newHadoopConfWithOptions(options);
  }

  @Override
  public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
    return true;
  }

  @Override
  public boolean supportBatch(SparkSession session, StructType columns) {
    return true;
  }

  /** Returns what Spark knows of all files, and the numbers of rows. */
  @Override
  public Seq<StructField> metadataSchemaFields() {
    var known = CollectionConverters.asJava(FileFormat.super.metadataSchemaFields());
    var all = Stream.concat(known.stream(), Stream.of(RowNumbers.field())).toList();
    return CollectionConverters.asScala(all).toSeq();
  }

  @Override
  public Function1<PartitionedFile, Iterator<InternalRow>> buildReaderWithPartitionValues(
      SparkSession session,
      StructType all,
      StructType folders,
      StructType columns,
      Seq<Filter> filters,
      Map<String, String> options,
      Configuration hadoop) {
    var sent =
        JavaSparkContext.fromSparkContext(session.sparkContext())
            .broadcast(new SerializableConfiguration(hadoop));
    boolean inBatches =
        options.get(FileFormat.OPTION_RETURNING_BATCH()).exists(v -> v.equals("true"));
    boolean caseSensitive = SQLConf.get().caseSensitiveAnalysis();
    var test = BatchTest.of(CollectionConverters.asJava(filters), columns);
    var skipped = session.sparkContext().longAccumulator(SKIPPED);
    return new ArrowRead(sent, columns, folders, caseSensitive, inBatches, test, skipped);
  }

  @Override
  public OutputWriterFactory prepareWrite(
      SparkSession session, Job job, Map<String, String> options, StructType columns) {
    return ArrowWriterFactory.of(
        CollectionConverters.asJava(options), columns, SQLConf.get().sessionLocalTimeZone());
  }
}
