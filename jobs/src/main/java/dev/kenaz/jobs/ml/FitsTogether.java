package dev.kenaz.jobs.ml;

import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import scala.collection.immutable.Seq;

/**
 * An estimator whose models for several combinations of parameters share what they can: the rows,
 * and passes over them.
 *
 * @param <M> its models
 */
public interface FitsTogether<M> {
  /** Trains a model for each of some combinations. */
  Seq<M> fit(Dataset<?> rows, Seq<ParamMap> maps);
}
