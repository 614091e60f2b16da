package dev.kenaz.kernels;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Fault;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.GpuEntries;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.GpuProgram.Site;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.LoopFun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts a guard in place of each check in a kernel. A device reports a failure by a number, so what
 * can fail is numbered in the order of the kernels.
 */
final class Guards {
  private final Map<Site, Integer> sites = new LinkedHashMap<>();

  private Guards() {}

  static GpuProgram program(GpuEntries program) {
    var guards = new Guards();
    var functions = new ArrayList<LoopFun>();
    var kernels = new ArrayList<Kernel>();
    for (var e : program.entries()) {
      functions.add(e.host());
      e.kernels().forEach(k -> kernels.add(k.with(k.params(), guards.code(k.body()))));
    }
    return new GpuProgram(functions, kernels, List.copyOf(guards.sites.keySet()));
  }

  private List<Code> code(List<Code> code) {
    return code.stream().map(this::code).toList();
  }

  private Code code(Code c) {
    if (c instanceof Code.Check(var condition, var fault, var arguments)) {
      var few = arguments.subList(0, Math.min(arguments.size(), Device.FAULT_ARGUMENTS));
      return new Code.Gpu(new GpuCode.Guard(condition, site(fault, few), few));
    }
    return CodeWalk.withInner(c, this::code);
  }

  private int site(Fault fault, List<Expr> arguments) {
    var site = new Site(fault, arguments.stream().map(Expr::prim).toList());
    return sites.computeIfAbsent(site, _ -> sites.size());
  }
}
