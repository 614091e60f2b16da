package dev.kenaz.simulate;

/**
 * Does what the active lanes of a warp do in one step, the choice of the next instruction included.
 */
@FunctionalInterface
interface Instruction {
  void step(Warp warp);
}
