package dev.kenaz.ir;

import dev.kenaz.error.CompilerBug;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that a program is well formed: every variable is bound once, before its uses and in their
 * scope; uses carry the binder's type; operands, lambdas and results fit; accumulators are used
 * linearly; nothing is used after it was consumed (see {@link Consumption}).
 *
 * <p>Sizes are compared only as far as constants tell: two different atoms may be equal at run time
 * because the program asserted it.
 */
public final class Verifier {
  /** What is wrong. */
  static final class Invalid extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Invalid(String message) {
      super(message, null, false, false);
    }
  }

  private final Map<String, FunDef> functions = new HashMap<>();
  private final Map<Var, Type> scope = new HashMap<>();
  private final Set<Var> bound = new HashSet<>();
  private final TypeRules rules = new TypeRules(functions);

  private Verifier() {}

  /**
   * @param pass the stage that made the program: it is blamed
   * @throws CompilerBug if the program isn't well formed; the message names the pass and a file
   *     with the program
   */
  public static void verify(CoreProgram program, String pass) {
    try {
      new Verifier().program(program);
      Consumption.check(program);
    } catch (Invalid e) {
      throw new CompilerBug(pass, e.getMessage() + "; the program is in " + dump(program, pass), e);
    }
  }

  private static String dump(CoreProgram program, String pass) {
    try {
      var file = Files.createTempFile("kenaz-" + pass.replaceAll("\\W", "_") + "-", ".core");
      Files.writeString(file, Printer.print(program));
      return file.toString();
    } catch (IOException e) {
      return "no file (" + e.getMessage() + ")";
    }
  }

  static Invalid invalid(String message) {
    return new Invalid(message);
  }

  private void program(CoreProgram program) {
    for (var f : program.functions()) {
      if (functions.put(f.name(), f) != null) {
        throw invalid("function " + f.name() + " is defined twice");
      }
      function(f);
    }
    for (var e : program.entries()) {
      var f = functions.get(e.function());
      if (f == null) {
        throw invalid("entry " + e.name() + " calls " + e.function() + ", which does not exist");
      }
      int params = e.sizeParams();
      for (var p : e.params()) {
        params += p.type().flat().size();
      }
      int results = e.resultSizes();
      for (var r : e.results()) {
        results += r.type().flat().size();
      }
      if (params != f.params().size() || results != f.returns().size()) {
        throw invalid("entry " + e.name() + " and its function differ in arity");
      }
    }
  }

  private void function(FunDef f) {
    scope.clear();
    try {
      bindAll(f.params());
      body(f.body());
      for (var size : f.returnSizes()) {
        bind(size);
      }
      f.returns().forEach(this::type);
      TypeRules.results("function " + f.name(), f.returns(), f.body().results());
    } catch (Invalid e) {
      throw invalid("in " + f.name() + ": " + e.getMessage());
    }
  }

  // Scopes

  private void bind(Var v) {
    type(v.type());
    if (!bound.add(v)) {
      throw invalid(v + " is bound twice");
    }
    scope.put(v, v.type());
  }

  private void bindAll(List<Var> vars) {
    vars.forEach(this::bind);
  }

  private void unbind(List<Var> vars) {
    vars.forEach(scope::remove);
  }

  private void use(Atom atom) {
    if (atom instanceof Var v) {
      var type = scope.get(v);
      if (type == null) {
        throw invalid(v + (bound.contains(v) ? " is used out of its scope" : " is not bound"));
      }
      if (type != v.type() && !type.equals(v.type())) {
        throw invalid(v + " is bound as " + type + " but used as " + v.type());
      }
    }
  }

  private void type(Type type) {
    switch (type) {
      case Type.Scalar _ -> {}
      case Type.Array a -> a.shape().forEach(this::size);
      case Type.Acc a -> {
        a.space().forEach(this::size);
        a.elems().forEach(this::type);
      }
    }
  }

  private void size(Atom size) {
    use(size);
    if (!size.type().equals(Type.I64)) {
      throw invalid("the size " + size + " is not an i64");
    }
  }

  private void body(Body body) {
    for (var stm : body.stms()) {
      try {
        stm(stm);
      } catch (Invalid e) {
        var message = e.getMessage();
        throw message.contains("\n  in ")
            ? e
            : invalid(message + "\n  in " + Printer.print(stm).strip() + "\n  at " + stm.span());
      }
    }
    body.results().forEach(this::use);
    for (var stm : body.stms()) {
      unbind(stm.pattern());
    }
  }

  private void stm(Stm stm) {
    var operands = new Operands();
    operands.exp(stm.exp());
    var types = rules.resultTypes(stm.exp());
    bindAll(stm.pattern());
    if (types.size() != stm.pattern().size()) {
      throw invalid("binds " + stm.pattern().size() + " of " + types.size() + " results");
    }
    for (int i = 0; i < types.size(); i++) {
      TypeRules.agree("pattern", stm.pattern().get(i).type(), types.get(i));
    }
  }

  /** Visits the parts of one expression, binding what it binds while inside. */
  private final class Operands implements Rewriter {
    @Override
    public Atom atom(Atom atom) {
      use(atom);
      return atom;
    }

    @Override
    public Type type(Type type) {
      Verifier.this.type(type);
      return type;
    }

    @Override
    public Var binder(Var v) {
      bind(v);
      return v;
    }

    @Override
    public Body body(Body body) {
      Verifier.this.body(body);
      return body;
    }

    @Override
    public Lambda lambda(Lambda lambda) {
      bindAll(lambda.params());
      lambda.returns().forEach(this::type);
      Verifier.this.body(lambda.body());
      unbind(lambda.params());
      TypeRules.results("lambda", lambda.returns(), lambda.body().results());
      return lambda;
    }

    @Override
    public Exp loop(Exp.Loop loop) {
      var result = Rewriter.super.loop(loop);
      unbind(loop.params().stream().map(Exp.LoopParam::var).toList());
      if (loop.form() instanceof Exp.For(var i, _)) {
        scope.remove(i);
      }
      return result;
    }
  }
}
