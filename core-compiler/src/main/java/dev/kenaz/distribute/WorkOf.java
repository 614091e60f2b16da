package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Estimates how much work statements are, from the sizes that are known.
 *
 * <p>Arrays at the outside count only where the caller says so, because most are never made: what
 * makes them is fused with what reads them. Of inner arrays, elements that are read and written
 * count. A number that depends on data, such as how often a loop runs, is taken to be {@link
 * #ASSUMED}.
 */
public final class WorkOf {
  /** What a number is taken to be that only the data tell. */
  static final double ASSUMED = 10;

  /** Reading or writing an element of an inner array, in operations. */
  private static final double ELEMENT = 0.25;

  /** What a reduction inside two maps takes of its operations: what it reads is used again. */
  private static final double BLOCKED = 0.33;

  /** What fits a core's own cache, in bytes. */
  private static final double CACHE = 1e6;

  private final Map<Var, Double> numbers;
  private final double unknown;

  /** Numbers that go up by one from one row, or one iteration, to the next. */
  private final Set<Var> counters = new HashSet<>();

  private final Set<Var> iotas = new HashSet<>();
  private int depth;

  /**
   * @param numbers the integers that are known
   * @param unknown what others are that come from outside; NaN if nothing is known without them
   */
  public WorkOf(Map<Var, Double> numbers, double unknown) {
    this.numbers = new HashMap<>(numbers);
    this.unknown = unknown;
  }

  /** Says what an integer is taken to be from now on. */
  void isNow(Var v, double n) {
    numbers.put(v, n);
  }

  public Work body(Body body) {
    return statements(body.stms());
  }

  Work statements(Collection<Stm> stms) {
    return stms.stream().map(this::stm).reduce(Work.NONE, Work::plus);
  }

  /** The work of a statement; it is to come after those that bind what it uses. */
  Work stm(Stm stm) {
    var work = exp(stm);
    if (stm.exp() instanceof Filter f) {
      numbers.put(stm.pattern().getFirst(), number(f.width())); // at most
    } else if (stm.pattern().size() == 1 && isNumber(stm.var())) {
      numbers.put(stm.var(), value(stm.exp()));
    } else {
      stm.pattern().stream().filter(WorkOf::isNumber).forEach(v -> numbers.put(v, ASSUMED));
    }
    return work;
  }

  private static boolean isNumber(Var v) {
    return v.type() instanceof Type.Scalar(var prim) && prim.isInteger();
  }

  private double value(Exp exp) {
    return switch (exp) {
      case Alias(var x) -> number(x);
      case Convert(_, var x) when x.type().elemPrim().isInteger() -> number(x);
      case Binary(var op, var x, var y) ->
          switch (op) {
            case ADD -> number(x) + number(y);
            case SUB -> Math.max(0, number(x) - number(y));
            case MUL -> number(x) * number(y);
            case DIV, QUOT -> number(x) / Math.max(1, number(y));
            case MIN -> Math.min(number(x), number(y));
            case MAX -> Math.max(number(x), number(y));
            default -> ASSUMED;
          };
      default -> ASSUMED;
    };
  }

  /** What an integer is, or is taken to be. */
  public double number(Atom x) {
    return switch (x) {
      case Const(var c) -> c.prim().isInteger() ? Math.max(0, c.asLong()) : ASSUMED;
      case Var v -> numbers.getOrDefault(v, unknown);
    };
  }

  private double product(List<Atom> dims) {
    return dims.stream().mapToDouble(this::number).reduce(1, (a, b) -> a * b);
  }

  private double elements(Type type) {
    return type.isArray() ? product(type.dims()) : 1;
  }

  /** How much memory a value of the type takes. */
  public double bytes(Type type) {
    return elements(type) * type.elemPrim().byteSize();
  }

  private Work exp(Stm stm) {
    return switch (stm.exp()) {
      case Alias _, Trace _, Slice _, Rearrange _, Reshape _, Assert _, Apply _ -> Work.NONE;
      case Iota _ -> {
        iotas.add(stm.var());
        yield Work.NONE;
      }
      case Replicate _, Scratch _ -> Work.NONE;
      case Jvp _, Vjp _, WithVjp _ -> Work.NONE;
      case Index(var array, var is, _) -> read(array, is, stm.var().type());
      case Unary(var op, var x) -> Work.operations(unary(op) * width(x));
      case Binary(var op, var x, _) -> Work.operations(binary(op, x) * width(x));
      case Compare(_, var x, _) -> Work.operations(width(x));
      case Fma(var x, _, _) -> Work.operations(width(x));
      case Convert(_, var x) -> Work.operations(width(x) / 2);
      case Update(_, _, var value, _) -> moved(value.type());
      case ArrayLit(_, _), Concat(_, _, _), Copy(_) -> moved(stm.var().type());
      case If(_, var then, var otherwise) -> most(body(then), body(otherwise));
      case Loop loop -> loop(loop);
      case Screma s -> screma(s, stm.pattern());
      case Hist h -> hist(h);
      case Scatter s -> scatter(s);
      case Filter f -> lambda(f.map(), f.inputs(), number(f.width()));
      case WithAcc w -> body(w.body().body());
      case UpdateAcc u -> update(u);
    };
  }

  /** How many operations on eight bytes one of these operands counts for. */
  private static double width(Atom x) {
    return x.type().elemPrim().byteSize() / 8.0;
  }

  private static double unary(UnaryOp op) {
    return switch (op) {
      case NEG, NOT, ABS, SGN, FLOOR, CEIL, ROUND, TRUNC, ISNAN, ISINF, TO_BITS, FROM_BITS -> 1;
      case POPC, CLZ, CTZ -> 1;
      case SQRT -> 2;
      case GAMMA, LGAMMA, ERF, ERFC -> 60;
      default -> 4;
    };
  }

  private static double binary(BinaryOp op, Atom x) {
    return switch (op) {
      case DIV, MOD, QUOT, REM -> x.type().elemPrim().isFloat() ? 2 : 8;
      case POW, ATAN2, HYPOT -> 10;
      case NEXTAFTER, LDEXP -> 4;
      default -> 1;
    };
  }

  /** Arrays at the outside count where they are read and written. */
  private Work moved(Type type) {
    double n = elements(type);
    return depth == 0
        ? Work.bytes(2 * n * type.elemPrim().byteSize())
        : Work.operations(2 * ELEMENT * n * type.elemPrim().byteSize() / 8);
  }

  private Work read(Var array, List<Atom> is, Type type) {
    var near = type.isArray() ? Work.NONE : Work.operations(ELEMENT);
    return is.stream().allMatch(this::isOrdered) ? near : near.plus(jumps(array.type(), 1));
  }

  private boolean isOrdered(Atom index) {
    return !(index instanceof Var v) || counters.contains(v);
  }

  private Work jumps(Type into, double n) {
    return bytes(into) > CACHE ? new Work(0, 0, n) : Work.NONE;
  }

  private static Work most(Work a, Work b) {
    return a.seconds() >= b.seconds() ? a : b;
  }

  private Work loop(Loop loop) {
    for (var p : loop.params()) {
      if (isNumber(p.var())) {
        numbers.put(p.var(), number(p.init()));
      }
    }
    double trips = ASSUMED;
    if (loop.form() instanceof For(var i, var bound)) {
      trips = number(bound);
      counters.add(i);
      numbers.put(i, trips / 2);
    }
    return inside(() -> body(loop.body())).times(trips);
  }

  private Work inside(Supplier<Work> work) {
    depth++;
    var inner = work.get();
    depth--;
    return inner;
  }

  /** The work of a function on so many rows of the inputs. */
  private Work lambda(Lambda f, List<Var> inputs, double rows) {
    double read = 0;
    for (int i = 0; i < inputs.size(); i++) {
      var p = f.params().get(i);
      if (isNumber(p)) {
        numbers.put(p, ASSUMED);
      }
      if (iotas.contains(inputs.get(i))) {
        counters.add(p);
      } else if (depth > 0 && p.type().isScalar()) {
        read += ELEMENT * width(p);
      }
    }
    return inside(() -> body(f.body())).plus(Work.operations(read)).times(rows);
  }

  private Work screma(Screma s, List<Var> pattern) {
    double rows = number(s.width());
    var work = lambda(s.map(), s.inputs(), rows);
    for (var scan : s.scans()) {
      work = work.plus(lambda(scan.op(), List.of(), rows));
    }
    for (var reduce : s.reduces()) {
      work = work.plus(lambda(reduce.op(), List.of(), rows));
    }
    if (depth > 1 && !s.reduces().isEmpty()) {
      work = work.times(BLOCKED);
    }
    int scanned = s.scanWidth();
    for (int i = 0; i < pattern.size(); i++) {
      var type = pattern.get(i).type();
      boolean reduced = i >= scanned && i < scanned + s.reduceWidth();
      if (i < scanned || depth > 0 && !reduced && type.isArray() && type.dims().size() == 1) {
        work = work.plus(moved(type));
      }
    }
    return work;
  }

  private Work hist(Hist h) {
    double rows = number(h.width());
    var work = lambda(h.map(), h.inputs(), rows);
    for (var op : h.ops()) {
      work =
          work.plus(lambda(op.op(), List.of(), rows))
              .plus(jumps(op.dests().getFirst().type(), rows));
    }
    return work;
  }

  private Work scatter(Scatter s) {
    double rows = number(s.width());
    var work = lambda(s.map(), s.inputs(), rows);
    for (var dest : s.dests()) {
      work = work.plus(Work.operations(rows)).plus(jumps(dest.dest().type(), rows));
    }
    return work;
  }

  private Work update(UpdateAcc u) {
    var work = Work.NONE;
    for (var value : u.values()) {
      work = work.plus(Work.operations(2 * elements(value.type()) * width(value)));
    }
    var space = ((Type.Acc) u.acc().type()).space();
    boolean far = product(space) * 8 > CACHE && !u.indices().stream().allMatch(this::isOrdered);
    return far ? work.plus(new Work(0, 0, 1)) : work;
  }
}
