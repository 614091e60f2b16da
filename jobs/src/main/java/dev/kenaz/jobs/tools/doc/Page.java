package dev.kenaz.jobs.tools.doc;

import dev.kenaz.source.Declaration;
import dev.kenaz.source.Modifiers;
import dev.kenaz.source.ModuleExp;
import dev.kenaz.source.ModuleTypeExp;
import dev.kenaz.source.Pattern;
import dev.kenaz.source.PrettyPrinter;
import dev.kenaz.source.SourceFile;
import dev.kenaz.source.Spec;
import dev.kenaz.source.TypeParam;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** This is the page of one file. */
final class Page {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>%1$s</title>
      <style>
      body { font-family: sans-serif; max-width: 50em; margin: 2em auto; line-height: 1.4 }
      code, pre { background: #f4f4f4 }
      .decl { font-family: monospace; font-weight: bold; margin-top: 1em; white-space: pre-wrap }
      .doc, .inside { margin-left: 2em }
      </style>
      </head>
      <body>
      <h1>%1$s</h1>
      """;

  private final StringBuilder out = new StringBuilder();

  /** The module types of this page, to which modules link that have one of them. */
  private final Set<String> moduleTypes = new HashSet<>();

  private Page() {}

  static String of(String title, SourceFile file) {
    var page = new Page();
    page.out.append(HEAD.formatted(Comments.escape(title)));
    file.doc().ifPresent(d -> page.out.append(Comments.html(d)));
    for (var d : file.declarations()) {
      if (d instanceof Declaration.ModuleType t) {
        page.moduleTypes.add(t.name());
      }
    }
    page.declarations(file.declarations());
    return page.out.append("</body>\n</html>\n").toString();
  }

  static String index(List<String> titles) {
    var links =
        titles.stream()
            .map(
                t ->
                    "<li><a href=\"%s.html\">%s</a></li>\n"
                        .formatted(Comments.escape(t), Comments.escape(t)))
            .collect(Collectors.joining("", "<ul>\n", "</ul>\n"));
    return HEAD.formatted("Contents") + links + "</body>\n</html>\n";
  }

  private void declarations(List<Declaration> declarations) {
    for (var d : declarations) {
      if (!d.modifiers().local()) {
        declaration(d);
      }
    }
  }

  private void declaration(Declaration declaration) {
    switch (declaration) {
      case Declaration.Value v -> item(v.modifiers(), value(v));
      case Declaration.Type t ->
          item(
              t.modifiers(),
              "type%s %s%s = %s"
                  .formatted(
                      t.liftedness().mark(),
                      t.name(),
                      params(t.params()),
                      PrettyPrinter.print(t.definition())));
      case Declaration.Module m -> {
        var params = m.params().stream().map(p -> " (" + p.name() + ": …)");
        item(m.modifiers(), "module " + m.name() + params.collect(Collectors.joining()));
        m.ascription().ifPresentOrElse(this::inside, () -> inside(m.body()));
      }
      case Declaration.ModuleType t -> {
        out.append("<a id=\"module-type-" + Comments.escape(t.name()) + "\"></a>\n");
        item(t.modifiers(), "module type " + t.name());
        inside(t.body());
      }
      case Declaration.Open _, Declaration.Import _ -> {}
    }
  }

  private static String value(Declaration.Value v) {
    var params = v.params().stream().map(Page::param).collect(Collectors.joining());
    var result = v.returnType().map(t -> " : " + PrettyPrinter.print(t)).orElse("");
    return (v.entry() ? "entry " : "def ") + v.name() + params(v.typeParams()) + params + result;
  }

  private static String param(Pattern p) {
    return " " + (p instanceof Pattern.Ascribe ? "(" + text(p) + ")" : text(p));
  }

  private static String text(Pattern p) {
    var text = PrettyPrinter.print(p);
    return text.startsWith("(") && text.endsWith(")") && p instanceof Pattern.Ascribe
        ? text.substring(1, text.length() - 1)
        : text;
  }

  private static String params(List<TypeParam> params) {
    return params.stream()
        .map(
            p ->
                switch (p) {
                  case TypeParam.Size(var name, _) -> " [" + name + "]";
                  case TypeParam.Type(var lifted, var name, _) -> " '" + lifted.mark() + name;
                })
        .collect(Collectors.joining());
  }

  private void inside(ModuleExp module) {
    switch (module) {
      case ModuleExp.Block b -> {
        out.append("<div class=\"inside\">\n");
        declarations(b.declarations());
        out.append("</div>\n");
      }
      case ModuleExp.Seal s -> inside(s.type());
      case ModuleExp.Lambda l -> inside(l.body());
      case ModuleExp.Name _, ModuleExp.Apply _, ModuleExp.Import _ -> {}
    }
  }

  private void inside(ModuleTypeExp type) {
    switch (type) {
      case ModuleTypeExp.Specs s -> {
        out.append("<div class=\"inside\">\n");
        s.specs().forEach(this::spec);
        out.append("</div>\n");
      }
      case ModuleTypeExp.With w -> {
        inside(w.base());
        var refined = w.type() + params(w.params()) + " = " + PrettyPrinter.print(w.definition());
        out.append("<div class=\"inside\">with ")
            .append(Comments.escape(refined))
            .append("</div>\n");
      }
      case ModuleTypeExp.Function f -> inside(f.result());
      case ModuleTypeExp.Name n ->
          out.append("<div class=\"inside\">as ")
              .append(reference(n.name().toString()))
              .append("</div>\n");
    }
  }

  private String reference(String moduleType) {
    var name = Comments.escape(moduleType);
    return moduleTypes.contains(moduleType)
        ? "<a href=\"#module-type-" + name + "\">" + name + "</a>"
        : name;
  }

  private void spec(Spec spec) {
    switch (spec) {
      case Spec.Value v ->
          item(
              v.modifiers(),
              "val " + v.name() + params(v.typeParams()) + " : " + PrettyPrinter.print(v.type()));
      case Spec.Type t ->
          item(
              t.modifiers(),
              "type"
                  + t.liftedness().mark()
                  + " "
                  + t.name()
                  + params(t.params())
                  + t.definition().map(d -> " = " + PrettyPrinter.print(d)).orElse(""));
      case Spec.Module m -> {
        item(m.modifiers(), "module " + m.name());
        inside(m.type());
      }
      case Spec.Include i -> inside(i.type());
    }
  }

  private void item(Modifiers modifiers, String text) {
    out.append("<div class=\"decl\">").append(Comments.escape(text)).append("</div>\n");
    Optional<String> doc = modifiers.doc();
    doc.ifPresent(
        d -> out.append("<div class=\"doc\">").append(Comments.html(d)).append("</div>\n"));
  }
}
