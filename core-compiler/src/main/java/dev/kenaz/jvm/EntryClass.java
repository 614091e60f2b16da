package dev.kenaz.jvm;

import dev.kenaz.error.Span;
import dev.kenaz.loops.Code;
import dev.kenaz.loops.Expr;
import dev.kenaz.loops.Fault;
import dev.kenaz.loops.LoopFun;
import dev.kenaz.loops.LoopFun.ArrayResult;
import dev.kenaz.loops.LoopFun.ScalarResult;
import dev.kenaz.loops.LoopProgram;
import dev.kenaz.loops.Reg;
import dev.kenaz.loops.Registers;
import dev.kenaz.value.Prim;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The class of one entry: {@code run(context, arguments, results)}, a static method for each
 * parallel body, and {@link Tasks#run} to call those by number.
 */
final class EntryClass {
  private static final ClassDesc TASKS = ClassDesc.of("dev.kenaz.jvm.Tasks");
  private static final ClassDesc L = ConstantDescs.CD_long;
  private static final ClassDesc V = ConstantDescs.CD_void;
  static final MethodTypeDesc RUN =
      MethodTypeDesc.of(V, MethodCode.CONTEXT, MethodCode.LONGS, MethodCode.LONGS);
  private static final MethodTypeDesc TASK =
      MethodTypeDesc.of(V, MethodCode.CONTEXT, MethodCode.LONGS, L, L, L);

  private static final Logger LOG = LoggerFactory.getLogger(EntryClass.class);

  /** HotSpot never compiles a method with more bytecode. */
  private static final int MOST = 8000;

  private final LoopFun function;
  private final Map<String, LoopProgram.Callee> callees;
  private final JvmOptions options;
  private final ClassDesc self;
  private final List<Code.Parallel> tasks = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();
  private final List<Region> regions = new ArrayList<>();
  private final List<LoopProgram.Callee> called = new ArrayList<>();
  private final List<Context.FaultSite> faults = new ArrayList<>();
  private final List<String> labels = new ArrayList<>();
  private final List<Context.Place> places = new ArrayList<>();
  private final LongUnaryOperator constants;
  private final Map<Code, Span> sources;
  private String method = "";
  private int loops;

  /**
   * @param callees by their names; those that are called become methods of this class
   * @param constants for a number that is the address of an array in the code, what it is where
   *     accesses are checked; any other number is itself
   * @param places of statements in the source, where accesses are checked
   */
  EntryClass(
      LoopFun function,
      Map<String, LoopProgram.Callee> callees,
      JvmOptions options,
      LongUnaryOperator constants,
      Map<Code, Span> places) {
    this.sources = places;
    this.constants = constants;
    this.function = function;
    this.callees = callees;
    this.options = options;
    var name = function.entry().name().replaceAll("[^A-Za-z0-9_]", "_");
    this.self = ClassDesc.of("dev.kenaz.jvm.Entry_" + name);
  }

  ClassDesc self() {
    return self;
  }

  JvmOptions options() {
    return options;
  }

  List<Context.FaultSite> faults() {
    return faults;
  }

  List<String> labels() {
    return labels;
  }

  List<Context.Place> places() {
    return places;
  }

  /**
   * The number of a place where memory is accessed.
   *
   * @param what the name of what is accessed; empty if it has none
   */
  int place(String what, Code statement, Span source) {
    var entry = function.entry().name();
    places.add(new Context.Place(entry, method, what, Optional.ofNullable(statement), source));
    return places.size() - 1;
  }

  /** Where the statement is from, if that is known. */
  Span source(Code statement) {
    return sources.getOrDefault(statement, Span.NONE);
  }

  long constant(long value) {
    return constants.applyAsLong(value);
  }

  int fault(Fault fault, List<Prim> arguments) {
    faults.add(new Context.FaultSite(fault, arguments));
    return faults.size() - 1;
  }

  /** How a loop is done, for the log. */
  void chosen(String how) {
    LOG.debug("entry {}: loop {}: {}", function.entry().name(), loops++, how);
  }

  int label(String label) {
    labels.add(label);
    return labels.size() - 1;
  }

  int task(Code.Parallel p) {
    tasks.add(p);
    return tasks.size() - 1;
  }

  /** The name of the block's method. */
  String block(Block b) {
    blocks.add(b);
    return "block" + (blocks.size() - 1);
  }

  /** The name of the region's method. */
  String region(Region r) {
    regions.add(r);
    return "region" + (regions.size() - 1);
  }

  /** The name of the method, of type {@link #RUN}. */
  String callee(String name) {
    var callee = callees.get(name);
    if (!called.contains(callee)) {
      called.add(callee);
    }
    return "call" + called.indexOf(callee);
  }

  byte[] bytes() {
    return ClassFile.of().build(self, this::build);
  }

  private void build(ClassBuilder cb) {
    cb.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER).withInterfaceSymbols(TASKS);
    cb.withField("U", ScalarCode.UNSAFE, ClassFile.ACC_STATIC | ClassFile.ACC_FINAL);
    method(cb, ConstantDescs.CLASS_INIT_NAME, ConstantDescs.MTD_void, this::initialiser);
    cb.withMethodBody(
        ConstantDescs.INIT_NAME,
        ConstantDescs.MTD_void,
        0,
        c ->
            c.aload(0)
                .invokespecial(
                    ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                .return_());
    // runs once a call, and what loops in it is cut out if it is large
    method(
        cb,
        "run",
        RUN,
        c ->
            function(
                c, options.methodBytes(), function.params(), function.body(), function.results()));
    // the code of each may contain more of all kinds
    int t = 0;
    int b = 0;
    int r = 0;
    int f = 0;
    while (t < tasks.size() || b < blocks.size() || r < regions.size() || f < called.size()) {
      if (t < tasks.size()) {
        var p = tasks.get(t);
        fitting(cb, "task" + t++, TASK, p.body(), (c, limit) -> task(c, limit, p));
      } else if (b < blocks.size()) {
        var block = blocks.get(b);
        fitting(
            cb,
            "block" + b++,
            block.type(),
            block.loop().body(),
            (c, limit) ->
                new MethodCode(c, this, limit).block(block, Reg.index("from"), Reg.index("to")));
      } else if (f < called.size()) {
        var callee = called.get(f);
        fitting(
            cb,
            "call" + f++,
            RUN,
            callee.body(),
            (c, limit) -> function(c, limit, callee.params(), callee.body(), callee.results()));
      } else {
        var region = regions.get(r);
        fitting(
            cb,
            "region" + r++,
            region.type(),
            region.code(),
            (c, limit) -> new MethodCode(c, this, limit).region(region));
      }
    }
    dispatcher(cb);
  }

  private void method(
      ClassBuilder cb, String name, MethodTypeDesc type, Consumer<CodeBuilder> body) {
    method = name;
    cb.withMethodBody(name, type, ClassFile.ACC_STATIC, body);
  }

  /** A method's code, cut where it is larger than a limit. */
  private interface Limited {
    void emit(CodeBuilder code, int limit);
  }

  /**
   * A method small enough for HotSpot. How large code becomes is only estimated when it is cut, so
   * a method that turns out too large is made again from smaller pieces.
   */
  private void fitting(
      ClassBuilder cb, String name, MethodTypeDesc type, List<Code> code, Limited body) {
    int limit = options.methodBytes();
    for (int tries = 0; tries < 3 && Region.size(code) > MOST / 3; tries++) {
      int tried = limit;
      var before = Mark.of(this);
      var trial = ClassFile.of().build(self, x -> method(x, name, type, c -> body.emit(c, tried)));
      before.reset(this);
      if (length(trial) <= MOST) {
        break;
      }
      limit = limit * 2 / 3;
    }
    int fits = limit;
    method(cb, name, type, c -> body.emit(c, fits));
  }

  private static int length(byte[] bytes) {
    return ClassFile.of().parse(bytes).methods().stream()
        .flatMap(m -> m.findAttribute(Attributes.code()).stream())
        .mapToInt(CodeAttribute::codeLength)
        .max()
        .orElse(0);
  }

  /** How much of everything there was before a method was tried. */
  private record Mark(
      int tasks,
      int blocks,
      int regions,
      int called,
      int faults,
      int labels,
      int places,
      int loops) {
    static Mark of(EntryClass c) {
      return new Mark(
          c.tasks.size(),
          c.blocks.size(),
          c.regions.size(),
          c.called.size(),
          c.faults.size(),
          c.labels.size(),
          c.places.size(),
          c.loops);
    }

    void reset(EntryClass c) {
      cut(c.tasks, tasks);
      cut(c.blocks, blocks);
      cut(c.regions, regions);
      cut(c.called, called);
      cut(c.faults, faults);
      cut(c.labels, labels);
      cut(c.places, places);
      c.loops = loops;
    }

    private static void cut(List<?> list, int size) {
      list.subList(size, list.size()).clear();
    }
  }

  private void initialiser(CodeBuilder code) {
    var t = MethodTypeDesc.of(ConstantDescs.CD_Object);
    code.invokestatic(MethodCode.CONTEXT, "unsafe", t)
        .checkcast(ScalarCode.UNSAFE)
        .putstatic(self, "U", ScalarCode.UNSAFE)
        .return_();
  }

  private void function(
      CodeBuilder code,
      int limit,
      List<LoopFun.Param> params,
      List<Code> body,
      List<LoopFun.Result> results) {
    var method = new MethodCode(code, this, limit);
    var scalars = method.scalars();
    for (int k = 0; k < params.size(); k++) {
      scalars.fromArray(1, k, params.get(k).reg());
    }
    // a result's slot belongs to the frame, whether its code mentions it or not
    method.frame(body, resultRegisters(results), () -> results(code, scalars, results));
  }

  private static List<Reg> resultRegisters(List<LoopFun.Result> results) {
    var ends = new ArrayList<Code>();
    for (var result : results) {
      switch (result) {
        case ScalarResult(var e) -> ends.add(new Code.Print("", e));
        case ArrayResult(_, var slot, var address, var dims) -> {
          ends.add(new Code.Print("", Expr.use(slot.base())));
          ends.add(new Code.Print("", Expr.use(slot.capacity())));
          ends.add(new Code.Print("", address));
          dims.forEach(d -> ends.add(new Code.Print("", d)));
        }
      }
    }
    return List.copyOf(Registers.of(ends).read());
  }

  /** Leaves scalars' bits; of arrays the buffer, its capacity, the address and the sizes. */
  private static void results(CodeBuilder code, ScalarCode scalars, List<LoopFun.Result> results) {
    int at = 0;
    for (var result : results) {
      switch (result) {
        case ScalarResult(var e) -> scalars.intoArray(2, at++, e);
        case ArrayResult(_, var slot, var address, var dims) -> {
          scalars.intoArray(2, at++, Expr.use(slot.base()));
          scalars.intoArray(2, at++, Expr.use(slot.capacity()));
          scalars.intoArray(2, at++, address);
          for (var d : dims) {
            scalars.intoArray(2, at++, d);
          }
        }
      }
    }
    for (var result : results) {
      if (result instanceof ArrayResult r) {
        code.lconst_0();
        scalars.store(r.slot().base());
      }
    }
  }

  private void task(CodeBuilder code, int limit, Code.Parallel p) {
    var method = new MethodCode(code, this, limit);
    var scalars = method.scalars();
    scalars.bindLocal(p.chunk(), 2);
    scalars.bindLocal(p.lo(), 4);
    scalars.bindLocal(p.hi(), 6);
    var captured = Registers.captured(p);
    for (int k = 0; k < captured.size(); k++) {
      scalars.fromArray(1, k, captured.get(k));
    }
    method.task(p);
  }

  private void dispatcher(ClassBuilder cb) {
    var type =
        MethodTypeDesc.of(V, ConstantDescs.CD_int, MethodCode.CONTEXT, MethodCode.LONGS, L, L, L);
    cb.withMethodBody("run", type, ClassFile.ACC_PUBLIC, this::dispatch);
  }

  private void dispatch(CodeBuilder code) {
    var end = code.newLabel();
    var cases = new ArrayList<SwitchCase>();
    for (int k = 0; k < tasks.size(); k++) {
      cases.add(SwitchCase.of(k, code.newLabel()));
    }
    if (!cases.isEmpty()) {
      code.iload(1).tableswitch(0, tasks.size() - 1, end, cases);
      for (int k = 0; k < tasks.size(); k++) {
        code.labelBinding(cases.get(k).target());
        code.aload(2).aload(3).lload(4).lload(6).lload(8);
        code.invokestatic(self, "task" + k, TASK).return_();
      }
    }
    code.labelBinding(end).return_();
  }
}
