package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K1100;
import static dev.kenaz.error.ErrorCode.K6301;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What is null, or makes no sense in Java, is refused by the name of the parameter. */
final class NullsTest {
  private static final CompileOptions OPTIONS = CompileOptions.of(Backend.JVM);

  private static void isNull(String parameter, Executable call) {
    assertEquals(parameter, assertThrows(NullPointerException.class, call).getMessage());
  }

  private static void fault(ErrorCode code, Executable call) {
    var fault = assertThrows(UserError.class, call);
    assertEquals(code, fault.diagnostics().getFirst().code(), fault::getMessage);
  }

  @Test
  void compiling() {
    var files = new HashMap<String, String>();
    files.put("a.fut", "entry f = 1i32");
    isNull("text", () -> Kenaz.compile((String) null));
    isNull("text", () -> Kenaz.compile((String) null, OPTIONS));
    isNull("options", () -> Kenaz.compile("", null));
    isNull("file", () -> Kenaz.compile((Path) null));
    isNull("file", () -> Kenaz.compile((Path) null, OPTIONS));
    isNull("options", () -> Kenaz.compile(Path.of("there-is-none.fut"), null));
    isNull("main", () -> Kenaz.compile(null, files, OPTIONS));
    isNull("files", () -> Kenaz.compile("a.fut", null, OPTIONS));
    isNull("options", () -> Kenaz.compile("a.fut", files, null));
    fault(K1100, () -> Kenaz.compile("b.fut", files, OPTIONS));
    fault(K1100, () -> Kenaz.compile("a.fut", Map.of(), OPTIONS));
    Kenaz.compile("a.fut", files, OPTIONS).close();
    files.put("b.fut", null);
    isNull("the text of b.fut", () -> Kenaz.compile("a.fut", files, OPTIONS));
    files.put(null, files.remove("a.fut"));
    files.remove("b.fut");
    isNull("the name of a file", () -> Kenaz.compile("a.fut", files, OPTIONS));
  }

  @Test
  void optionsThatMakeNoSense() {
    isNull("backend", () -> CompileOptions.of(null));
    assertThrows(IllegalArgumentException.class, () -> OPTIONS.onCores(0));
    assertThrows(IllegalArgumentException.class, () -> OPTIONS.onCores(-1));
    assertThrows(IllegalArgumentException.class, () -> OPTIONS.onDevice(-2));
    assertThrows(IllegalArgumentException.class, () -> OPTIONS.withLoopMemory(-1));
  }

  @Test
  void callsAndDerivatives() {
    try (var program = Kenaz.compile("entry f (x: f64) (y: f64): f64 = x * y")) {
      var f = program.entry("f");
      isNull("name", () -> program.entry(null));
      isNull("value", () -> program.release(null));
      isNull("arguments", () -> f.callAll(null));
      fault(K6301, () -> f.call(null));
      fault(K6301, () -> f.call(1.0, null));
      fault(K6301, () -> f.callAll(Arrays.asList(null, 1.0)));
      isNull("by", () -> f.gradient((String[]) null));
      isNull("by", () -> f.gradient("x", null));
      isNull("by", () -> f.valueAndGradient((String) null));
      isNull("by", () -> f.vjp((String) null));
      isNull("by", () -> f.vjp2((String) null));
      isNull("by", () -> f.jvp((String) null));
      isNull("by", () -> f.jvp2((String) null));
      isNull("by", () -> f.jacobian((String) null));
      isNull("by", () -> f.hessian((String) null));
    }
  }

  @Test
  void pieces() {
    try (var program = Kenaz.compile("entry f [n] (xs: [n]f64): f64 = f64.sum xs")) {
      var f = program.entry("f");
      var sizes = new HashMap<String, Long>();
      isNull("rows", () -> f.inPieces((String[]) null));
      isNull("rows", () -> f.inPieces((String) null));
      isNull("dataset", () -> f.over(null));
      assertThrows(IllegalArgumentException.class, () -> f.over(() -> List.of("xs")));
      var inPieces = f.inPieces("xs");
      isNull("arguments", () -> inPieces.callAll(null));
      fault(K6301, () -> inPieces.call(null));
      isNull("sizes", () -> inPieces.plan(null));
      sizes.put("n", null);
      isNull("the size n", () -> inPieces.plan(sizes));
    }
  }

  @Test
  void values() {
    var segment = Arena.ofAuto().allocate(8);
    var value = Value.view(ElementType.F64, segment);
    isNull("type", () -> Value.view(null, segment));
    isNull("elements", () -> Value.view(ElementType.F64, null));
    isNull("shape", () -> Value.view(ElementType.F64, segment, (long[]) null));
    isNull("type", () -> Value.copyOf(null, new double[1]));
    fault(K6301, () -> Value.copyOf(ElementType.F64, null));
    isNull("shape", () -> value.reshape((long[]) null));
    isNull("name", () -> value.field(null));
    isNull("wanted", () -> value.as(null));
    assertEquals(false, value.equals(null));
  }
}
