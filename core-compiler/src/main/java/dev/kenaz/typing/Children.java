package dev.kenaz.typing;

import java.util.ArrayList;
import java.util.List;

/**
 * Lists the expressions directly inside an expression, in the order in which they are evaluated.
 */
final class Children {
  private Children() {}

  static List<TypedExp> of(TypedExp e) {
    return switch (e) {
      case TypedExp.Constant _,
          TypedExp.Pending _,
          TypedExp.SizeValue _,
          TypedExp.Var _,
          TypedExp.Intrinsic _,
          TypedExp.Hole _,
          TypedExp.Text _ ->
          List.of();
      case TypedExp.Array a -> a.elements();
      case TypedExp.Record r -> List.copyOf(r.fields().values());
      case TypedExp.Construct c -> c.payload();
      case TypedExp.Project p -> List.of(p.record());
      case TypedExp.Index i -> with(i.array(), i.slices());
      case TypedExp.UpdateIndex u -> {
        var out = with(u.target(), u.slices());
        out.add(u.value());
        yield out;
      }
      case TypedExp.UpdateField u -> List.of(u.target(), u.value());
      case TypedExp.Range r -> {
        List<TypedExp> out = new ArrayList<>(List.of(r.first()));
        r.second().ifPresent(out::add);
        out.add(r.end());
        yield out;
      }
      case TypedExp.Apply a -> {
        List<TypedExp> out = new ArrayList<>(a.arguments());
        out.add(a.function());
        yield out;
      }
      case TypedExp.Lambda l -> List.of(l.body());
      case TypedExp.Let l -> List.of(l.value(), l.body());
      case TypedExp.LetFunction l -> List.of(l.function().body(), l.body());
      case TypedExp.If i -> List.of(i.condition(), i.then(), i.otherwise());
      case TypedExp.Match m -> {
        List<TypedExp> out = new ArrayList<>(List.of(m.subject()));
        m.cases().forEach(c -> out.add(c.body()));
        yield out;
      }
      case TypedExp.Loop l -> {
        List<TypedExp> out = new ArrayList<>(List.of(l.initial()));
        out.add(
            switch (l.form()) {
              case TypedExp.LoopForm.For f -> f.bound();
              case TypedExp.LoopForm.ForIn f -> f.array();
              case TypedExp.LoopForm.While w -> w.condition();
            });
        out.add(l.body());
        yield out;
      }
      case TypedExp.Coerce c -> List.of(c.exp());
      case TypedExp.Assert a -> List.of(a.condition(), a.value());
      case TypedExp.Attributed a -> List.of(a.exp());
      case TypedExp.BindSizes b -> List.of(b.exp());
    };
  }

  private static List<TypedExp> with(TypedExp array, List<TypedSlice> slices) {
    List<TypedExp> out = new ArrayList<>(List.of(array));
    for (var s : slices) {
      switch (s) {
        case TypedSlice.At at -> out.add(at.index());
        case TypedSlice.Part p -> {
          p.start().ifPresent(out::add);
          p.end().ifPresent(out::add);
          p.stride().ifPresent(out::add);
        }
      }
    }
    return out;
  }
}
