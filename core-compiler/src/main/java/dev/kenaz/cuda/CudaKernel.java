package dev.kenaz.cuda;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.kernels.Device;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes one kernel as CUDA C++. Registers get their names in order of appearance. */
final class CudaKernel implements CudaScalars.Registers {
  private static final long SITE_NO_MEMORY = Device.NO_HEAP - 1;

  /**
   * How many iterations of a loop are unrolled; a loop that is longer than {@link #BRIEF} is not.
   */
  private static final int UNROLLED = 4;

  private static final int BRIEF = 24;

  /**
   * How many iterations of a very short loop are unrolled: its few loads don't keep memory busy.
   */
  private static final int UNROLLED_MORE = 8;

  private static final int VERY_BRIEF = 8;
  private static final int UNROLLED_WHOLE = 16;

  /** So many buffers begin as arrays of the thread; all threads of a device have them. */
  private static final int MOST_OWN = 8;

  private final Kernel kernel;
  private final CudaScalars scalars = new CudaScalars(this);
  private final StringBuilder out = new StringBuilder();
  private final Map<Reg, String> names = new HashMap<>();
  private final Set<String> taken;

  /** The pointers that have a type, with the type of what they point to. */
  private final Map<Reg, Prim> pointers = new HashMap<>();

  /**
   * The registers whose names stand for arrays of bytes. Such a name needs a cast to be an address.
   */
  private final Set<Reg> arrays = new HashSet<>();

  private final List<String> exits = new ArrayList<>();
  private final DeviceAddresses device;
  private Declarations declarations;
  private int labels;
  private int depth = 1;

  /**
   * @param taken names that registers can't have
   */
  CudaKernel(Kernel kernel, Set<String> taken) {
    this.kernel = kernel;
    this.taken = new HashSet<>(taken);
    this.device = DeviceAddresses.of(kernel);
  }

  String text() {
    var known = new HashSet<Reg>();
    var g = kernel.grid();
    kernel.params().forEach(p -> known.add(p.reg()));
    kernel.shared().forEach(s -> known.add(s.base()));
    kernel.locals().forEach(l -> known.add(l.base()));
    kernel.heap().forEach(s -> known.addAll(List.of(s.base(), s.capacity())));
    known.addAll(List.of(g.thread(), g.block(), g.threads(), g.blocks()));
    pointers.putAll(PointerTypes.of(kernel));
    arrays.addAll(pointers.keySet());
    kernel.shared().forEach(s -> pointers.put(s.base(), s.prim()));
    kernel.shared().forEach(s -> arrays.add(s.base()));
    kernel.locals().forEach(l -> arrays.add(l.base()));
    declarations = Declarations.of(kernel.body(), known);
    var span = kernel.span();
    line0("// " + kernel.what() + (span.known() ? ", " + span : ""));
    var head = "void " + kernel.name() + "(" + params() + ")";
    if (kernel.what().equals(Kernel.TILED)) {
      line0("KZ_TWO_BLOCKS " + head + ";");
    }
    line0("KZ_KERNEL " + head + " {");
    // Of threads that wait for each other either all must leave, or none.
    var failed = "*(volatile i64 *)kz_faults != 0";
    line("if (" + (kernel.together() ? "__syncthreads_or(" + failed + ")" : failed) + ") return;");
    grid();
    memory();
    block(kernel.body());
    kernel.heap().forEach(s -> line("heap_free(" + slot(s) + ");"));
    line0("}");
    return out.toString();
  }

  private String params() {
    var text = new StringBuilder("i64 *kz_faults");
    for (var p : kernel.params()) {
      var prim = pointers.get(p.reg());
      var type =
          prim != null ? CudaTypes.memory(prim) + " *" : CudaTypes.register(p.reg().prim()) + " ";
      text.append(", ").append(type).append(name(p.reg()));
    }
    return text.toString();
  }

  private void grid() {
    var used = Registers.of(kernel.body());
    var g = kernel.grid();
    Map<Reg, String> values = new LinkedHashMap<>();
    values.put(g.thread(), "threadIdx.x");
    values.put(g.block(), "blockIdx.x");
    values.put(g.threads(), "blockDim.x");
    values.put(g.blocks(), "gridDim.x");
    values.forEach(
        (reg, value) -> {
          if (used.mentions(reg)) {
            line("const i64 " + name(reg) + " = " + value + ";");
          }
        });
  }

