package dev.kenaz.spark.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Sequences of Scala, which Spark's planner takes. */
final class Seqs {
  private Seqs() {}

  static <T> Seq<T> of(Collection<? extends T> all) {
    return CollectionConverters.asScala(new ArrayList<T>(all)).toSeq();
  }

  static <T> Seq<T> one(T only) {
    return of(List.of(only));
  }

  static <T> List<T> list(Seq<? extends T> all) {
    return List.copyOf(CollectionConverters.asJava(all));
  }

  static <T> Seq<T> joined(Seq<? extends T> a, Seq<? extends T> b) {
    var all = new ArrayList<T>(list(a));
    all.addAll(list(b));
    return of(all);
  }
}
