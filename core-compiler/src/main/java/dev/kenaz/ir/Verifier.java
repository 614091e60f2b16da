package dev.kenaz.ir;

import dev.kenaz.error.CompilerBug;

/**
 * Checks that a program is well formed: its functions' code is (see {@link CodeVerifier}), entries
 * fit their functions, and nothing is used after it was consumed (see {@link Consumption}).
 */
public final class Verifier {
  private Verifier() {}

  /**
   * @param pass the pass that made the program: it is blamed
   * @throws CompilerBug if the program isn't well formed; the message names the pass and a file
   *     with the program
   */
  public static void verify(CoreProgram program, String pass) {
    IllFormed.blame(pass, () -> Printer.print(program), () -> check(program));
  }

  /**
   * Does the same for a program that may well be wrong: nobody is to blame.
   *
   * @throws IllFormed if the program isn't well formed
   */
  public static void check(CoreProgram program) {
    program(program);
    Consumption.check(program);
  }

  private static void program(CoreProgram program) {
    var code = new CodeVerifier();
    for (var f : program.functions()) {
      code.define(f);
      function(code, f);
    }
    for (var e : program.entries()) {
      var f =
          program.functions().stream()
              .filter(g -> g.name().equals(e.function()))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllFormed(
                          "entry %s calls %s, which doesn't exist"
                              .formatted(e.name(), e.function())));
      entry(e, f.params().size(), f.returns().size());
    }
  }

  private static void function(CodeVerifier code, FunDef f) {
    try {
      code.bindAll(f.params());
      code.body(f.body());
      code.bindAll(f.returnSizes());
      f.returns().forEach(code::type);
      TypeRules.agreeAll("function's result", f.returns(), f.body().results());
      code.unbind(f.returnSizes());
      code.unbind(f.params());
    } catch (IllFormed e) {
      throw new IllFormed("in " + f.name() + ": " + e.getMessage());
    }
  }

  /**
   * @param params how many flat components the function takes, sizes included
   * @param results how many it gives
   */
  public static void entry(EntryPoint e, int params, int results) {
    int given = e.sizeParams();
    for (var p : e.params()) {
      given += p.type().flat().size();
    }
    int taken = e.resultSizes();
    for (var r : e.results()) {
      taken += r.type().flat().size();
    }
    IllFormed.require(
        given == params && taken == results,
        "entry " + e.name() + " and its function differ in arity");
  }
}
