package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K1000;
import static dev.kenaz.error.ErrorCode.K2099;

import dev.kenaz.error.UserError;
import dev.kenaz.source.DeepStack;
import dev.kenaz.source.SourceFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks the types of a program. */
public final class Checker {
  private Checker() {}

  /**
   * Checks a program's names, modules, types, sizes and uniqueness.
   *
   * @param root the file whose entry points are those of the program
   * @param imports finds the files that it imports
   * @throws UserError with up to 20 errors
   */
  public static TypedProgram check(SourceFile root, ImportResolver imports) {
    return DeepStack.call(() -> checkHere(root, imports));
  }

  private static TypedProgram checkHere(SourceFile root, ImportResolver imports) {
    try {
      return program(root, imports);
    } catch (StackOverflowError e) {
      throw new UserError(K2099, root.span(), "the program is nested too deeply to be checked");
    }
  }

  private static TypedProgram program(SourceFile root, ImportResolver imports) {
    var prelude = Prelude.get();
    var session = prelude.session();
    var out = new Output();
    var modules = new Modules(session, imports, prelude.env());
    Env env;
    try {
      env = modules.root(root, out);
    } catch (Poisoned e) {
      throw new UserError(K1000, e.getMessage());
    }
    out.throwErrors();
    List<TypedDef> defs = new ArrayList<>(prelude.allDefs());
    defs.addAll(out.defs);
    Map<VName, TypeDef> representations = new HashMap<>(prelude.representations());
    representations.putAll(session.representations);
    return new TypedProgram(
        defs,
        out.entries,
        representations,
        session.recursive,
        session.uniqueness.shared(),
        session.warnings);
  }
}
