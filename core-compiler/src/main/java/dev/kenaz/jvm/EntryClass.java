package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Fault;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.LoopFun.ArrayResult;
import dev.kenaz.loopir.LoopFun.ScalarResult;
import dev.kenaz.loopir.LoopProgram;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the class of one entry: {@code run(context, arguments, results)}, a static method for each
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

  /** A method that is estimated to be smaller than this is not tried before it is made. */
  private static final int SURE = 2666;

  /** One dispatching method knows this many tasks. */
  private static final int DISPATCHED = 200;

  private final LoopFun function;
  private final Map<String, LoopProgram.Callee> callees;
  private final Set<Reg> buffers;
  private final JvmOptions options;
  private final ClassDesc self;
  private final List<Code.Parallel> tasks = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();
  private final List<Piece> regions = new ArrayList<>();
  private final List<LoopProgram.Callee> called = new ArrayList<>();
  private final FunctionMethods functions = new FunctionMethods();
  private final List<Context.FaultSite> faults = new ArrayList<>();
  private final List<String> labels = new ArrayList<>();
  private final List<Context.Place> places = new ArrayList<>();
  private final LongUnaryOperator constants;
  private final Map<Code, Span> sources;
  private String method = "";
  private int loops;
  private boolean thorough;

  /**
   * Starts with an empty class.
   *
   * @param callees by their names; those that are called become methods of this class
   * @param constants maps the address of an array in the code to its address where accesses are
   *     checked, and any other number to itself
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
    this.buffers = CarriedElements.buffers(function, callees.values());
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
   * Numbers a place where memory is accessed.
   *
   * @param what the name of what is accessed; empty if it has none
   */
  int place(String what, Code statement, Span source) {
    var entry = function.entry().name();
    places.add(new Context.Place(entry, method, what, Optional.ofNullable(statement), source));
    return places.size() - 1;
  }

  /** Returns where the statement is from, if that is known. */
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

  /** Returns the addresses of all slots: each of these has a buffer of its own. */
  Set<Reg> buffers() {
    return buffers;
  }

  /** Logs how a loop is done. */
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

  /** Adds the block's method; returns its name. */
  String block(Block b) {
    blocks.add(b);
    return MethodNames.of("block", blocks.size() - 1, List.of(b.loop()));
  }

  /**
   * Code that is cut out of a method.
   *
   * @param frame the array with its registers, or null if it gets them as parameters
   * @param outer how the method around is cut
   */
  record Piece(Region region, FrameArray frame, Cutting outer) {}

  /** Adds the region's method; returns its name. */
  String region(Piece r) {
    regions.add(r);
    return MethodNames.of("region", regions.size() - 1, r.region().code());
  }

  /** Adds the function's method, of type {@link #RUN}; returns its name. */
  String callee(String name) {
    var callee = callees.get(name);
    if (!called.contains(callee)) {
      called.add(callee);
    }
    return MethodNames.of("call", called.indexOf(callee), callee.body());
  }

  /** Returns the name of the entry point's method, of type {@link #RUN}. */
  String entryName() {
    return MethodNames.of("entry", 0, function.body());
  }

  private String taskName(int task) {
    return MethodNames.of("task", task, tasks.get(task).body());
  }

  FunctionMethods functions() {
    return functions;
  }

  /**
   * Returns the class file.
   *
   * @throws CompilerBug if a method is too large for HotSpot
   */
  byte[] bytes() {
    var start = Mark.of(this);
    var bytes = ClassFile.of().build(self, this::build);
    if (longest(bytes).size() > options.largestMethod()) {
      // The estimate for some method was far too small. From now on all methods are tried before
      // they are made.
      start.reset(this);
      thorough = true;
      bytes = ClassFile.of().build(self, this::build);
    }
    var longest = longest(bytes);
    if (longest.size() > options.largestMethod()) {
      throw new CompilerBug(
          "jvm",
          "%s of %s has %d bytes, more than %d"
              .formatted(
                  longest.name(),
                  function.entry().name(),
                  longest.size(),
                  options.largestMethod()));
    }
    return bytes;
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
    fitting(
        cb,
        entryName(),
        RUN,
        function.body(),
        (c, cutting) ->
            function(c, cutting, function.params(), function.body(), function.results()));
    // Each of these methods may add further methods of all kinds.
    int t = 0;
    int b = 0;
    int r = 0;
    int f = 0;
    while (t < tasks.size() || b < blocks.size() || r < regions.size() || f < called.size()) {
      if (t < tasks.size()) {
        var p = tasks.get(t);
        fitting(cb, taskName(t++), TASK, p.body(), (c, cutting) -> task(c, cutting, p));
      } else if (b < blocks.size()) {
        var block = blocks.get(b);
        fitting(
            cb,
            MethodNames.of("block", b++, List.of(block.loop())),
            block.type(),
            block.loop().body(),
            (c, cutting) -> block(c, cutting, block));
      } else if (f < called.size()) {
        var callee = called.get(f);
        fitting(
            cb,
            MethodNames.of("call", f++, callee.body()),
            RUN,
            callee.body(),
            (c, cutting) -> function(c, cutting, callee.params(), callee.body(), callee.results()));
      } else {
        region(cb, MethodNames.of("region", r, regions.get(r).region().code()), regions.get(r));
        r++;
      }
    }
    functions.emit(self, (name, type, body) -> method(cb, name, type, body));
    dispatcher(cb);
  }

  private void method(
      ClassBuilder cb, String name, MethodTypeDesc type, Consumer<CodeBuilder> body) {
    method = name;
    cb.withMethodBody(name, type, ClassFile.ACC_STATIC, body);
  }

  /** A method's code, cut in some way. */
  private interface Limited {
    void emit(CodeBuilder code, Cutting cutting);
  }

  private void fitting(
      ClassBuilder cb, String name, MethodTypeDesc type, List<Code> code, Limited body) {
    fitting(cb, name, type, code, Cutting.ladder(code, options.methodBytes()), body);
  }

  /**
   * Makes a method that is small enough for HotSpot. How large code becomes is only estimated when
   * it is cut, so a method that turns out too large is made again from smaller pieces.
   *
   * @param ways the ways to cut it, of which the first is taken that makes it small enough
   */
  private void fitting(
      ClassBuilder cb,
      String name,
      MethodTypeDesc type,
      List<Code> code,
      List<Cutting> ways,
      Limited body) {
    var way = ways.getFirst();
    if (thorough || Region.size(code) > SURE) {
      way =
          ways.stream()
              .filter(w -> size(name, type, w, body) <= options.largestMethod())
              .findFirst()
              .orElseThrow(() -> tooLarge(name, code));
    }
    var taken = way;
    method(cb, name, type, c -> body.emit(c, taken));
  }

  private CompilerBug tooLarge(String name, List<Code> code) {
    var place = code.stream().map(this::source).filter(Span::known).findFirst().orElse(Span.NONE);
    return new CompilerBug(
        "jvm", place + ": " + name + " of " + function.entry().name() + " is too large a method");
  }

  /**
   * Returns how many bytes the method has at most if it is cut in this way. The draft is alone in
   * its class; in a class with others, a constant may have a longer number.
   */
  private int size(String name, MethodTypeDesc type, Cutting way, Limited body) {
    var before = Mark.of(this);
    try {
      var draft = ClassFile.of().build(self, x -> method(x, name, type, c -> body.emit(c, way)));
      return longest(draft).size() + shortLoads(draft);
    } catch (IllegalArgumentException e) {
      return Integer.MAX_VALUE; // The code is larger than any method can be.
    } finally {
      before.reset(this);
    }
  }

  /** Returns how many instructions would have one byte more if the class had more constants. */
  private static int shortLoads(byte[] bytes) {
    return (int)
        ClassFile.of().parse(bytes).methods().stream()
            .flatMap(m -> m.code().stream())
            .flatMap(CodeModel::elementStream)
            .filter(e -> e instanceof Instruction i && i.opcode() == Opcode.LDC)
            .count();
  }

  private static MethodSize longest(byte[] bytes) {
    return ClassFile.of().parse(bytes).methods().stream()
        .flatMap(
            m ->
                m
                    .findAttribute(Attributes.code())
                    .map(c -> new MethodSize(m.methodName().stringValue(), c.codeLength()))
                    .stream())
        .max(Comparator.comparingInt(MethodSize::size))
        .orElseThrow();
  }

  private record MethodSize(String name, int size) {}

  /** The numbers of everything that there was before a method was tried. */
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
      Cutting cutting,
      List<LoopFun.Param> params,
      List<Code> body,
      List<LoopFun.Result> results) {
    if (cutting.shared()) {
      new SharedCode(code, this, cutting).function(params, body, results);
      return;
    }
    var method = new MethodCode(code, this, cutting);
    var scalars = method.scalars();
    for (int k = 0; k < params.size(); k++) {
      scalars.fromArray(1, k, params.get(k).reg());
    }
    // A result's slot belongs to the frame, even if the code doesn't mention it.
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

  /**
   * Writes the results: for a scalar its bits, and for an array the buffer, its capacity, the
   * address and the sizes.
   */
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

  private void block(CodeBuilder code, Cutting cutting, Block block) {
    var from = Reg.index("from");
    var to = Reg.index("to");
    if (cutting.shared()) {
      new SharedCode(code, this, cutting).block(block, from, to);
    } else {
      new MethodCode(code, this, cutting).block(block, from, to);
    }
  }

  private void region(ClassBuilder cb, String name, Piece piece) {
    var region = piece.region();
    if (piece.frame() != null) {
      fitting(
          cb,
          name,
          Region.SHARED,
          region.code(),
          Cutting.within(piece.outer()),
          (c, cutting) -> new SharedCode(c, this, cutting).piece(region, piece.frame()));
      return;
    }
    fitting(
        cb,
        name,
        region.type(),
        region.code(),
        (c, cutting) -> {
          if (cutting.shared()) {
            new SharedCode(c, this, cutting).region(region);
          } else {
            new MethodCode(c, this, cutting).region(region);
          }
        });
  }

  private void task(CodeBuilder code, Cutting cutting, Code.Parallel p) {
    if (cutting.shared()) {
      new SharedCode(code, this, cutting).task(p);
      return;
    }
    var method = new MethodCode(code, this, cutting);
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

  /** Dispatches by the task's number, first by its hundreds if there are many. */
  private void dispatcher(ClassBuilder cb) {
    var type =
        MethodTypeDesc.of(V, ConstantDescs.CD_int, MethodCode.CONTEXT, MethodCode.LONGS, L, L, L);
    int groups = (tasks.size() + DISPATCHED - 1) / DISPATCHED;
    if (groups <= 1) {
      cb.withMethodBody(
          "run",
          type,
          ClassFile.ACC_PUBLIC,
          c -> dispatch(c, 1, 0, tasks.size(), k -> c.invokestatic(self, taskName(k), TASK)));
      return;
    }
    for (int g = 0; g < groups; g++) {
      int from = g * DISPATCHED;
      int to = Math.min(tasks.size(), from + DISPATCHED);
      cb.withMethodBody(
          "tasks" + g,
          type,
          ClassFile.ACC_STATIC,
          c -> dispatch(c, 0, from, to, k -> c.invokestatic(self, taskName(k), TASK)));
    }
    cb.withMethodBody("run", type, ClassFile.ACC_PUBLIC, c -> groups(c, groups, type));
  }

  private void groups(CodeBuilder code, int groups, MethodTypeDesc type) {
    for (int g = 0; g < groups; g++) {
      var next = code.newLabel();
      code.iload(1).loadConstant((g + 1) * DISPATCHED).if_icmpge(next);
      code.iload(1).aload(2).aload(3).lload(4).lload(6).lload(8);
      code.invokestatic(self, "tasks" + g, type).return_();
      code.labelBinding(next);
    }
    code.return_();
  }

  /**
   * Calls one of the tasks.
   *
   * @param first the local with its number, before the parameters
   */
  private static void dispatch(CodeBuilder code, int first, int from, int to, IntConsumer call) {
    var end = code.newLabel();
    List<SwitchCase> cases =
        IntStream.range(from, to).mapToObj(k -> SwitchCase.of(k, code.newLabel())).toList();
    if (!cases.isEmpty()) {
      code.iload(first).tableswitch(from, to - 1, end, cases);
      for (int k = from; k < to; k++) {
        code.labelBinding(cases.get(k - from).target());
        code.aload(first + 1).aload(first + 2);
        code.lload(first + 3).lload(first + 5).lload(first + 7);
        call.accept(k);
        code.return_();
      }
    }
    code.labelBinding(end).return_();
  }
}
