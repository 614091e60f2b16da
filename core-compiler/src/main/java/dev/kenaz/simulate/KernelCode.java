package dev.kenaz.simulate;

import dev.kenaz.kernels.Expressions;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import java.util.ArrayList;
import java.util.List;

/** Translates a kernel to a list of instructions. */
final class KernelCode {
  private final Expressions expressions = new Expressions();
  private final List<Instruction> instructions = new ArrayList<>();
  private final List<Code> origins = new ArrayList<>();

  KernelCode(Kernel kernel) {
    kernel.params().forEach(p -> number(p.reg()));
    var g = kernel.grid();
    List.of(g.thread(), g.block(), g.threads(), g.blocks()).forEach(this::number);
    kernel.shared().forEach(s -> number(s.base()));
    kernel.locals().forEach(l -> number(l.base()));
    kernel.heap().forEach(s -> List.of(s.base(), s.capacity()).forEach(this::number));
    new Translation(this, expressions).block(kernel.body());
  }

  int number(Reg reg) {
    return expressions.number(reg);
  }

  int registers() {
    return expressions.registers();
  }

  int length() {
    return instructions.size();
  }

  Instruction instruction(int at) {
    return instructions.get(at);
  }

  /** Returns the statement that the instruction comes from, for messages. */
  String text(int at) {
    var text = origins.get(at).toString();
    return text.length() > 300 ? text.substring(0, 300) + " ..." : text;
  }

  /** Adds an instruction, and returns its place. */
  int add(Code origin, Instruction i) {
    instructions.add(i);
    origins.add(origin);
    return instructions.size() - 1;
  }

  void replace(int at, Instruction i) {
    instructions.set(at, i);
  }
}
