package dev.kenaz.pipeline;

import static dev.kenaz.error.ErrorCode.K1100;
import static dev.kenaz.error.ErrorCode.K1101;
import static dev.kenaz.error.ErrorCode.K1102;
import static dev.kenaz.error.ErrorCode.K1103;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.ModuleExp;
import dev.kenaz.source.Parser;
import dev.kenaz.source.SourceFile;
import dev.kenaz.typing.ImportResolver;
import dev.kenaz.typing.Library;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A program's text, with that of all files that it imports, except the modules of the {@link
 * Library}. It travels when a program is compiled elsewhere.
 *
 * @param root the name of the file that was asked for
 * @param files the texts by their names; all names in imports are relative to the importing file
 */
public record ProgramSource(String root, Map<String, String> files)
    implements Serializable, ImportResolver {
  private static final String SUFFIX = ".fut";

  /** The beginning of a file that Git LFS has not fetched. */
  private static final String LFS = "version https://git-lfs.github.com/spec/";

  public ProgramSource {
    files = Map.copyOf(files);
  }

  /** Makes a program that imports nothing but modules of the library. */
  public static ProgramSource of(String name, String text) {
    return new ProgramSource(name, Map.of(name, text));
  }

  /**
   * Reads a file and what it imports.
   *
   * @throws UserError if a file is missing (K1100) or can't be parsed
   */
  public static ProgramSource read(Path file) {
    return read(file, _ -> Optional.empty());
  }

  /**
   * Reads a file and what it imports.
   *
   * @param others gives the text of what is imported, if it comes from elsewhere than a file
   * @throws UserError if a file is missing (K1100) or can't be parsed
   */
  public static ProgramSource read(Path file, Function<String, Optional<String>> others) {
    var files = new LinkedHashMap<String, String>();
    var name = file.toString();
    files.put(name, text(file, Span.NONE));
    new Reading(files, others).imports(Parser.parse(name, files.get(name)));
    return new ProgramSource(name, files);
  }

  /**
   * Parses the file that was asked for.
   *
   * @throws UserError K1100 if it is not among the files
   */
  SourceFile parse() {
    if (!files.containsKey(root)) {
      throw new UserError(
          K1100, Span.NONE, "there is no file " + root, NearestName.hint(root, files.keySet()));
    }
    return Parser.parse(root, files.get(root));
  }

  @Override
  public SourceFile resolve(String from, String path, Span span) {
    var name = nameOf(from, path, span);
    var text = files.get(name);
    if (text != null) {
      return Parser.parse(name, text);
    }
    if (Library.has(path)) {
      return Library.module(path, span);
    }
    throw new UserError(
        K1100,
        span,
        "there is no file " + name,
        NearestName.hintOrFew(name, files.keySet(), "the files of the program are"));
  }

  /** Returns the text of a file of the program or of the library. */
  public Optional<String> text(String file) {
    return Optional.ofNullable(files.get(file)).or(() -> Library.text(file));
  }

  /**
   * Collects what files import.
   *
   * @param files the texts so far, by their names
   * @param others gives texts that aren't in files
   */
  private record Reading(Map<String, String> files, Function<String, Optional<String>> others) {
    private void imports(SourceFile file) {
      for (var d : file.declarations()) {
        switch (d) {
          case Declaration.Import i -> imported(file.name(), i.path(), i.span());
          case Declaration.Open o -> imports(o.module(), file.name());
          case Declaration.Module m -> imports(m.body(), file.name());
          case Declaration.Value _, Declaration.Type _, Declaration.ModuleType _ -> {}
        }
      }
    }

    private void imports(ModuleExp module, String from) {
      switch (module) {
        case ModuleExp.Import i -> imported(from, i.path(), i.span());
        case ModuleExp.Apply a -> {
          imports(a.function(), from);
          imports(a.argument(), from);
        }
        case ModuleExp.Seal s -> imports(s.module(), from);
        case ModuleExp.Lambda l -> imports(l.body(), from);
        case ModuleExp.Block b ->
            imports(new SourceFile(from, Optional.empty(), b.declarations(), b.span()));
        case ModuleExp.Name _ -> {}
      }
    }

    private void imported(String from, String path, Span span) {
      var name = nameOf(from, path, span);
      var file = Path.of(name);
      if (Library.has(path) && !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        Library.module(path, span);
      } else if (!files.containsKey(name)) {
        files.put(name, others.apply(path).orElseGet(() -> text(file, span)));
        imports(Parser.parse(name, files.get(name)));
      }
    }
  }

  /** Returns the name of the file that an import in that file means. */
  private static String nameOf(String from, String path, Span span) {
    var file = UserPath.of(path + SUFFIX, K1100, span);
    return Path.of(from).resolveSibling(file).normalize().toString();
  }

  private static String text(Path file, Span span) {
    try {
      if (Files.isDirectory(file)) {
        throw new UserError(
            K1102, span, "can't read " + file + ": it is a folder", "name a file in it");
      }
      var text = Files.readString(file);
      if (text.startsWith(LFS)) {
        throw new UserError(K1103, span, file + " is not the program, but a Git LFS pointer to it");
      }
      return text;
    } catch (NoSuchFileException _) {
      throw missing(file, span);
    } catch (MalformedInputException _) {
      throw new UserError(K1101, span, file + " is not UTF-8 text");
    } catch (IOException e) {
      throw new UserError(K1102, span, "can't read " + file + ": " + UserPath.reason(file, e));
    }
  }

  /**
   * Returns the error for a file that is not there, with the reason or a file that may be meant.
   */
  private static UserError missing(Path file, Span span) {
    try {
      var there = file.toAbsolutePath();
      while (!Files.exists(there.getParent())) {
        there = there.getParent();
      }
      if (Files.isSymbolicLink(there)) {
        var link = there.endsWith(file) ? file : there;
        return new UserError(
            K1100,
            span,
            link + " is a link to " + Files.readSymbolicLink(there) + ", which does not exist");
      }
      return new UserError(K1100, span, "there is no file " + file, near(there));
    } catch (IOException _) {
      return new UserError(K1100, span, "there is no file " + file);
    }
  }

  /** Returns the names in the same folder that are almost that of a missing file. */
  private static String[] near(Path missing) throws IOException {
    try (var beside = Files.list(missing.getParent())) {
      var name = missing.getFileName().toString();
      boolean program = name.endsWith(SUFFIX);
      var names =
          beside
              .filter(p -> program ? p.toString().endsWith(SUFFIX) : Files.isDirectory(p))
              .map(p -> withoutSuffix(p.getFileName().toString()))
              .toList();
      return NearestName.hint(withoutSuffix(name), names);
    }
  }

  private static String withoutSuffix(String name) {
    return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
  }
}
