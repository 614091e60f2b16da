package dev.kenaz.spark;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import scala.Function0;
import scala.collection.immutable.Seq;
import scala.xml.Node;

/**
 * A page in the frame of Spark's own, with their header and tabs. The method of Spark that makes it
 * has got another optional parameter in 4.2, which changes its signature for Java. Therefore it is
 * found by its name, and whatever parameters it has after the first four get their defaults.
 */
final class SparkPage {
  private static final String NAME = "headerSparkPage";
  private static final int GIVEN = 4;

  private static final Method METHOD =
      Arrays.stream(UIUtils.class.getMethods())
          .filter(m -> m.getName().equals(NAME) && m.getParameterCount() >= GIVEN)
          .findFirst()
          .orElseThrow(() -> new LinkageError("this Spark has no UIUtils." + NAME));

  private SparkPage() {}

  /** Returns the page of a tab with this content. */
  @SuppressWarnings("unchecked")
  static Seq<Node> of(
      HttpServletRequest request, String title, Function0<Seq<Node>> content, SparkUITab tab) {
    var arguments = new ArrayList<Object>(List.of(request, title, content, tab));
    try {
      for (int i = GIVEN + 1; i <= METHOD.getParameterCount(); i++) {
        arguments.add(UIUtils.class.getMethod(NAME + "$default$" + i).invoke(null));
      }
      return (Seq<Node>) METHOD.invoke(null, arguments.toArray());
    } catch (NoSuchMethodException | IllegalAccessException e) {
      throw new LinkageError("UIUtils." + NAME + " of this Spark: " + e.getMessage(), e);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
