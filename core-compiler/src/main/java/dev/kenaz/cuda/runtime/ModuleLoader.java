package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K7603;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a loaded module from CUDA C. It takes a compiled one that was shipped, else one that an
 * earlier run kept; else the first compiler that can compiles it.
 */
final class ModuleLoader {
  private static final Logger LOG = LoggerFactory.getLogger(ModuleLoader.class);

  private final CudaDevice device;
  private final Optional<ShippedKernels> shipped;
  private final Optional<KernelCache> cache;

  ModuleLoader(CudaDevice device) {
    this(device, ShippedKernels.standard(), cache());
  }

  ModuleLoader(CudaDevice device, Optional<ShippedKernels> shipped, Optional<KernelCache> cache) {
    this.device = device;
    this.shipped = shipped;
    this.cache = cache;
  }

  private static Optional<KernelCache> cache() {
    try {
      return Optional.of(KernelCache.standard());
    } catch (IOException e) {
      LOG.warn("compiled kernels can't be kept: {}", e.toString());
      return Optional.empty();
    }
  }

  CudaDevice.Module load(String source, List<String> options) {
    int capability = device.info().capability();
    var before = shipped.flatMap(s -> s.get(source, capability, options)).flatMap(this::loaded);
    if (before.isPresent()) {
      KernelUse.HERE.shipped();
      return before.get();
    }
    // Any compiler's result will do, so that a machine that once had a compiler can go on without
    // it.
    var key = KernelCache.key(source, capability, options);
    var image = cache.flatMap(c -> c.get(key));
    var kept = image.flatMap(this::loaded);
    if (kept.isPresent()) {
      KernelUse.HERE.kept();
      return kept.get();
    }
    if (image.isPresent()) {
      // The kept module is damaged, or made for a newer driver.
      cache.ifPresent(c -> c.remove(key));
    }
    return compiled(source, options, key);
  }

  /** Loads an image. Returns nothing if the driver refuses it. */
  private Optional<CudaDevice.Module> loaded(byte[] image) {
    var loading = device.tryLoad(image);
    if (loading.module().isEmpty()) {
      if (loading.status() == CudaStatus.OUT_OF_MEMORY || CudaStatus.lasting(loading.status())) {
        device.check(loading);
      }
      LOG.debug("the driver refuses kept kernels: {}", CudaStatus.words(loading.status()));
    }
    return loading.module();
  }

  private CudaDevice.Module compiled(String source, List<String> options, String key) {
    var faults = new ArrayList<String>();
    for (var candidate : CompilerSearch.candidates()) {
      var compiler = candidate.compiler();
      if (compiler.isEmpty()) {
        faults.add(candidate.fault());
        continue;
      }
      var module = compiled(compiler.get(), source, options, key, faults);
      if (module.isPresent()) {
        return module.get();
      }
    }
    throw none(faults);
  }

  /**
   * Compiles with one compiler. Returns nothing if the compiler doesn't know the device, or the
   * driver refuses what it made.
   */
  private Optional<CudaDevice.Module> compiled(
      KernelCompiler compiler,
      String source,
      List<String> options,
      String key,
      List<String> faults) {
    long start = System.nanoTime();
    byte[] image;
    try {
      image = compiler.compile(source, device.info().capability(), options);
    } catch (KernelCompiler.UnknownArchitecture e) {
      faults.add(e.getMessage());
      return Optional.empty();
    } catch (KernelCompiler.CompilationFailure e) {
      throw new CompilerBug("cuda", e.getMessage(), e);
    }
    KernelUse.HERE.compiled(System.nanoTime() - start);
    var loading = device.tryLoad(image);
    if (CudaStatus.foreignImage(loading.status())) {
      var words = CudaStatus.words(loading.status());
      faults.add("the driver doesn't take what " + compiler.name() + " makes: " + words);
      return Optional.empty();
    }
    device.check(loading);
    cache.ifPresent(c -> c.put(key, image));
    return loading.module();
  }

  private UserError none(List<String> faults) {
    var capability = device.info().major() + "." + device.info().minor();
    return new UserError(
        K7603,
        faults.isEmpty()
            ? "no compiler for kernels: neither NVRTC (libnvrtc.so) nor nvcc was found"
            : "no compiler for kernels of a device of compute capability %s: %s"
                .formatted(capability, String.join("; ", faults)),
        "install the CUDA toolkit of the driver's version, or the Python package"
            + " nvidia-cuda-nvrtc; kenaz gpu tells where it is looked for");
  }
}
