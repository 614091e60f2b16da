package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6301;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.error.UserError;
import org.junit.jupiter.api.Test;

/** Values whose parts Java doesn't see. */
final class HiddenTypesTest {
  private static final String TEXT =
      """
      module type cell = { type t  val make : f64 -> t  val get : t -> f64 }
      module cell = { type t = f64  def make (x: f64) = x  def get (x: t) = x }
      module M : cell = cell
      module N : cell = cell
      module K = M
      module made (T: { type e }) :
        { type box 'a  val box 'a : a -> box a  val value 'a : box a -> a } =
        { type box 'a = a  def box x = x  def value x = x }
      module A = made { type e = i32 }
      module B = made { type e = i32 }

      entry make (x: f64): M.t = M.make x
      entry get (x: M.t): f64 = M.get x
      entry pair (x: f64): (M.t, f64) = (M.make x, x)
      entry sum (p: (M.t, f64)): f64 = M.get p.0 + p.1
      entry record (x: f64): {a: M.t, b: N.t} = {a = M.make x, b = N.make x}
      entry rows (n: i64): []{a: M.t, b: N.t} =
        map (\\i -> {a = M.make (f64.i64 i), b = N.make 0}) (iota n)
      entry other (x: f64): (N.t, f64) = (N.make x, x)
      entry maybe (x: f64): #none | #some M.t = #some (M.make x)
      entry unboxed (x: (#none | #some M.t)): f64 = match x case #some y -> M.get y case #none -> 0
      entry maybeOther (x: f64): #none | #some N.t = #some (N.make x)
      entry all [n] (xs: [n]M.t): f64 = f64.sum (map M.get xs)
      entry boxed (x: f64): (A.box f64, A.box i64, B.box f64) = (A.box x, A.box 1, B.box x)
      entry value (x: A.box f64): f64 = A.value x
      entry renamed (x: f64): (K.t, f64) = (M.make x, x)
      entry inferred (x: f64) = (M.make x, x)
      """;

  private static String refused(Entry entry, Object argument) {
    var fault = assertThrows(UserError.class, () -> entry.call(argument));
    assertEquals(K6301, fault.diagnostics().getFirst().code());
    return fault.getMessage();
  }

  record Pair(Value hidden, double x) {}

  /** A type is itself, however it is reached and whatever text stands for it. */
  @Test
  void partsAreOfTheTypesThatTheyAre() {
    try (var program = Kenaz.compile(TEXT)) {
      var get = program.entry("get");
      var sum = program.entry("sum");
      var pair = program.entry("pair").call(2);
      assertEquals(2, get.call(pair.field(0)).asDouble());
      assertEquals(2, get.call(program.entry("inferred").call(2).field(0)).asDouble());
      assertEquals(2, get.call(program.entry("renamed").call(2).field(0)).asDouble());
      assertEquals(4, sum.call(program.entry("inferred").call(2)).asDouble());
      assertEquals(5, sum.call(new Pair(program.entry("make").call(2), 3)).asDouble());
      assertEquals(5, sum.call(new Pair(pair.as(Pair.class).hidden(), 3)).asDouble());
      assertEquals(program.entry("make").call(2), pair.field(0));
      assertNotEquals(program.entry("other").call(2), pair);

      var record = program.entry("record").call(2);
      assertEquals(2, get.call(record.field("a")).asDouble());
      refused(get, record.field("b"));
      refused(get, program.entry("other").call(2).field(0));
      refused(sum, program.entry("other").call(2));
      assertEquals(
          "argument 1 (p) of sum at .hidden has another type named t; t is wanted, in Java Value",
          refused(sum, new Pair(record.field("b"), 3)));

      var unboxed = program.entry("unboxed");
      assertEquals(2, unboxed.call(program.entry("maybe").call(2)).asDouble());
      refused(unboxed, program.entry("maybeOther").call(2));
      var hidden = new Value[] {pair.field(0), record.field("a")};
      assertEquals(4, program.entry("all").call(hidden).asDouble());
      refused(program.entry("all"), new Value[] {pair.field(0), record.field("b")});
    }
  }

  /** Types that differ only in what they are applied to, or in the module's instance. */
  @Test
  void instancesOfTypes() {
    try (var program = Kenaz.compile(TEXT)) {
      var value = program.entry("value");
      var boxed = program.entry("boxed").call(7);
      assertEquals(7, value.call(boxed.field(0)).asDouble());
      refused(value, boxed.field(1));
      refused(value, boxed.field(2));
    }
  }

  /** Derivatives are programs of their own, but their types are those of the program. */
  @Test
  void partsInDerivatives() {
    try (var program = Kenaz.compile(TEXT)) {
      var get = program.entry("get");
      var hidden = program.entry("pair").call(2).field(0);
      var adjoint = get.gradient().call(hidden);
      assertEquals(1, get.call(adjoint).asDouble());
      assertEquals(1, get.jvp().call(hidden, adjoint).asDouble());
    }
  }

  private static final String SHAPES = "type s = %s entry make : s = %s entry take (x: s) = 1i32";

  /** A value of another program: what is hidden has another type there, whatever its name is. */
  @Test
  void valuesOfOtherPrograms() {
    try (var one = Kenaz.compile(TEXT);
        var two = Kenaz.compile(TEXT);
        var shape = Kenaz.compile(SHAPES.formatted("#a | #b", "#a"));
        var same = Kenaz.compile(SHAPES.formatted("#a | #b", "#b"));
        var shapes = Kenaz.compile(SHAPES.formatted("#a | #b | #c", "#c"))) {
      assertEquals(
          "argument 1 (x) of get has type M.t of another program; M.t is wanted, in Java Value",
          refused(one.entry("get"), two.entry("make").call(2)));
      assertEquals(
          "argument 1 (p) of sum at .hidden has type t of another program; t is wanted, in Java"
              + " Value",
          refused(one.entry("sum"), new Pair(two.entry("pair").call(2).field(0), 2)));
      refused(one.entry("get"), two.entry("pair").call(2).field(0));
      refused(one.entry("sum"), two.entry("pair").call(2).as(Pair.class));
      refused(one.entry("get").gradient(), two.entry("make").call(2));
      assertEquals(
          "argument 1 (x) of take has type s of another program; s is wanted, in Java Value",
          refused(shape.entry("take"), shapes.entry("make").call()));
      assertEquals(1, shape.entry("take").call(same.entry("make").call()).asInt());
      assertEquals(4, one.entry("sum").call(one.entry("pair").call(2)).asDouble());
    }
  }
}
