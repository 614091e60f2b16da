package dev.kenaz.jvm;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The methods of a class that compute elementary functions. It does no harm if some aren't called
 * in the end.
 */
final class FunctionMethods {
  private final Set<ScalarFormula.Of> scalars = new LinkedHashSet<>();
  private final Set<VectorFormula.Of> vectors = new LinkedHashSet<>();

  /** Adds a method to a class. */
  interface Adding {
    void method(String name, MethodTypeDesc type, Consumer<CodeBuilder> body);
  }

  /** Adds the methods of a function; returns the name of that for a scalar. */
  String scalar(ScalarFormula.Of of) {
    scalars.add(of);
    return of.method();
  }

  /** Adds the method for vectors in memory. */
  void vector(VectorFormula.Of of) {
    vectors.add(of);
  }

  void emit(ClassDesc self, Adding to) {
    for (var of : scalars) {
      to.method(of.method(), of.type(), c -> of.method(c, self));
      to.method(of.whole(), of.type(), of::whole);
      to.method(of.lanes(), of.typeOfLanes(), c -> of.lanes(c, self));
    }
    for (var of : vectors) {
      to.method(of.method(), VectorFormula.Of.TYPE, c -> of.method(c, self));
    }
  }
}