  private void memory() {
    for (var s : kernel.shared()) {
      var type = CudaTypes.memory(s.prim());
      if (s.count() == 0) {
        line("KZ_DYNAMIC_SHARED(" + type + ", " + name(s.base()) + ");");
      } else {
        line("__align__(16) __shared__ " + type + " " + name(s.base()) + "[" + s.count() + "];");
      }
    }
    for (var l : kernel.locals()) {
      line("__align__(16) char " + name(l.base()) + "[" + l.bytes() + "];");
    }
    for (int k = 0; k < kernel.heap().size(); k++) {
      var s = kernel.heap().get(k);
      var start = " = 0, ";
      var capacity = " = -1;";
      if (k < MOST_OWN) {
        var own = fresh(s.base().name() + "_own");
        line("__align__(16) char " + own + "[KZ_OWN];");
        start = " = (i64)" + own + ", ";
        capacity = " = KZ_OWN;";
      }
      line("i64 " + name(s.base()) + start + name(s.capacity()) + capacity);
    }
  }

  // Names

  private String name(Reg reg) {
    return names.computeIfAbsent(
        reg,
        r -> {
          var text = r.name().replaceAll("[^A-Za-z0-9_]", "_");
          var base = text.isEmpty() || !Character.isLetter(text.charAt(0)) ? "x" + text : text;
          var unique = base;
          for (int k = 2; !taken.add(unique); k++) {
            unique = base + "_" + k;
          }
          return unique;
        });
  }

  @Override
  public String value(Reg reg) {
    return arrays.contains(reg) ? "(i64)" + name(reg) : name(reg);
  }

  @Override
  public String element(Reg reg, Prim prim, String index) {
    return pointers.get(reg) == prim ? name(reg) + "[" + index + "]" : null;
  }

  @Override
  public boolean inDevice(Expr base) {
    return device.contains(base);
  }

  private String slot(Slot s) {
    return name(s.base()) + ", " + name(s.capacity());
  }

  // Statements

  private void line0(String text) {
    out.append(text).append('\n');
  }

  private void line(String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }

  private void block(List<Code> code) {
    for (var c : code) {
      for (var reg : declarations.before(c)) {
        if (!Declarations.defines(c, reg) && !isCounter(c, reg)) {
          line(CudaTypes.register(reg.prim()) + " " + name(reg) + " = 0;");
        }
      }
      statement(c);
    }
  }

  /** Whether the loop itself declares the register, as its counter. */
  private boolean isCounter(Code c, Reg reg) {
    return c instanceof Code.For f
        && f.i().equals(reg)
        && declarations.before(c).contains(reg)
        && declarations.onlyInside(f, reg);
  }

  /**
   * Returns the register as the target of an assignment, with its type where it is declared here.
   */
  private String target(Code c, Reg reg) {
    boolean declared = declarations.before(c).contains(reg) && Declarations.defines(c, reg);
    return (declared ? CudaTypes.register(reg.prim()) + " " : "") + name(reg);
  }

  private void statement(Code c) {
    switch (c) {
      case Code.Set(var reg, var e) -> line(target(c, reg) + " = " + bare(e) + ";");
      case Code.Store(var prim, var base, var index, var value) ->
          line(scalars.element(prim, base, index) + " = " + stored(prim, value) + ";");
      case Code.AtomicUpdate a -> line(atomic(a));
      case Code.Ensure(var slot, var bytes) ->
          guard("heap_grow(" + slot(slot) + ", " + scalars.value(bytes) + ")", SITE_NO_MEMORY, "");
      case Code.Free(var slot) -> line("heap_free(" + slot(slot) + ");");
      case Code.Swap(var a, var b) -> {
        line("exchange(" + name(a.base()) + ", " + name(b.base()) + ");");
        line("exchange(" + name(a.capacity()) + ", " + name(b.capacity()) + ");");
      }
      case Code.CopyBytes(var to, var from, var bytes) ->
          line(
              "copy_bytes(%s, %s, %s);"
                  .formatted(scalars.value(to), scalars.value(from), scalars.value(bytes)));
      case Code.If(var condition, var then, var otherwise) -> {
        line("if (" + bare(condition) + ") {");
        nested(then);
        if (!otherwise.isEmpty()) {
          line("} else {");
          nested(otherwise);
        }
        line("}");
      }
      case Code.For f -> loop(f);
      case Code.While(var condition, var body) -> {
        line("while (" + bare(condition) + ") {");
        nested(body);
        line("}");
      }
      case Code.Print(var label, var value) -> print(label, value);
      case Code.Gpu(var g) -> gpu(c, g);
      case Code.Check _, Code.Plan _, Code.Parallel _, Code.MatrixProduct _, Code.Call _ ->
          throw new CompilerBug("cuda", "not for a kernel: " + c);
    }
  }

