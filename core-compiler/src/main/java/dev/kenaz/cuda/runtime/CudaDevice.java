package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K5101;
import static dev.kenaz.error.ErrorCode.K7601;
import static dev.kenaz.error.ErrorCode.K7602;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.kernels.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntSupplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUlimit;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * This is a CUDA device through JCuda's binding of the driver. All work goes to one stream and is
 * done in order. Calls may come from any thread; they are served one at a time.
 */
public final class CudaDevice implements DeviceMemory, AutoCloseable {
  /**
   * Names the property that makes the host wait for each kernel, so that it is known which one
   * failed.
   */
  static final String WAIT = "kenaz.cuda.wait";

  private static final long MOST_HEAP = 1L << 30;

  private final DeviceInfo info;
  private final Calls calls = new Calls();
  private final boolean wait = Boolean.getBoolean(WAIT);
  private final CUdevice device = new CUdevice();
  private final CUcontext context = new CUcontext();
  private final DriverCalls.Stream stream = new DriverCalls.Stream();
  private final DriverCalls driver = new DriverCalls(stream);
  private final Staging staging;
  private final DevicePool pool;
  private boolean closed;

  private CudaDevice(DeviceInfo info) {
    this.info = info;
    calls.check(JCudaDriver.cuInit(0), "starting the CUDA driver");
    calls.check(JCudaDriver.cuDeviceGet(device, info.index()), "finding the device");
    calls.check(
        JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "opening device " + info.index());
    try {
      enter();
      calls.check(
          JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING),
          "creating a stream");
      // This sets how much memory kernels may allocate themselves; the driver's own choice is 8
      // MiB. The limit can't be changed once other code in this process has run kernels that
      // allocate; then it stays as it is.
      var _ =
          JCudaDriver.cuCtxSetLimit(
              CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE, Math.min(MOST_HEAP, info.memory() / 16));
      this.staging = new Staging(stream, calls);
      this.pool = new DevicePool(new Memory());
    } catch (RuntimeException e) {
      var _ = JCudaDriver.cuDevicePrimaryCtxRelease(device);
      throw e;
    }
  }

  /**
   * Opens a device.
   *
   * @param index the device's number as the driver counts; empty for the first device that can be
   *     used
   * @throws UserError (K7601, K7602) if there is no such device; another one is never taken in its
   *     place
   */
  public static CudaDevice open(OptionalInt index) {
    var info = choose(DriverProbe.report(), index);
    if (!JcudaNatives.problem().isEmpty()) {
      throw new UserError(K7601, JcudaNatives.problem(), SEE_GPU);
    }
    return new CudaDevice(info);
  }

  private static final String SEE_GPU =
      "kenaz gpu tells what was found; --backend jvm, or \"backend\": \"jvm\" in a configuration,"
          + " needs none";

  /** Returns the device to use. */
  static DeviceInfo choose(DriverReport report, OptionalInt index) {
    if (!report.problem().isEmpty()) {
      throw new UserError(K7601, "no GPU can be used: " + report.problem(), report.hint(), SEE_GPU);
    }
    if (index.isEmpty()) {
      return report.devices().stream()
          .filter(d -> d.problem().isEmpty())
          .findFirst()
          .orElseThrow(() -> unusable(report.devices().getFirst()));
    }
    if (index.getAsInt() < 0 || index.getAsInt() >= report.devices().size()) {
      throw new UserError(
          K7602,
          "there is no device " + index.getAsInt() + "; there are " + report.devices().size(),
          "devices count from 0; " + SEE_GPU);
    }
    var info = report.devices().get(index.getAsInt());
    if (!info.problem().isEmpty()) {
      throw unusable(info);
    }
    return info;
  }

  private static UserError unusable(DeviceInfo info) {
    return new UserError(
        K7601,
        "device " + info.index() + " (" + info.name() + ") can't be used: " + info.problem(),
        SEE_GPU);
  }

  /** Returns the facts that are known about the device. */
  public DeviceInfo info() {
    return info;
  }

  /** Says why the device can't be used any more in this process; the empty string if it can. */
  String lost() {
    return calls.lost();
  }

  /** Makes the device's context that of this thread, as a context belongs to a thread. */
  private void enter() {
    if (closed) {
      throw new CompilerBug("cuda", "use of a closed device");
    }
    if (!calls.lost().isEmpty()) {
      throw new UserError(
          K5101,
          "this process can't use the GPU any more: " + calls.lost(),
          "what failed first is the cause; start again");
    }
    calls.check(JCudaDriver.cuCtxSetCurrent(context), "entering the device's context");
  }

  // Memory

  /**
   * Allocates memory of the device, aligned to 256 bytes; its contents are arbitrary.
   *
   * @throws UserError (K5006) if there is not enough memory
   */
  @Override
  public synchronized long allocate(long bytes) {
    enter();
    return pool.allocate(bytes);
  }

  /** Frees what {@link #allocate} returned; the address 0 is ignored. */
  @Override
  public synchronized void free(long address) {
    // A lost device has lost its memory too, and an earlier call has reported that.
    if (calls.lost().isEmpty()) {
      enter();
      pool.free(address);
    }
  }

  /** Copies the whole segment to the device. When the call returns, the segment may be changed. */
  @Override
  public synchronized void copyIn(long to, MemorySegment from) {
    enter();
    staging.in(to, from);
    Transfers.add(from.byteSize(), 0);
  }

  /** Fills the whole segment from the device, after all earlier work is done. */
  @Override
  public synchronized void copyOut(MemorySegment to, long from) {
    enter();
    staging.out(to, from);
    Transfers.add(0, to.byteSize());
    calls.ended();
  }

  @Override
  public synchronized void copyOut(MemorySegment to, long from, MemorySegment to2, long from2) {
    enter();
    staging.out(to, from, to2, from2);
    Transfers.add(0, to.byteSize() + to2.byteSize());
    calls.ended();
  }

  /** Copies between two places of the device, which must not overlap. */
  @Override
  public synchronized void copy(long to, long from, long bytes) {
    enter();
    if (bytes > 0) {
      calls.check(driver.copy(to, from, bytes), "copying on the device");
    }
  }

  /** Sets bytes of the device to a value. */
  public synchronized void fill(long to, byte value, long bytes) {
    enter();
    if (bytes > 0) {
      calls.check(
          JCudaDriver.cuMemsetD8Async(new Address(to), value, bytes, stream), "setting memory");
    }
  }

  /**
   * Returns three numbers of bytes: those in use, those kept for reuse, and the most that was ever
   * in use.
   */
  public synchronized long[] memoryUse() {
    return new long[] {pool.live(), pool.cached(), pool.peak()};
  }

  private final class Memory implements DevicePool.Source {
    @Override
    public long allocate(long bytes) {
      var address = new Address();
      int status = JCudaDriver.cuMemAlloc(address, bytes);
      if (status == CudaStatus.OUT_OF_MEMORY) {
        return 0;
      }
      calls.check(status, "allocating " + bytes + " bytes");
      return address.value();
    }

    @Override
    public void release(long address) {
      // Kernels that still run may use the memory.
      calls.check(JCudaDriver.cuStreamSynchronize(stream), "running kernels");
      calls.check(JCudaDriver.cuMemFree(new Address(address)), "freeing memory");
    }

    @Override
    public long[] freeAndTotal() {
      var free = new long[1];
      var total = new long[1];
      calls.check(JCudaDriver.cuMemGetInfo(free, total), "asking for the memory's size");
      return new long[] {free[0], total[0]};
    }
  }

  // Kernels

  /** A module of kernels that the driver has loaded. */
  public final class Module {
    private final CUmodule handle;

    private Module(CUmodule handle) {
      this.handle = handle;
    }

    /** Returns the kernel of that name. */
    public Kernel kernel(String name) {
      return kernel(name, name);
    }

    /**
     * Returns the kernel of that name.
     *
     * @param title the name that messages give to the kernel
     */
    Kernel kernel(String name, String title) {
      synchronized (CudaDevice.this) {
        enter();
        var function = new DriverCalls.Function();
        var doing = "finding kernel " + title;
        retrying(() -> JCudaDriver.cuModuleGetFunction(function, handle, name), doing);
        var shared = new int[1];
        calls.check(
            JCudaDriver.cuFuncGetAttribute(
                shared, CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
            "asking for the shared memory of " + title);
        return new Kernel(title, function, shared[0]);
      }
    }

    /** Unloads the module, after all launches of its kernels. */
    public void unload() {
      synchronized (CudaDevice.this) {
        if (!closed && calls.lost().isEmpty()) {
          enter();
          calls.check(JCudaDriver.cuStreamSynchronize(stream), "waiting for the device");
          calls.check(JCudaDriver.cuModuleUnload(handle), "unloading a module");
        }
      }
    }
  }

  /** A kernel of a loaded module. */
  public static final class Kernel {
    private final String name;
    private final String launching;
    private final DriverCalls.Function handle;

    /** How many bytes of shared memory the kernel's text asks for. */
    private final int shared;

    /** How many bytes of shared memory a launch may ask for in addition. */
    private int sharedLimit;

    private Kernel(String name, DriverCalls.Function handle, int shared) {
      this.name = name;
      this.launching = "launching " + name;
      this.handle = handle;
      this.shared = shared;
      this.sharedLimit = Math.max(0, ORDINARY_SHARED - shared);
    }
  }

  /** How many bytes of shared memory a kernel may have without asking the driver for more. */
  private static final int ORDINARY_SHARED = 48 << 10;

  /**
   * Compiles and loads kernels, or loads what an earlier run compiled.
   *
   * @param options the compiler's options
   * @throws UserError (K7603) if there is no compiler
   * @throws CompilerBug if the compiler refuses the text
   */
  public Module load(String source, List<String> options) {
    return new ModuleLoader(this).load(source, options);
  }

  /**
   * The outcome of loading a module.
   *
   * @param status the driver's status code
   * @param module the module, if the status is good
   */
  record Loading(int status, Optional<Module> module) {}

  /** Throws what the status means, if the module wasn't loaded. */
  void check(Loading loading) {
    calls.check(loading.status(), "loading kernels");
  }

  synchronized Loading tryLoad(byte[] image) {
    enter();
    var handle = new CUmodule();
    int status = JCudaDriver.cuModuleLoadData(handle, image);
    if (status == CudaStatus.OUT_OF_MEMORY) {
      pool.trim();
      status = JCudaDriver.cuModuleLoadData(handle, image);
    }
    return new Loading(
        status, status == CudaStatus.OK ? Optional.of(new Module(handle)) : Optional.empty());
  }

  /**
   * Starts a kernel, and doesn't wait for it.
   *
   * @param grid the number of blocks
   * @param block the number of threads in a block
   * @param shared how many bytes of dynamic shared memory a block has
   * @param arguments the bits of each parameter, in the low bytes
   */
  public synchronized void launch(
      Kernel kernel, long grid, int block, int shared, long... arguments) {
    enter();
    if (grid == 0) {
      return;
    }
    if (grid > Integer.MAX_VALUE
        || block < 1
        || block > 1024
        || (long) kernel.shared + shared > info.sharedPerBlock()) {
      throw new CompilerBug(
          "cuda",
          "%s: a launch of %d × %d with %d and %d bytes of shared memory"
              .formatted(kernel.name, grid, block, kernel.shared, shared));
    }
    if (shared > kernel.sharedLimit) {
      calls.check(
          JCudaDriver.cuFuncSetAttribute(
              kernel.handle,
              CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              shared),
          "asking for shared memory for " + kernel.name);
      kernel.sharedLimit = shared;
    }
    calls.started(kernel.name);
    KernelTimes.HERE.around(
        kernel.name,
        stream,
        calls,
        () ->
            retrying(
                () -> driver.launch(kernel.handle, (int) grid, block, shared, arguments),
                kernel.launching));
    if (wait) {
      synchronize();
    }
  }

  /**
   * Makes a call for which the driver may need memory of its own. If there is not enough, the
   * memory that the pool keeps for reuse is given back, and the call is made again.
   */
  private void retrying(IntSupplier call, String doing) {
    int status = call.getAsInt();
    if (status == CudaStatus.OUT_OF_MEMORY) {
      pool.trim();
      status = call.getAsInt();
    }
    calls.check(status, doing);
  }

  /**
   * Measures how fast the device copies within its memory, as bytes read and written per second. No
   * kernel is faster than that.
   *
   * @param bytes how many bytes are copied at once
   */
  double copyRate(long bytes) {
    long from = allocate(bytes);
    long to = allocate(bytes);
    copy(to, from, bytes);
    synchronize();
    int times = 10;
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      copy(to, from, bytes);
    }
    synchronize();
    long nanos = System.nanoTime() - start;
    free(from);
    free(to);
    return 2e9 * bytes * times / nanos;
  }

  /** Waits until all work is done. A fault of a kernel is reported here at the latest. */
  public synchronized void synchronize() {
    enter();
    calls.check(JCudaDriver.cuStreamSynchronize(stream), "running kernels");
    calls.ended();
  }

  /** Frees all memory of the device. Arrays that are still in use become invalid. */
  @Override
  public synchronized void close() {
    if (!closed && calls.lost().isEmpty()) {
      enter();
      // A fault was reported before, or matters no more.
      var _ = JCudaDriver.cuStreamSynchronize(stream);
      staging.close();
      pool.close();
      var _ = JCudaDriver.cuStreamDestroy(stream);
      closed = true;
      var _ = JCudaDriver.cuDevicePrimaryCtxRelease(device);
    }
  }
}
