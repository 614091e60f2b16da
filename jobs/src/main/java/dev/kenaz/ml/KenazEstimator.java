package dev.kenaz.ml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.ml.DatasetTraining;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.SettingColumns;
import dev.kenaz.jobs.train.RowPrediction;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.ParamPair;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The training of any program, as an estimator of spark.ml. Its parameters are the settings of a
 * training job, by their paths: {@code parameters.lambda}, {@code optimiser.rate}, {@code
 * iterations}. The data is the Dataset.
 */
public final class KenazEstimator extends Estimator<KenazModel>
    implements FitsTogether<KenazModel>, MLWritable {
  private static final long serialVersionUID = 1;

  /** Keys of spark.ml don't look like this, but Spark asks for all kinds of names. */
  private static final Pattern PATH = Pattern.compile("[a-z_]+(\\.[^.]+)*");

  /** What a configuration says of its data besides, and a Dataset says by itself. */
  private static final Set<String> PLACES =
      Set.of("path", "format", "options", "table", "sql", "copy");

  /** The setting that has others. */
  private static final String SETTINGS = "settings";

  /** Relative paths start from the folder in which Spark's driver runs. */
  private static final Path FOLDER = Path.of("").toAbsolutePath();

  private final String uid;
  private final Map<String, SettingParam> settings = new LinkedHashMap<>();

  public KenazEstimator(String uid) {
    this.uid = uid;
  }

  public KenazEstimator() {
    this(Identifiable.randomUID("kenaz"));
  }

  @Override
  public String uid() {
    return uid;
  }

  /**
   * Returns a setting, for a grid of parameters.
   *
   * @param path such as {@code parameters.lambda}
   */
  public SettingParam setting(String path) {
    synchronized (settings) {
      return settings.computeIfAbsent(path, p -> new SettingParam(this, p));
    }
  }

  /** Changes a setting. */
  public KenazEstimator setSetting(String path, Object value) {
    set(setting(path), value);
    return this;
  }

  /**
   * Changes many settings at once, where only texts travel.
   *
   * @param json an object that has settings by their paths; those that are set by themselves win
   */
  public KenazEstimator setSettings(String json) {
    return setSetting(SETTINGS, json);
  }

  /** Says which program is trained: a file, or {@code builtin:} and a name. */
  public KenazEstimator setProgram(String program) {
    return setSetting("program", program);
  }

  /**
   * Says which column, or columns, a parameter of the program is. A parameter that is neither set
   * here nor by {@link #setParameter} is the column that has its name.
   */
  public KenazEstimator setColumn(String parameter, String... columns) {
    return setSetting("data.columns." + parameter, columns.length == 1 ? columns[0] : columns);
  }

  /** Sets a hyperparameter: a number, a truth value, or an array of these. */
  public KenazEstimator setParameter(String name, Object value) {
    return setSetting("parameters." + name, value);
  }

  /** Chooses an optimiser. */
  public KenazEstimator setOptimiser(String name) {
    return setSetting("optimiser.name", name);
  }

  /** Limits the iterations. */
  public KenazEstimator setIterations(int iterations) {
    return setSetting("iterations", iterations);
  }

  /** Ends the training earlier. */
  public KenazEstimator setTolerance(double tolerance) {
    return setSetting("tolerance", tolerance);
  }

  /** Chooses the seed. */
  public KenazEstimator setSeed(long seed) {
    return setSetting("seed", seed);
  }

  @Override
  public Param<?>[] params() {
    if (settings == null) { // Spark asks while this object is made.
      return new Param<?>[0];
    }
    synchronized (settings) {
      return settings.values().toArray(Param<?>[]::new);
    }
  }

  @Override
  public boolean hasParam(String name) {
    return PATH.matcher(name).matches();
  }

  @Override
  @SuppressWarnings("unchecked") // A setting takes any object.
  public Param<Object> getParam(String name) {
    return setting(name);
  }

  /** Returns the configuration of the training, but for data and output. */
  private ObjectNode job(StructType schema) {
    return SettingColumns.bound(schema, job(), FOLDER);
  }

  private ObjectNode job() {
    var all = new LinkedHashMap<String, JsonNode>();
    var set = CollectionConverters.asJava(extractParamMap().toSeq());
    for (ParamPair<?> pair : set) {
      if (pair.param().name().equals(SETTINGS)) {
        SettingParam.object(pair.value())
            .properties()
            .forEach(s -> all.put(s.getKey(), s.getValue()));
      }
    }
    for (ParamPair<?> pair : set) {
      if (!pair.param().name().equals(SETTINGS)) {
        all.put(pair.param().name(), SettingParam.node(pair.value()));
      }
    }
    all.keySet().forEach(KenazEstimator::requireSetting);
    // The name of a parameter's column is a key, whatever is in it.
    var settings =
        all.entrySet().stream()
            .map(s -> new Settings.Setting(List.of(s.getKey().split("\\.")), s.getValue()))
            .toList();
    var empty = JsonNodeFactory.instance.objectNode();
    empty.putObject("data").putObject("columns");
    return (ObjectNode) Settings.set(empty, settings);
  }

  /** Refuses what says where rows come from and where a model goes: {@code fit} decides it. */
  private static void requireSetting(String path) {
    var keys = path.split("\\.");
    boolean place = keys[0].equals("data") && (keys.length == 1 || PLACES.contains(keys[1]));
    if (place || keys[0].equals("output")) {
      throw new UserError(
          ErrorCode.K7003,
          "the estimator: " + path + " is no setting of an estimator",
          "fit is given the rows, and what it returns is written by write().save(path)");
    }
  }

  /**
   * Trains a model.
   *
   * @throws dev.kenaz.error.UserError what {@code kenaz train} finds wrong
   */
  @Override
  public KenazModel fit(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  private Fitting<Boolean, KenazModel> fitting(Dataset<?> rows) {
    transformSchema(rows.schema());
    var job = job(rows.schema());
    return new Fitting<>(
        job.path("data"),
        () -> Fitting.Rows.of(SettingColumns.select(rows, job)),
        _ -> new DatasetTraining(job, FOLDER),
        (_, folder) -> KenazModel.of(folder).setParent(this));
  }

  /**
   * Trains a model for each of some combinations of settings. They pass over the data together if
   * they are a whole grid; otherwise one after the other.
   */
  public List<KenazModel> fitAll(Dataset<?> rows, List<ParamMap> combinations) {
    return CollectionConverters.asJava(
        fit(rows, CollectionConverters.asScala(combinations).toSeq()));
  }

  @Override
  public Seq<KenazModel> fit(Dataset<?> rows, Seq<ParamMap> combinations) {
    return Fitting.all(combinations, map -> copy(map).fitting(rows));
  }

  @Override
  public KenazEstimator copy(ParamMap extra) {
    return copyValues(new KenazEstimator(uid), extra);
  }

  /**
   * Returns the schema with the columns that the model will predict.
   *
   * @throws dev.kenaz.error.UserError K6104 if a column of the program isn't there, or is none that
   *     a program takes
   */
  @Override
  public StructType transformSchema(StructType schema) {
    var job = job(schema);
    SettingColumns.require(schema, job);
    job.put("output", "-");
    ((ObjectNode) job.get("data")).put("path", "-");
    var config = ConfigReader.train(job, "the estimator");
    var predicted = RowPrediction.type(config, FOLDER).map(RowPrediction::fields);
    return KenazModel.with(schema, predicted.orElse(List.of()), Map.of());
  }

  @Override
  public MLWriter write() {
    return new DefaultParamsWriter(this);
  }

  /** Returns what reads an estimator that was saved. */
  public static MLReader<KenazEstimator> read() {
    return new DefaultParamsReader<>();
  }

  /** Reads an estimator that was saved. */
  public static KenazEstimator load(String path) {
    return read().load(path);
  }
}
