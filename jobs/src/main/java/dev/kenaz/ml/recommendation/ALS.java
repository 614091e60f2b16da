package dev.kenaz.ml.recommendation;

import static org.apache.spark.sql.functions.col;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ml.DatasetTraining;
import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.FitsTogether;
import dev.kenaz.jobs.ml.Fitting;
import dev.kenaz.jobs.ml.Identities;
import dev.kenaz.jobs.ml.Refused;
import dev.kenaz.jobs.ml.TrainingColumns;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.recommendation.ALSModel;
import org.apache.spark.ml.util.Identifiable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.collection.immutable.Seq;

/**
 * MLlib's {@link org.apache.spark.ml.recommendation.ALS}, trained by Kenaz. It has the parameters
 * of MLlib's and gives MLlib's model, so that changing an import is enough.
 *
 * <p>What says how MLlib computes is refused: blocks of users and of items, levels of storage, and
 * the interval of checkpoints.
 */
public class ALS extends org.apache.spark.ml.recommendation.ALS implements FitsTogether<ALSModel> {
  private static final long serialVersionUID = 1;

  public ALS(String uid) {
    super(uid);
  }

  public ALS() {
    this(Identifiable.randomUID("als"));
  }

  /**
   * Trains a model.
   *
   * @throws dev.kenaz.error.Limitation for a parameter that can't be honoured
   * @throws dev.kenaz.error.UserError K7301 if the equations of a user or an item have no solution
   */
  @Override
  public ALSModel fit(Dataset<?> rows) {
    return fitting(rows).fit();
  }

  @Override
  public Seq<ALSModel> fit(Dataset<?> rows, Seq<ParamMap> maps) {
    return Fitting.all(maps, map -> copy(map).fitting(rows));
  }

  @Override
  public ALS copy(ParamMap extra) {
    return (ALS) super.copy(extra);
  }

  /** Who rates, and what is rated. */
  private record Sides(Identities users, Identities items) {}

  private Fitting<Sides, ALSModel> fitting(Dataset<?> rows) {
    transformSchema(rows.schema());
    Refused.set(
        this,
        numUserBlocks(),
        numItemBlocks(),
        intermediateStorageLevel(),
        finalStorageLevel(),
        checkpointInterval());
    var ratings =
        rows.select(
            TrainingColumns.identities(checkIntegers(rows, getUserCol()), getUserCol()).as("user"),
            TrainingColumns.identities(checkIntegers(rows, getItemCol()), getItemCol()).as("item"),
            TrainingColumns.ratings(getRatingCol()));
    return new Fitting<>(
        List.of(getUserCol(), getItemCol(), getRatingCol()),
        () -> numbered(ratings),
        this::training,
        (sides, folder) -> model(rows.sparkSession(), sides, Fitted.read(folder)));
  }

  private static Fitting.Rows<Sides> numbered(Dataset<Row> ratings) {
    var identities = Identities.of(ratings, "user", "item");
    var users = identities.getFirst();
    var items = identities.getLast();
    if (users.count() == 0) {
      throw new UserError(ErrorCode.K7302, "the dataset has no ratings");
    }
    var numbered = ratings.select(users.numbers("user"), items.numbers("item"), col("rating"));
    return new Fitting.Rows<>(numbered, new Sides(users, items));
  }

  private DatasetTraining training(Sides sides) {
    return DatasetTraining.of("als", "user", "item", "rating")
        .with("users", sides.users.count())
        .with("items", sides.items.count())
        .with("rank", getRank())
        .with("max_iter", getMaxIter())
        .with("reg", getRegParam())
        .with("implicit", getImplicitPrefs())
        .with("alpha", getAlpha())
        .with("nonnegative", getNonnegative())
        .with("seed", getSeed());
  }

  private ALSModel model(SparkSession session, Sides sides, Fitted fitted) {
    var model =
        new ALSModel(
            uid(),
            getRank(),
            sides.users.factors(session, finite(fitted.array("users"))),
            sides.items.factors(session, finite(fitted.array("items"))));
    return copyValues(model.setBlockSize(getBlockSize()).setParent(this), ParamMap.empty());
  }

  private static double[] finite(double[] factors) {
    if (!Arrays.stream(factors).allMatch(Double::isFinite)) {
      throw new UserError(
          ErrorCode.K7301,
          "the equations of a user or an item have no solution",
          "they need finite ratings, and a regParam above 0 or as many ratings as the rank");
    }
    return factors;
  }

  // Setters and readers of MLlib's have the types of MLlib.

  /** Reads an estimator that was saved. */
  public static ALS load(String path) {
    return (ALS) org.apache.spark.ml.recommendation.ALS.load(path);
  }

  @Override
  public ALS setRank(int value) {
    super.setRank(value);
    return this;
  }

  @Override
  public ALS setNumUserBlocks(int value) {
    super.setNumUserBlocks(value);
    return this;
  }

  @Override
  public ALS setNumItemBlocks(int value) {
    super.setNumItemBlocks(value);
    return this;
  }

  @Override
  public ALS setNumBlocks(int value) {
    super.setNumBlocks(value);
    return this;
  }

  @Override
  public ALS setImplicitPrefs(boolean value) {
    super.setImplicitPrefs(value);
    return this;
  }

  @Override
  public ALS setAlpha(double value) {
    super.setAlpha(value);
    return this;
  }

  @Override
  public ALS setUserCol(String value) {
    super.setUserCol(value);
    return this;
  }

  @Override
  public ALS setItemCol(String value) {
    super.setItemCol(value);
    return this;
  }

  @Override
  public ALS setRatingCol(String value) {
    super.setRatingCol(value);
    return this;
  }

  @Override
  public ALS setPredictionCol(String value) {
    super.setPredictionCol(value);
    return this;
  }

  @Override
  public ALS setMaxIter(int value) {
    super.setMaxIter(value);
    return this;
  }

  @Override
  public ALS setRegParam(double value) {
    super.setRegParam(value);
    return this;
  }

  @Override
  public ALS setNonnegative(boolean value) {
    super.setNonnegative(value);
    return this;
  }

  @Override
  public ALS setCheckpointInterval(int value) {
    super.setCheckpointInterval(value);
    return this;
  }

  @Override
  public ALS setSeed(long value) {
    super.setSeed(value);
    return this;
  }

  @Override
  public ALS setIntermediateStorageLevel(String value) {
    super.setIntermediateStorageLevel(value);
    return this;
  }

  @Override
  public ALS setFinalStorageLevel(String value) {
    super.setFinalStorageLevel(value);
    return this;
  }

  @Override
  public ALS setColdStartStrategy(String value) {
    super.setColdStartStrategy(value);
    return this;
  }

  @Override
  public ALS setBlockSize(int value) {
    super.setBlockSize(value);
    return this;
  }
}
