package dev.kenaz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages of the documentation lead to files and sections that exist. */
final class PagesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");

  @Test
  void linksLeadSomewhere() throws IOException {
    var broken = new TreeSet<String>();
    for (var page : pages()) {
      var links = LINK.matcher(Files.readString(page));
      while (links.find()) {
        var target = links.group(1);
        if (target.startsWith("http")) {
          continue;
        }
        var file = target.isEmpty() ? page : page.resolveSibling(target);
        boolean there =
            Files.exists(file)
                && (links.group(2) == null || sections(file).contains(links.group(2)));
        if (!there) {
          broken.add(ROOT.relativize(page) + ": " + links.group());
        }
      }
    }
    assertEquals(Set.of(), broken);
  }

  private static List<Path> pages() throws IOException {
    try (var here = Files.list(ROOT);
        var docs = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(here, docs).filter(p -> p.toString().endsWith(".md")).toList();
    }
  }

  /** Returns the names that links give to the headings of a page. */
  private static Set<String> sections(Path page) throws IOException {
    try (var lines = Files.lines(page)) {
      return lines
          .filter(l -> l.matches("#+ .*"))
          .map(l -> l.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
          .map(l -> l.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
          .collect(Collectors.toSet());
    }
  }
}
