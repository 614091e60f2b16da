package dev.kenaz.cuda.runtime;

import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * Copies between ordinary memory and the device through two pinned buffers in turn, so that the
 * processor fills or empties one while the device copies the other. Pinning the arrays themselves
 * would cost more than the copy.
 */
final class Staging {
  private static final long CHUNK = 4L << 20;

  private final CUstream stream;
  private final Calls calls;
  private final Pointer[] pinned = new Pointer[2];
  private final MemorySegment[] buffers = new MemorySegment[2];
  private final CUevent[] copied = new CUevent[2];

  Staging(CUstream stream, Calls calls) {
    this.stream = stream;
    this.calls = calls;
    for (int i = 0; i < 2; i++) {
      pinned[i] = new Pointer();
      calls.check(JCudaDriver.cuMemHostAlloc(pinned[i], CHUNK, 0), "allocating pinned memory");
      buffers[i] = MemorySegment.ofBuffer(pinned[i].getByteBuffer(0, CHUNK));
      copied[i] = new CUevent();
      calls.check(
          JCudaDriver.cuEventCreate(copied[i], CUevent_flags.CU_EVENT_DISABLE_TIMING),
          "creating an event");
    }
  }

  /** Copies the whole segment to the device. When the call returns, the segment may be changed. */
  void in(long to, MemorySegment from) {
    int turn = 0;
    for (long at = 0; at < from.byteSize(); at += CHUNK) {
      long n = Math.min(CHUNK, from.byteSize() - at);
      await(turn); // The driver takes an event that was never recorded for one that is over.
      MemorySegment.copy(from, at, buffers[turn], 0, n);
      calls.check(
          JCudaDriver.cuMemcpyHtoDAsync(new Address(to + at), pinned[turn], n, stream),
          "copying to the device");
      calls.check(JCudaDriver.cuEventRecord(copied[turn], stream), "recording an event");
      turn = 1 - turn;
    }
  }

  /**
   * Copies as many bytes from the device as the segment has. When the call returns, all are there.
   */
  void out(MemorySegment to, long from) {
    long size = to.byteSize();
    for (long at = 0, ahead = 0; at < size; at += CHUNK) {
      while (ahead < size && ahead < at + 2 * CHUNK) {
        int turn = (int) (ahead / CHUNK % 2);
        begin(turn, from + ahead, Math.min(CHUNK, size - ahead));
        ahead += CHUNK;
      }
      int turn = (int) (at / CHUNK % 2);
      await(turn);
      MemorySegment.copy(buffers[turn], 0, to, at, Math.min(CHUNK, size - at));
    }
  }

  /** Copies two places of the device to two segments: at once, if both are small. */
  void out(MemorySegment to, long from, MemorySegment to2, long from2) {
    if (Math.max(to.byteSize(), to2.byteSize()) > CHUNK) {
      out(to, from);
      out(to2, from2);
      return;
    }
    begin(0, from, to.byteSize());
    begin(1, from2, to2.byteSize());
    await(1);
    MemorySegment.copy(buffers[0], 0, to, 0, to.byteSize());
    MemorySegment.copy(buffers[1], 0, to2, 0, to2.byteSize());
  }

  private void begin(int turn, long from, long bytes) {
    calls.check(
        JCudaDriver.cuMemcpyDtoHAsync(pinned[turn], new Address(from), bytes, stream),
        "copying from the device");
    calls.check(JCudaDriver.cuEventRecord(copied[turn], stream), "recording an event");
  }

  private void await(int turn) {
    calls.check(JCudaDriver.cuEventSynchronize(copied[turn]), "waiting for the device");
  }

  void close() {
    for (int i = 0; i < 2; i++) {
      var _ = JCudaDriver.cuEventDestroy(copied[i]);
      var _ = JCudaDriver.cuMemFreeHost(pinned[i]);
    }
  }
}