  /** Writes the expression without parentheses around all of it. */
  private String bare(Expr e) {
    var text = scalars.value(e);
    if (!text.startsWith("(")) {
      return text;
    }
    int open = 0;
    for (int i = 0; i < text.length(); i++) {
      open += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
      if (open == 0) {
        return i == text.length() - 1 ? text.substring(1, i) : text;
      }
    }
    return text;
  }

  private void nested(List<Code> code) {
    depth++;
    block(code);
    depth--;
  }

  private void loop(Code.For f) {
    var i = name(f.i());
    var type = isCounter(f, f.i()) ? "i64 " : "";
    boolean fixed =
        f.bound() instanceof Expr.Lit
            || f.bound() instanceof Expr.Use(var reg)
                && !Registers.of(f.body()).assigned().contains(reg);
    var bound = bare(f.bound());
    if (!fixed) {
      var n = fresh("n");
      line("const i64 " + n + " = " + bound + ";");
      bound = n;
    }
    int times = f.independent() ? unrolled(f) : overlapping(f);
    if (times > 1) {
      line("#pragma unroll " + times);
    }
    line("for (" + type + i + " = 0; " + i + " < " + bound + "; " + i + "++) {");
    nested(f.body());
    line("}");
  }

  /**
   * Returns how many iterations are worth writing one after the other, so that their loads overlap.
   */
  private static int unrolled(Code.For f) {
    var count = new int[1];
    CodeWalk.code(
        f.body(),
        c -> count[0] += c instanceof Code.For || c instanceof Code.While ? BRIEF : 1,
        _ -> {});
    if (count[0] >= BRIEF) {
      return 1;
    }
    boolean few = f.bound() instanceof Expr.Lit(var n) && n.bits() <= UNROLLED_WHOLE;
    int most = count[0] <= VERY_BRIEF ? UNROLLED_MORE : UNROLLED;
    return few && count[0] <= VERY_BRIEF ? UNROLLED_WHOLE : most;
  }

  /**
   * Returns how many iterations of a sequential loop are written one after the other: if all that
   * they load is in shared memory, so that this can be loaded ahead, which the compiler doesn't do
   * for long iterations by itself.
   */
  private int overlapping(Code.For f) {
    var shared = kernel.shared().stream().map(s -> Expr.use(s.base())).toList();
    var loads = new int[1];
    var other = new boolean[1];
    CodeWalk.code(
        f.body(),
        c -> other[0] |= !(c instanceof Code.Set || c instanceof Code.If),
        e -> {
          loads[0] += e instanceof Expr.Load ? 1 : 0;
          other[0] |= e instanceof Expr.Load(_, var base, _) && !shared.contains(base);
        });
    boolean few = f.bound() instanceof Expr.Lit(var n) && n.bits() <= UNROLLED_WHOLE;
    return loads[0] == 0 || other[0] ? 1 : few ? UNROLLED_WHOLE : UNROLLED;
  }

  private String fresh(String name) {
    return name(Reg.index(name));
  }

  private String stored(Prim prim, Expr value) {
    var v = scalars.value(value);
    return prim == Prim.F16 ? "half_bits(" + v + ")" : v;
  }

  private void print(String label, Expr value) {
    var v = scalars.value(value);
    var text = label.replace("\\", "\\\\").replace("\"", "\\\"").replace("%", "%%");
    var p = value.prim();
    if (p == Prim.BOOL) {
      line("printf(\"" + text + ": %s\\n\", " + v + " ? \"true\" : \"false\");");
    } else if (p.isFloat()) {
      line("printf(\"" + text + ": %.9g" + p.text() + "\\n\", (f64)" + v + ");");
    } else {
      var format = p.isUnsigned() ? "%llu" : "%lld";
      var type = p.isUnsigned() ? "u64" : "i64";
      line("printf(\"" + text + ": " + format + p.text() + "\\n\", (" + type + ")" + v + ");");
    }
  }

  // What only GPUs have

