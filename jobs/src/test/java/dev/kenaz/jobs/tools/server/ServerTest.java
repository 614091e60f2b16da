package dev.kenaz.jobs.tools.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ValueReader;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerTest {
  private static final String PROGRAM =
      """
      type point = {x: f64, y: f64}
      type~ figure = #disc f64 | #box f64 f64 | #path []i32
      module m : { type hidden val hide: i32 -> hidden val show: hidden -> i32 } = {
        type hidden = (i32, i32)
        def hide x = (x, x + 1)
        def show ((a, b): hidden) = a + b
      }
      #[foo(bar, 2)]
      entry main (x: i32) (ys: []i32) : (i32, []i32) = (x + i32.sum ys, map (+ x) ys)
      entry point (x: f64) (y: f64) : point = {x, y}
      entry points (n: i64) : [n]point = tabulate n (\\i -> {x = f64.i64 i, y = 1})
      entry lengths (ps: []point) : []f64 = map (\\p -> f64.sqrt (p.x * p.x + p.y * p.y)) ps
      entry area (f: figure) : f64 =
        match f
        case #disc r -> r * r * 3
        case #box a b -> a * b
        case #path xs -> f64.i32 (i32.sum xs)
      entry path (n: i64) : figure = #path (map i32.i64 (iota n))
      entry hide (x: i32) : m.hidden = m.hide x
      entry show (h: m.hidden) : i32 = m.show h
      entry beside (x: i32) : (m.hidden, i32) = (m.hide x, x)
      entry update (xs: *[]i32) (i: i64) : *[]i32 = xs with [i] = 42
      entry at (xs: []i32) (i: i64) : i32 = xs[i]
      entry nothing (x: i32) : () = ()
      entry constant : i32 = 7
      """;

  @TempDir Path folder;

  private List<String> session(Backend backend, String... commands) {
    var source = ProgramSource.of("served.fut", PROGRAM);
    var bytes = new ByteArrayOutputStream();
    try (var program = Compiler.compile(source, CompileOptions.of(backend))) {
      var out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
      var in = new BufferedReader(new StringReader(String.join("\n", commands)));
      new Server(program, EntryAttributes.of(source), out).serve(in);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** The answers to each command, the first being that of the start. */
  private List<List<String>> answers(String... commands) {
    var answers = new ArrayList<List<String>>();
    var current = new ArrayList<String>();
    for (var line : session(Backend.JVM, commands)) {
      if (line.equals("%%% OK")) {
        answers.add(List.copyOf(current));
        current.clear();
      } else {
        current.add(line.startsWith("runtime: ") ? "runtime: _" : line);
      }
    }
    assertEquals(List.of(), current);
    assertEquals(commands.length + 1, answers.size());
    return answers;
  }

  private String file(String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text).toString();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertFails(List<String> answer) {
    assertTrue(answer.contains("%%% FAILURE"), answer::toString);
    assertTrue(answer.size() > answer.indexOf("%%% FAILURE") + 1, "a message");
  }

  @Test
  void entryPointsAndTypes() {
    var a =
        answers(
            "entry_points",
            "inputs main",
            "output main",
            "outputs main",
            "inputs update",
            "output update",
            "attributes main",
            "attributes at",
            "inputs constant",
            "inputs nosuch");
    assertEquals("main", a.get(1).getFirst());
    assertEquals("constant", a.get(1).getLast());
    assertEquals(List.of("i32", "[]i32"), a.get(2));
    assertEquals(List.of("(i32, []i32)"), a.get(3));
    assertEquals(List.of("i32", "[]i32"), a.get(4));
    assertEquals(List.of("*[]i32", "i64"), a.get(5));
    assertEquals(List.of("*[]i32"), a.get(6));
    assertEquals(List.of("foo(bar, 2)"), a.get(7));
    assertEquals(List.of(), a.get(8));
    assertEquals(List.of(), a.get(9));
    assertFails(a.get(10));
  }

  @Test
  void storesNowhere() {
    var x = file("x", "5i32");
    var a = answers("restore " + x + " x i32", "store " + x + "/in/a/file x", "type x");
    assertEquals("[K7102]", a.get(2).getLast());
    assertEquals(List.of("i32"), a.get(3));
  }

  @Test
  void kindsOfTypes() {
    var a =
        answers(
            "kind i32",
            "kind [][]f32",
            "kind point",
            "kind []point",
            "kind figure",
            "kind m.hidden",
            "kind nosuch",
            "rank [][]f32",
            "elemtype []point",
            "rank i32",
            "fields point",
            "fields \"(i32, []i32)\"",
            "variants figure");
    assertEquals(List.of("primitive"), a.get(1));
    assertEquals(List.of("array"), a.get(2));
    assertEquals(List.of("record"), a.get(3));
    assertEquals(List.of("array"), a.get(4));
    assertEquals(List.of("sum"), a.get(5));
    assertEquals(List.of("opaque"), a.get(6));
    assertFails(a.get(7));
    assertEquals(List.of("2"), a.get(8));
    assertEquals(List.of("point"), a.get(9));
    assertFails(a.get(10));
    assertEquals(List.of("x f64", "y f64"), a.get(11));
    assertEquals(List.of("0 i32", "1 []i32"), a.get(12));
    assertEquals(List.of("box", "- f64", "- f64", "disc", "- f64", "path", "- []i32"), a.get(13));
  }

  @Test
  void callsAndFiles() {
    var out = folder.resolve("out").toString();
    var a =
        answers(
            "restore " + file("in", "3 [1,2,3]") + " a i32 b []i32",
            "call main r a b",
            "type r",
            "project s r 0",
            "project t r 1",
            "store \"" + out + "\" s t",
            "call main u v a b",
            "shape v",
            "call constant c",
            "call nothing n a",
            "call main r a b");
    assertEquals(List.of("runtime: _"), a.get(2));
    assertEquals(List.of("(i32, []i32)"), a.get(3));
    assertEquals(ValueReader.parse("9 [4,5,6]"), ValueReader.readAll(Path.of(out)));
    assertEquals(List.of("3"), a.get(8));
    assertEquals(List.of("runtime: _"), a.get(9));
    assertEquals(List.of("runtime: _"), a.get(10));
    assertFails(a.get(11));
  }

  @Test
  void failuresLeaveTheSessionUsable() {
    var a =
        answers(
            "restore " + file("in", "[1,2,3] 5i64 1i64") + " xs []i32 far i64 near i64",
            "call at r xs far",
            "type r",
            "call at r xs near",
            "call at",
            "call at q xs",
            "call at q far xs",
            "restore " + file("more", "1 2") + " x i32",
            "restore " + file("other", "1i64") + " x i32",
            "restore " + file("garbage", "b\002\001 i32\377\377\377\377") + " x []i32",
            "restore /nosuch/file x i32",
            "store /nosuch/file r",
            "free nosuch",
            "rename r xs",
            "rename r q",
            "type q",
            "\"unfinished",
            " ");
    for (int i : new int[] {2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17}) {
      assertFails(a.get(i));
    }
    assertTrue(a.get(2).toString().contains("ut of bounds"), a.get(2)::toString);
    assertEquals(List.of("i32"), a.get(16));
    assertEquals(List.of(), a.get(18));
  }

  @Test
  void consumedVariablesCanOnlyBeFreed() {
    var a =
        answers(
            "restore " + file("in", "[1,2,3] 1i64") + " xs []i32 i i64",
            "call update ys xs i",
            "call at r xs i",
            "store /dev/null xs",
            "restore " + file("in2", "[1]") + " xs []i32",
            "free xs",
            "call at r ys i",
            "store " + folder.resolve("out") + " r");
    assertFails(a.get(3));
    assertFails(a.get(4));
    assertFails(a.get(5));
    assertEquals(List.of(), a.get(6));
    assertEquals(ValueReader.parse("42"), ValueReader.readAll(folder.resolve("out")));
  }

  @Test
  void opaqueValues() {
    var saved = folder.resolve("saved");
    var a =
        answers(
            "restore " + file("in", "5 3i64 2.0 4.0") + " x i32 n i64 a f64 b f64",
            "call hide h x",
            "store " + saved + " h",
            "restore " + saved + " h2 m.hidden",
            "call show r h2",
            "call points ps n",
            "shape ps",
            "index p ps 2",
            "project px p x",
            "index q ps 3",
            "unzip ps xs ys",
            "zip ps2 []point xs xs",
            "call lengths ls ps2",
            "new np point a b",
            "set ps2 np 1",
            "new_array pa []point 2 p np",
            "call lengths ls2 pa",
            "new bad point a x",
            "store " + folder.resolve("out") + " r px ls2");
    assertEquals(List.of("3"), a.get(7));
    assertFails(a.get(10));
    assertFails(a.get(18));
    var expected = ValueReader.parse("11 2.0 [2.23606797749979, 4.47213595499958]");
    assertEquals(expected, ValueReader.readAll(folder.resolve("out")));
  }

  /** A part of a tuple has the type of an entry's parameter, although its name is shorter. */
  @Test
  void opaqueParts() {
    var a =
        answers(
            "restore " + file("in", "5") + " x i32",
            "call beside t x",
            "project h t 0",
            "type h",
            "call show r h",
            "store " + folder.resolve("out") + " r");
    assertEquals(List.of("hidden"), a.get(4));
    assertEquals(ValueReader.parse("11"), ValueReader.readAll(folder.resolve("out")));
  }

  @Test
  void sums() {
    var a =
        answers(
            "restore " + file("in", "4i64 2.0 3.0") + " n i64 a f64 b f64",
            "construct f figure box a b",
            "variant f",
            "call area r f",
            "destruct f c d",
            "call path p n",
            "variant p",
            "destruct p xs",
            "shape xs",
            "construct g figure disc",
            "construct g figure nosuch",
            "destruct p q s",
            "store " + folder.resolve("out") + " r d");
    assertEquals(List.of("box"), a.get(3));
    assertEquals(List.of("path"), a.get(7));
    assertEquals(List.of("4"), a.get(9));
    assertFails(a.get(10));
    assertFails(a.get(11));
    assertFails(a.get(12));
    assertEquals(ValueReader.parse("6.0 3.0"), ValueReader.readAll(folder.resolve("out")));
  }

  @Test
  void profilingAndTuning() {
    var a =
        answers(
            "clear",
            "report",
            "pause_profiling",
            "unpause_profiling",
            "tuning_params main",
            "set_tuning_param nosuch 1",
            "tuning_param_class nosuch");
    assertFalse(a.get(2).isEmpty());
    assertEquals(List.of(), a.get(5));
    assertFails(a.get(6));
    assertFails(a.get(7));
  }

  @Test
  void garbageNeverEndsTheSession() {
    var random = new Random(1);
    var words =
        List.of(
            "call",
            "main",
            "restore",
            "store",
            "free",
            "x",
            "[]i32",
            "i32",
            "point",
            "new",
            "0",
            "-1",
            "zip",
            "unzip",
            "set",
            "index",
            "new_array",
            "project",
            "\"",
            "(i32, []i32)",
            "construct",
            "destruct",
            "variant",
            "shape",
            "9999999999999999999",
            "%%% OK",
            "rename");
    var commands = new String[300];
    Arrays.setAll(
        commands,
        i -> {
          var line = new StringBuilder();
          for (int k = random.nextInt(6); k >= 0; k--) {
            line.append(words.get(random.nextInt(words.size()))).append(' ');
          }
          return line.toString();
        });
    var lines = session(Backend.INTERPRET, commands);
    assertEquals(301, lines.stream().filter("%%% OK"::equals).count());
    assertFalse(String.join("\n", lines).contains("bug in kenaz"), () -> String.join("\n", lines));
  }
}
