package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What happens at one level of a {@link Schedule}. */
final class Level {
  /** A value that the pieces contribute to, and where the program computes it. */
  record Output(Var var, Label.Group group, int position, Span span) {}

  final List<Stm> replicated = new ArrayList<>();
  final List<Output> outputs = new ArrayList<>();

  /** Results that stay in pieces. */
  final Set<Var> kept = new LinkedHashSet<>();

  /** What the stage stores for later steps, if any of them reads it. */
  final Set<Var> stored = new LinkedHashSet<>();

  /** What the driver gets of every piece, with what a piece has of it. */
  final Map<Var, Var> gathered = new LinkedHashMap<>();

  /** What one piece hands to the next, and the last results of which the driver gets. */
  final List<Var> states = new ArrayList<>();

  final List<Output> last = new ArrayList<>();

  /** Statements that may fail, by identity: they run even if nothing needs them. */
  final Set<Stm> observed = Collections.newSetFromMap(new IdentityHashMap<>());

  final List<Plan.Exchange> exchanges = new ArrayList<>();

  /** Loops and branches, with stages in them. */
  final List<Plan.Step> nested = new ArrayList<>();

  /** Returns what the stage is to give, besides what it may store. */
  Set<Var> wanted() {
    var wanted = new LinkedHashSet<Var>();
    outputs.forEach(o -> wanted.add(o.var()));
    last.forEach(o -> wanted.add(o.var()));
    wanted.addAll(kept);
    wanted.addAll(gathered.values());
    exchanges.forEach(e -> wanted.addAll(e.reads()));
    return wanted;
  }
}
