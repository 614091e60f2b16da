package dev.kenaz.jvm;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.loopir.Slot;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Places the registers of a frame in an array of bits that all its regions share. So a call of a
 * region takes the same few bytes however many registers it reads and sets, and any code can be cut
 * into methods that are small enough.
 *
 * @param places the places of the registers: those that are given come first, then slots, then all
 *     others
 * @param slots the slots that belong to the frame
 * @param buffers the registers with what belongs to slots, also to slots of others. They are always
 *     in the array, so that the code that frees them finds them there after a failure
 */
record FrameArray(Map<Reg, Integer> places, List<Slot> slots, int slotsAt, Set<Reg> buffers) {
  /** A place is a character of a string, so there are at most this many. */
  private static final int MOST = 0xFFFF;

  /** A string in a class file has at most this many characters, at three bytes each. */
  private static final int MOST_IN_STRING = 0xFFFF / 3;

  /**
   * Places the registers of some code.
   *
   * @param given registers whose values come in an array, in this order
   * @param slots that the code owns
   * @param more registers that are read after the code
   */
  static FrameArray of(List<Reg> given, List<Slot> slots, List<Code> code, List<Reg> more) {
    var places = new LinkedHashMap<Reg, Integer>();
    given.forEach(r -> places.put(r, places.size()));
    int slotsAt = places.size();
    for (var s : slots) {
      places.put(s.base(), places.size());
      places.put(s.capacity(), places.size());
    }
    var all = new ArrayList<>(more);
    var mentioned = Registers.of(code);
    all.addAll(mentioned.assigned());
    all.addAll(mentioned.read());
    all.forEach(r -> places.computeIfAbsent(r, _ -> places.size()));
    if (places.size() > MOST) {
      throw new Limitation(Span.NONE, "a function with more than " + MOST + " variables");
    }
    var buffers = new HashSet<Reg>();
    for (var s : mentioned.slots()) {
      buffers.add(s.base());
      buffers.add(s.capacity());
    }
    return new FrameArray(places, slots, slotsAt, buffers);
  }

  int size() {
    return places.size();
  }

  /** Returns the places of {@link #buffers}. */
  Map<Reg, Integer> ofBuffers() {
    var all = new HashMap<Reg, Integer>();
    buffers.forEach(r -> all.put(r, places.get(r)));
    return all;
  }

  /** Returns the place of a register. */
  int place(Reg reg) {
    return places.get(reg);
  }

  /** Copies the registers from the array in one local to that in another, in order. */
  void gather(CodeBuilder code, int local, List<Reg> regs, int target) {
    move("gather", code, local, regs, target);
  }

  /** Copies the registers the other way. */
  void scatter(CodeBuilder code, int local, List<Reg> regs, int source) {
    move("scatter", code, local, regs, source);
  }

  private void move(String how, CodeBuilder code, int local, List<Reg> regs, int other) {
    for (int from = 0; from < regs.size(); from += MOST_IN_STRING) {
      int to = Math.min(regs.size(), from + MOST_IN_STRING);
      var t =
          MethodTypeDesc.of(
              ConstantDescs.CD_void,
              MethodCode.LONGS,
              ConstantDescs.CD_String,
              MethodCode.LONGS,
              ConstantDescs.CD_int);
      code.aload(local).loadConstant(text(regs.subList(from, to)));
      code.aload(other).loadConstant(from);
      code.invokestatic(MethodCode.CONTEXT, how, t);
    }
  }

  /** Sets the registers to zero. */
  void clear(CodeBuilder code, int local, List<Reg> regs) {
    for (int from = 0; from < regs.size(); from += MOST_IN_STRING) {
      int to = Math.min(regs.size(), from + MOST_IN_STRING);
      var t = MethodTypeDesc.of(ConstantDescs.CD_void, MethodCode.LONGS, ConstantDescs.CD_String);
      code.aload(local).loadConstant(text(regs.subList(from, to)));
      code.invokestatic(MethodCode.CONTEXT, "clear", t);
    }
  }

  private String text(List<Reg> regs) {
    var text = new StringBuilder();
    regs.forEach(r -> text.append((char) (int) places.get(r)));
    return text.toString();
  }
}
