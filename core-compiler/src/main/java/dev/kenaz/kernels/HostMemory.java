package dev.kenaz.kernels;

import java.util.TreeMap;

/**
 * This is the device memory that one run of host code may touch: blocks of its own, and arrays that
 * outlive it, which it only reads.
 */
final class HostMemory {
  private final Device device;
  private final ResidentArrays residents;
  private final TreeMap<Long, Long> own = new TreeMap<>();
  private final TreeMap<Long, Long> given = new TreeMap<>();

  HostMemory(Device device) {
    this.device = device;
    this.residents = device.residents();
  }

  /** An array that somebody else keeps on the device while the run lasts. */
  void give(long address, long bytes) {
    given.put(address, bytes);
  }

  long allocate(long bytes) {
    long address = residents.allocate(bytes);
    own.put(address, bytes);
    return address;
  }

  /** Frees memory; there is nothing to free at address 0. */
  void free(long address) {
    if (address != 0) {
      own.remove(address);
      device.free(address);
    }
  }

  /**
   * Returns the address of a block with the bytes from this address on that is no longer this
   * run's: the same block, or a copy.
   */
  long handOver(long address, long bytes) {
    var block = own.remove(address);
    if (block != null) {
      given.put(address, block);
      return address;
    }
    // part of a block, an argument, or handed over already
    long copy = residents.allocate(bytes);
    device.copy(copy, address, bytes);
    return copy;
  }

  /** Frees everything. */
  void release() {
    own.keySet().forEach(device::free);
    own.clear();
  }

  boolean mayWrite(long address, long bytes) {
    return within(own, address, bytes);
  }

  boolean mayRead(long address, long bytes) {
    return within(own, address, bytes) || within(given, address, bytes);
  }

  private static boolean within(TreeMap<Long, Long> blocks, long address, long bytes) {
    var block = blocks.floorEntry(address);
    return block != null && bytes <= block.getValue() - (address - block.getKey());
  }
}
