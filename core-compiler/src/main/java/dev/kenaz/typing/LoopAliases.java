package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K4003;
import static dev.kenaz.error.ErrorCode.K4006;

import dev.kenaz.error.UserError;
import dev.kenaz.typing.Aliases.Place;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** Finds what the value of a loop shares, and which parts of its initial value it consumes. */
final class LoopAliases {
  /**
   * One name of the loop's pattern.
   *
   * @param mine what the name stands for in an iteration
   * @param apart whether it is marked unique or consumed: what an iteration passes on must then
   *     share memory with nothing else
   * @param consumes whether some iteration consumes it: the initial value must then be the loop's
   *     own, which a mark alone does not require
   */
  private record Part(
      TypedPattern.Name name,
      Aliases initial,
      Aliases body,
      Set<Place> mine,
      boolean apart,
      boolean consumes) {
    /** Whether this part has all the demands of the other one. */
    boolean covers(Part other) {
      return (apart || !other.apart) && (consumes || !other.consumes);
    }

    Part with(Part other) {
      return new Part(name, initial, body, mine, apart || other.apart, consumes || other.consumes);
    }
  }

  private final TypedExp.Loop loop;
  private final Map<VName, Aliases> variables;
  private final Set<Place> taken;
  private final int loops;
  private final int functions;
  private final List<Part> parts = new ArrayList<>();

  /**
   * @param taken what an iteration consumes
   * @param loops how many loops are around this one
   */
  LoopAliases(
      TypedExp.Loop loop,
      Map<VName, Aliases> variables,
      Set<Place> taken,
      int loops,
      int functions) {
    this.loop = loop;
    this.variables = variables;
    this.taken = taken;
    this.loops = loops;
    this.functions = functions;
  }

  /**
   * Returns the aliases of the loop's result, part by part. What an iteration consumes must be the
   * loop's own from the start, and nothing else may share it.
   */
  Aliases result(Aliases initial, Aliases body) {
    split(loop.pattern(), initial, body);
    while (spread()) {}
    for (var p : parts) {
      if (p.apart()) {
        check(p);
      }
    }
    return merge(loop.pattern(), initial, body, parts.iterator());
  }

  /**
   * If the next iteration consumes a part that this iteration had under another name, then both
   * parts are consumed. Returns whether a part has changed by that.
   */
  private boolean spread() {
    for (var p : parts) {
      for (int i = 0; i < parts.size(); i++) {
        var q = parts.get(i);
        if (!q.covers(p) && p.body().all().stream().anyMatch(q.mine()::contains)) {
          parts.set(i, q.with(p));
          return true;
        }
      }
    }
    return false;
  }

  /** Returns what the loop consumes of its initial value. */
  Set<Place> consumed() {
    Set<Place> out = new HashSet<>();
    parts.stream().filter(Part::consumes).forEach(p -> out.addAll(p.initial().all()));
    return out;
  }

  private void split(TypedPattern p, Aliases initial, Aliases body) {
    switch (p) {
      case TypedPattern.Record r ->
          r.fields().forEach((name, x) -> split(x, initial.field(name), body.field(name)));
      case TypedPattern.Attributed a -> split(a.pattern(), initial, body);
      case TypedPattern.Name n -> {
        var mine = variables.get(n.name()).all();
        boolean consumes = mine.stream().anyMatch(taken::contains);
        boolean apart = consumes || Types.hasUnique(n.type());
        parts.add(new Part(n, initial, body, mine, apart, consumes));
      }
      case TypedPattern.Wildcard _,
          TypedPattern.Constant _,
          TypedPattern.Pending _,
          TypedPattern.Construct _ -> {}
    }
  }

  /**
   * @param names the parts of the pattern that are names, in order
   */
  private static Aliases merge(
      TypedPattern p, Aliases initial, Aliases body, Iterator<Part> names) {
    return switch (p) {
      case TypedPattern.Record r -> {
        SortedMap<String, Aliases> fields = Fields.empty();
        r.fields()
            .forEach(
                (name, x) ->
                    fields.put(name, merge(x, initial.field(name), body.field(name), names)));
        yield new Aliases.Fields(fields);
      }
      case TypedPattern.Attributed a -> merge(a.pattern(), initial, body, names);
      case TypedPattern.Name _ -> names.next().consumes() ? body : initial.or(body);
      case TypedPattern.Wildcard _,
          TypedPattern.Constant _,
          TypedPattern.Pending _,
          TypedPattern.Construct _ ->
          initial.or(body);
    };
  }

  private void check(Part p) {
    for (var place : p.body().all()) {
      if (place.loops <= loops && !p.mine().contains(place) || place.functions < functions) {
        throw shared("consuming loop", p, "\"" + place.name + "\"");
      }
    }
    for (var other : parts) {
      if (other == p) {
        continue;
      }
      for (var place : p.body().all()) {
        if (other.body().all().contains(place)) {
          throw other.apart()
              ? shared("loop", p, "other consumed loop parameter")
              : shared("consuming loop", p, "previously returned value");
        }
      }
      for (var place : p.initial().all()) {
        if (other.initial().all().contains(place)) {
          throw Session.error(
              K4006,
              loop.initial().span(),
              "Initial value of consuming loop parameter \"%s\" aliases that of another"
                  .formatted(p.name().name().base()),
              "they share memory through \"%s\": `copy` one of them".formatted(place.name));
        }
      }
    }
  }

  private UserError shared(String kind, Part p, String other) {
    return Session.error(
        K4003,
        loop.body().span(),
        "Return value for %s parameter \"%s\" aliases %s"
            .formatted(kind, p.name().name().base(), other),
        "the next iteration consumes it: `copy` it");
  }
}
