package dev.kenaz.kernels;

import static dev.kenaz.error.ErrorCode.K5006;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Keeps arrays in a device's memory between calls: results, which are copied to the host only when
 * their elements are asked for, and arguments, so that the next call needn't copy them again. An
 * array goes when it is garbage or released, or when memory is short, but then the host has its
 * elements.
 *
 * <p>Thread-safe: elements may be asked for on any thread, except while a call runs, whose monitor
 * this is.
 */
public final class ResidentArrays {
  private final DeviceMemory device;
  private final Map<Key, Resident> residents = new HashMap<>();
  private final ReferenceQueue<ArrayValue> garbage = new ReferenceQueue<>();

  public ResidentArrays(DeviceMemory device) {
    this.device = device;
  }

  /** Identifies an array without keeping it alive. */
  private static final class Key extends WeakReference<ArrayValue> {
    private final int hash;

    Key(ArrayValue array, ReferenceQueue<ArrayValue> garbage) {
      super(array, garbage);
      hash = System.identityHashCode(array);
    }

    @Override
    public boolean equals(Object other) {
      return other == this || other instanceof Key k && get() != null && get() == k.get();
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** The elements of one array. */
  private final class Resident implements Supplier<MemorySegment> {
    private final long bytes;
    private long address;
    private MemorySegment host;
    private int uses;

    Resident(long address, long bytes, MemorySegment host) {
      this.address = address;
      this.bytes = bytes;
      this.host = host;
    }

    /** Returns the elements on the host. */
    @Override
    public MemorySegment get() {
      synchronized (ResidentArrays.this) {
        if (host == null) {
          if (address == 0) {
            throw new CompilerBug("kernels", "use of an array that was released");
          }
          var data = ArrayValue.allocate(Prim.I8, bytes);
          device.copyOut(data, address);
          host = data;
        }
        return host;
      }
    }

    void free() {
      if (address != 0) {
        device.free(address);
        address = 0;
      }
    }
  }

  /** Makes a result of memory that the caller no longer owns. */
  synchronized ArrayValue result(Prim prim, long address, long... shape) {
    var resident = new Resident(address, ArrayValue.byteSize(prim, shape), null);
    var array = ArrayValue.later(prim, resident, shape);
    residents.put(new Key(array, garbage), resident);
    return array;
  }

  /**
   * Returns the place of an argument on the device. It stays there until {@link #done} is called as
   * often as this.
   */
  synchronized long use(ArrayValue array) {
    var known = residents.get(new Key(array, null));
    if (known == null) {
      long bytes = ArrayValue.byteSize(array.prim(), array.shape());
      long address = allocate(bytes);
      if (bytes > 0) {
        device.copyIn(address, array.data());
      }
      known = new Resident(address, bytes, array.data());
      residents.put(new Key(array, garbage), known);
    } else if (known.address == 0) {
      known.address = allocate(known.bytes);
      device.copyIn(known.address, known.host);
    }
    known.uses++;
    return known.address;
  }

  /** Ends a {@link #use}. */
  synchronized void done(ArrayValue array) {
    residents.get(new Key(array, null)).uses--;
  }

  /** Releases an array that will not be used again. */
  synchronized void release(ArrayValue array) {
    var resident = residents.remove(new Key(array, null));
    if (resident != null) {
      resident.free();
    }
  }

  /**
   * Allocates memory, if need be in place of what no call uses.
   *
   * @throws UserError (K5006) if even so there isn't enough
   */
  synchronized long allocate(long bytes) {
    sweep();
    try {
      return device.allocate(bytes);
    } catch (UserError e) {
      if (residents.isEmpty() || e.diagnostics().getFirst().code() != K5006) {
        throw e;
      }
    }
    System.gc(); // arrays are small for the collector, however much they hold here
    sweep();
    // some may still be on their way to the queue
    residents.forEach(
        (key, resident) -> {
          if (key.get() == null) {
            resident.free();
          }
        });
    for (boolean copies : new boolean[] {true, false}) { // those first that the host has
      for (var r : idle()) {
        if (copies == (r.host != null)) {
          r.get();
          r.free();
        }
      }
      try {
        return device.allocate(bytes);
      } catch (UserError e) {
        if (!copies || e.diagnostics().getFirst().code() != K5006) {
          throw e;
        }
      }
    }
    throw new CompilerBug("kernels", "not reached");
  }

  private List<Resident> idle() {
    return residents.values().stream().filter(r -> r.uses == 0 && r.address != 0).toList();
  }

  /** Frees what is garbage. */
  private void sweep() {
    for (var key = garbage.poll(); key != null; key = garbage.poll()) {
      var resident = residents.remove(key);
      if (resident != null) {
        resident.free();
      }
    }
  }

  /** Gives all memory back; arrays have their elements on the host. */
  public synchronized void close() {
    for (var entry : residents.entrySet()) {
      if (entry.getKey().get() != null) {
        entry.getValue().get();
      }
      entry.getValue().free();
    }
    residents.clear();
  }
}
