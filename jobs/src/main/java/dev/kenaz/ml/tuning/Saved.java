package dev.kenaz.ml.tuning;

import java.util.List;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** What readers of validators have in common. */
final class Saved {
  private Saved() {}

  /** Returns the parameter that is read in another way than the others. */
  static Option<scala.collection.immutable.List<String>> withoutMaps() {
    return Option.apply(CollectionConverters.asScala(List.of("estimatorParamMaps")).toList());
  }
}
