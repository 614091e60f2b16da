package dev.kenaz.ml;

import static org.apache.spark.sql.functions.col;

import dev.kenaz.jobs.ml.ModelFiles;
import dev.kenaz.jobs.ml.SettingColumns;
import dev.kenaz.jobs.train.RowPrediction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A trained model of any program. {@link #transform} adds the columns that the program's {@code
 * predict} gives, computed on executors in batches.
 */
public final class KenazModel extends Model<KenazModel> implements MLWritable {
  private static final long serialVersionUID = 1;

  /** Where the folder of the model is in what is saved. */
  private static final String FOLDER = "model";

  private final String uid;
  private final transient ModelFiles files;
  private final OutputNames outputs;

  /** Other names of columns that are predicted. */
  private static final class OutputNames extends Param<Object> {
    private static final long serialVersionUID = 1;

    OutputNames(Identifiable parent) {
      super(parent, "outputs", "for columns that are predicted, other names");
    }

    @Override
    public String jsonEncode(Object value) {
      return SettingParam.node(value).toString();
    }

    @Override
    public Object jsonDecode(String json) {
      return SettingParam.value(json);
    }
  }

  private KenazModel(String uid, ModelFiles files) {
    this.uid = uid;
    this.files = files;
    this.outputs = new OutputNames(this);
    setDefault(outputs, Map.of());
  }

  /** Returns the model that is in a folder of {@code kenaz train}. */
  public static KenazModel of(Path folder) {
    return new KenazModel(Identifiable.randomUID("kenazModel"), ModelFiles.read(folder));
  }

  @Override
  public String uid() {
    return uid;
  }

  /** Returns the parameter that has other names for columns that are predicted. */
  public Param<Object> outputs() {
    return outputs;
  }

  /** Gives a column that is predicted another name. */
  public KenazModel setOutput(String predicted, String column) {
    var all = new TreeMap<String, Object>(renamed());
    all.put(predicted, column);
    set(outputs, all);
    return this;
  }

  private Map<String, String> renamed() {
    var all = new TreeMap<String, String>();
    ((Map<?, ?>) getOrDefault(outputs)).forEach((k, v) -> all.put((String) k, (String) v));
    return all;
  }

  /** Returns how the training went. */
  public TrainingSummary summary() {
    var f = files.model().folder();
    var metrics = new LinkedHashMap<String, Double>();
    f.metrics().forEach((name, number) -> metrics.put(name, number.doubleValue()));
    return new TrainingSummary(f.losses(), metrics, f.iterations(), f.seconds(), f.rows());
  }

  /**
   * Returns the numbers of the model, and the elements of its arrays, by their paths in its type.
   */
  public Map<String, double[]> numbers() {
    return files.numbers();
  }

  /**
   * Returns the rows with the columns that are predicted.
   *
   * @throws dev.kenaz.error.UserError K7402 if the program doesn't predict, K6115 if a prediction
   *     depends on other rows
   */
  @Override
  public Dataset<Row> transform(Dataset<?> rows) {
    transformSchema(rows.schema());
    var prediction = files.prediction();
    var arguments =
        prediction.inputs().stream().map(names -> SettingColumns.argument(rows, names)).toList();
    var predicted = prediction.function().of(rows.sparkSession(), arguments);
    var type = prediction.function().type();
    var renamed = renamed();
    var columns = new ArrayList<Column>();
    columns.add(col("*"));
    for (var f : RowPrediction.fields(type)) {
      var column = type instanceof StructType ? predicted.getField(f.name()) : predicted;
      columns.add(column.as(renamed.getOrDefault(f.name(), f.name())));
    }
    return rows.select(columns.toArray(Column[]::new));
  }

  @Override
  public StructType transformSchema(StructType schema) {
    var type = files.prediction().function().type();
    return with(schema, RowPrediction.fields(type), renamed());
  }

  /**
   * Returns a schema with the columns that are predicted.
   *
   * @throws IllegalArgumentException if one is there already, or there is none to rename
   */
  static StructType with(StructType schema, List<StructField> fields, Map<String, String> renamed) {
    var predicted = fields.stream().map(StructField::name).toList();
    for (var name : renamed.keySet()) {
      if (!predicted.contains(name)) {
        throw new IllegalArgumentException(
            "setOutput names %s, but what the model predicts is %s"
                .formatted(name, String.join(", ", predicted)));
      }
    }
    var all = schema;
    for (var f : fields) {
      var name = renamed.getOrDefault(f.name(), f.name());
      if (Stream.of(all.fieldNames()).anyMatch(there -> same(there, name))) {
        throw new IllegalArgumentException(
            "the dataset has a column %s already; setOutput of the model gives another name"
                .formatted(name));
      }
      all = all.add(name, f.dataType(), true);
    }
    return all;
  }

  private static boolean same(String a, String b) {
    return SQLConf.get().caseSensitiveAnalysis() ? a.equals(b) : a.equalsIgnoreCase(b);
  }

  @Override
  public KenazModel copy(ParamMap extra) {
    return copyValues(new KenazModel(uid, files), extra).setParent(parent());
  }

  @Override
  public MLWriter write() {
    return new MLWriter() {
      @Override
      public void saveImpl(String path) {
        DefaultParamsWriter.saveMetadata(KenazModel.this, path, sparkSession());
        files.save(path + "/" + FOLDER, sparkSession());
      }
    };
  }

  /** Returns what reads a model that was saved. */
  public static MLReader<KenazModel> read() {
    return new MLReader<>() {
      @Override
      public KenazModel load(String path) {
        var metadata =
            DefaultParamsReader.loadMetadata(path, sparkSession(), KenazModel.class.getName());
        var files = ModelFiles.load(path + "/" + FOLDER, sparkSession());
        var model = new KenazModel(metadata.uid(), files);
        metadata.getAndSetParams(model, metadata.getAndSetParams$default$2());
        return model;
      }
    };
  }

  /** Reads a model that was saved. */
  public static KenazModel load(String path) {
    return read().load(path);
  }
}
