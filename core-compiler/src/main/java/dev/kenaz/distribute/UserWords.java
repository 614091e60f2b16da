package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The words of messages for values: parameters have the names that the user gave them, and all else
 * is told by what computes it, and where, as the compiler's own names say nothing to a user.
 */
final class UserWords {
  /** What the compiler calls values that have no name. */
  private static final Set<String> OWN =
      Set.of("soac", "iota", "rep", "acc", "part", "flat", "filter", "if", "update", "of_row");

  private record Maker(Exp exp, Span span) {}

  private final Map<Var, Maker> makers = new HashMap<>();

  /** Notes what computes the statement's variables. */
  void define(Stm stm) {
    var maker = new Maker(stm.exp(), stm.span());
    stm.pattern().forEach(v -> makers.putIfAbsent(v, maker));
  }

  /** Notes what computes the variables of all scopes. */
  void define(Body body) {
    new Rewriter() {
      @Override
      public List<Stm> stm(Stm stm) {
        UserWords.this.define(stm);
        return Rewriter.super.stm(stm);
      }
    }.body(body);
  }

  /** Returns the words for a value, such as {@code xs} or {@code the result of map at line 12}. */
  String of(Var v) {
    var maker = makers.get(v);
    if (maker == null && v.name().equals("adj")) {
      return "a derivative";
    }
    if (maker == null) {
      return OWN.contains(v.name()) ? "an intermediate array" : v.name();
    }
    if (v.name().equals("adj")) {
      return "a derivative" + at(maker);
    }
    return switch (maker.exp) {
      case Alias(var x) when x instanceof Var y -> of(y);
      case Copy(var x) -> of(x);
      case Index(var x, _, _) -> "rows of " + of(x);
      case Slice(var x, _, _) -> "a part of " + of(x);
      case Rearrange(_, var x) -> "the transpose of " + of(x);
      case Reshape(_, var x) -> "the elements of " + of(x);
      case Iota _ -> "the row numbers";
      case Loop _ -> v.name();
      case Screma s -> "the result of " + operator(s) + at(maker);
      case Filter _ -> "the result of filter" + at(maker);
      case Hist _ -> "the result of hist" + at(maker);
      case Scatter _ -> "the result of scatter" + at(maker);
      case Replicate _ -> "the result of replicate" + at(maker);
      case Concat _ -> "the result of concat" + at(maker);
      case If _ -> "the result of if" + at(maker);
      case Update _ -> "the result of with" + at(maker);
      case WithAcc _ -> "a derivative" + at(maker);
      default -> "what is computed" + at(maker);
    };
  }

  private static String operator(Screma s) {
    return !s.scans().isEmpty() ? "scan" : s.reduces().isEmpty() ? "map" : "reduce";
  }

  private static String at(Maker maker) {
    return maker.span.known() ? " at line " + maker.span.line() : "";
  }
}
