package dev.kenaz.spark;

import dev.kenaz.distribute.report.Svg;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction0;
import scala.xml.Node;
import scala.xml.Unparsed;

/**
 * A tab of Spark's pages with documents about what the application does, such as the report of a
 * training that is still running. Scala code outside of Spark may not make a tab; Java code may.
 */
public final class KenazTab extends SparkUITab {
  private static final String PREFIX = "kenaz";

  /** So many documents are there at most; the oldest one goes first. */
  private static final int MOST = 100;

  private static final Map<SparkUI, KenazTab> ALL = new WeakHashMap<>();

  private final Map<String, Supplier<String>> documents = new LinkedHashMap<>();

  private KenazTab(SparkUI ui) {
    super(ui, PREFIX);
    attachPage(new Documents());
  }

  /**
   * Returns the tab of an application; nothing if Spark has no pages, or its configuration wants no
   * tab.
   */
  public static Optional<KenazTab> of(SparkContext spark) {
    if (spark.ui().isEmpty() || !KenazKey.UI.flag(spark.conf())) {
      return Optional.empty();
    }
    var ui = spark.ui().get();
    synchronized (ALL) {
      var there = ALL.get(ui);
      if (there == null) {
        there = new KenazTab(ui);
        ui.attachTab(there);
        ALL.put(ui, there);
      }
      return Optional.of(there);
    }
  }

  /**
   * Shows a document, in the place of another one of the same name.
   *
   * @param html makes the document whenever somebody looks at it, in another thread
   */
  public void show(String name, Supplier<String> html) {
    synchronized (documents) {
      documents.put(name, html);
      if (documents.size() > MOST) {
        documents.remove(documents.keySet().iterator().next());
      }
    }
  }

  private Map<String, Supplier<String>> documents() {
    synchronized (documents) {
      return new LinkedHashMap<>(documents);
    }
  }

  /** The page of the tab: a document in a frame of its own, and links to the others. */
  private final class Documents extends WebUIPage {
    Documents() {
      super("");
    }

    @Override
    public Seq<Node> render(HttpServletRequest request) {
      return SparkPage.of(
          request, "Kenaz", new Content(content(request.getParameter("name"))), KenazTab.this);
    }
  }

  /** The document of that name, or the last one. */
  private String content(String wanted) {
    var all = documents();
    if (all.isEmpty()) {
      return "<p>Nothing of Kenaz has run yet.</p>";
    }
    var name = all.containsKey(wanted) ? wanted : List.copyOf(all.keySet()).getLast();
    var page = new StringBuilder("<p>");
    for (var other : all.keySet()) {
      var shown = Svg.escaped(other);
      page.append(
          other.equals(name)
              ? "<b>" + shown + "</b> "
              : "<a href=\"?name=%s\">%s</a> "
                  .formatted(URLEncoder.encode(other, StandardCharsets.UTF_8), shown));
    }
    var document = all.get(name).get();
    return page.append("</p><iframe title=\"%s\" sandbox=\"\" ".formatted(Svg.escaped(name)))
        .append("style=\"width: 100%; height: 80vh; border: 0\" srcdoc=\"")
        .append(Svg.escaped(document))
        .append("\"></iframe>")
        .toString();
  }

  /** Gives Spark the text as it is. */
  private static final class Content extends AbstractFunction0<Seq<Node>> {
    private final String text;

    Content(String text) {
      this.text = text;
    }

    @Override
    public Seq<Node> apply() {
      return CollectionConverters.asScala(List.<Node>of(new Unparsed(text))).toSeq();
    }
  }
}
