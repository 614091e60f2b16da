package dev.kenaz.jobs.tools.doc;

import dev.kenaz.source.Parser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes the pages of libraries. */
public final class Documentation {
  private Documentation() {}

  /**
   * A file of a program or library.
   *
   * @param file its path, or that of a module that comes with Kenaz
   */
  public record Source(Path file, String text) {}

  /**
   * Writes a page for each file, and a page with links to all of them.
   *
   * @param folder the folder, which is made if it doesn't exist
   * @throws dev.kenaz.error.UserError if a file doesn't parse
   */
  public static void write(List<Source> files, Path folder) throws IOException {
    Files.createDirectories(folder);
    var titles = new ArrayList<String>();
    for (var source : files) {
      var file = source.file();
      var title = title(file);
      var page = folder.resolve(title + ".html");
      Files.createDirectories(page.getParent());
      Files.writeString(page, Page.of(title, Parser.parse(file.toString(), source.text())));
      titles.add(title);
    }
    Files.writeString(folder.resolve("index.html"), Page.index(titles));
  }

  /**
   * Returns the path from the current folder without its ending; only the name, if the file is
   * elsewhere.
   */
  private static String title(Path file) {
    var inside = file.normalize();
    var path = inside.isAbsolute() || inside.startsWith("..") ? inside.getFileName() : inside;
    return path.toString().replaceFirst("\\.fut$", "");
  }
}