  private void gpu(Code c, GpuCode g) {
    switch (g) {
      case GpuCode.Barrier _ -> line("__syncthreads();");
      case GpuCode.Fence _ -> line("__threadfence();");
      case GpuCode.ReadShared(var to, var prim, var base, var index) -> {
        var place =
            "*(volatile " + CudaTypes.memory(prim) + " *)&" + scalars.element(prim, base, index);
        var v = prim == Prim.F16 ? "half_value(" + place + ")" : place;
        line(target(c, to) + " = " + v + ";");
      }
      case GpuCode.WriteShared(var prim, var base, var index, var value) ->
          line(
              "*(volatile %s *)&%s = %s;"
                  .formatted(
                      CudaTypes.memory(prim),
                      scalars.element(prim, base, index),
                      stored(prim, value)));
      case GpuCode.Fetch(var old, var op, var prim, var base, var index, var value) ->
          line(
              target(c, old)
                  + " = "
                  + CudaAtomics.update(
                      op, prim, scalars.element(prim, base, index), scalars.value(value), scalars)
                  + ";");
      case GpuCode.Locked(var base, var index, var body) -> locked(base, index, body);
      case GpuCode.Shuffle(var to, var how, var value, var lane) -> {
        var function =
            switch (how) {
              case UP -> "__shfl_up_sync";
              case DOWN -> "__shfl_down_sync";
              case AT -> "__shfl_sync";
            };
        var t = CudaTypes.register(to.prim());
        boolean narrow = to.prim().byteSize() < 4 && to.prim() != Prim.F16;
        var v = (narrow ? "(i32)" : "") + scalars.value(value);
        var call = function + "(0xffffffffu, " + v + ", (i32)" + scalars.value(lane) + ")";
        line(target(c, to) + " = " + (narrow ? "(" + t + ")" : "") + call + ";");
      }
      case GpuCode.Ballot(var to, var condition) ->
          line(name(to) + " = __ballot_sync(0xffffffffu, " + scalars.value(condition) + ");");
      case GpuCode.MultiplyTile m ->
          line(
              "multiply_tile("
                  + String.join(", ", m.operands().stream().map(this::bare).toList())
                  + ");");
      case GpuCode.Failed(var to) -> line(target(c, to) + " = *(volatile i64 *)kz_faults != 0;");
      case GpuCode.Guard(var condition, var site, var arguments) -> {
        var values = new StringBuilder();
        arguments.forEach(a -> values.append(", ").append(bits(a)));
        guard(scalars.value(condition), site, values.toString());
      }
      case GpuCode.Attempt(var body) -> attempt(body);
      case GpuCode.Launch _, GpuCode.Memory _ ->
          throw new CompilerBug("cuda", "only the host does this: " + c);
    }
  }

  private void attempt(List<Code> body) {
    if (!canFail(body)) {
      block(body);
      return;
    }
    var label = "kz_out" + (labels++ == 0 ? "" : "_" + labels);
    exits.addLast(label);
    line("{");
    nested(body);
    line("}");
    exits.removeLast();
    out.append("  ".repeat(depth - 1)).append(label).append(":;\n");
  }

  private static boolean canFail(List<Code> body) {
    var found = new boolean[1];
    CodeWalk.code(
        body,
        c -> found[0] |= c instanceof Code.Ensure || c instanceof Code.Gpu(GpuCode.Guard _),
        _ -> {});
    return found[0];
  }

  private void guard(String condition, long site, String arguments) {
    line("if (!" + enclosed(condition) + ") {");
    line("  fail(kz_faults, " + site + arguments + ");");
    line(exits.isEmpty() ? "  return;" : "  goto " + exits.getLast() + ";");
    line("}");
  }

  private static String enclosed(String condition) {
    boolean simple = condition.matches("\\w+(\\(.*)?") || condition.startsWith("(");
    return simple && !condition.startsWith("(i") ? condition : "(" + condition + ")";
  }

  /** Writes the value's bits as the fault record has them. */
  private String bits(Expr e) {
    var v = scalars.value(e);
    return switch (e.prim()) {
      case F16 -> "(i64)half_bits(" + v + ")";
      case F32, F64 -> "fault_bits(" + v + ")";
      case BOOL, I8, I16, I32, I64, U8, U16, U32, U64 -> "(i64)" + v;
    };
  }

  private String atomic(Code.AtomicUpdate a) {
    var place = scalars.element(a.prim(), a.base(), a.index());
    return CudaAtomics.update(a.op(), a.prim(), place, scalars.value(a.value()), scalars) + ";";
  }

  /**
   * Writes a loop that goes on until the thread has had the lock, so that threads of one warp take
   * turns.
   */
  private void locked(Expr base, Expr index, List<Code> body) {
    var lock = "&" + scalars.element(Prim.I32, base, index);
    var done = fresh("done");
    line("for (bool " + done + " = false; !" + done + ";) {");
    depth++;
    line("if (atomicCAS(" + lock + ", 0, 1) == 0) {");
    depth++;
    line("__threadfence();");
    block(body);
    line("__threadfence();");
    line("atomicExch(" + lock + ", 0);");
    line(done + " = true;");
    depth--;
    line("}");
    depth--;
    line("}");
  }
}
