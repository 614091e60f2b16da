package dev.kenaz.simulate;

/** Does what the active lanes of a warp do in one step, and chooses the warp's next instruction. */
@FunctionalInterface
interface Instruction {
  void step(Warp warp);
}
