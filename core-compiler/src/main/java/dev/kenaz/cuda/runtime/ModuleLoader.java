package dev.kenaz.cuda.runtime;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From CUDA C to a loaded module: from the cache, or by the first compiler that can. */
final class ModuleLoader {
  private static final Logger LOG = LoggerFactory.getLogger(ModuleLoader.class);

  private final CudaDevice device;
  private final Optional<KernelCache> cache;

  ModuleLoader(CudaDevice device) {
    this(device, cache());
  }

  ModuleLoader(CudaDevice device, Optional<KernelCache> cache) {
    this.device = device;
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
    // Any compiler's result will do, so that a machine that once had one can go on without.
    var key = KernelCache.key(source, device.info().capability(), options);
    var kept = cache.flatMap(c -> c.get(key));
    if (kept.isPresent()) {
      var loading = device.tryLoad(kept.get());
      if (loading.module().isPresent()) {
        return loading.module().get();
      }
      cache.ifPresent(c -> c.remove(key)); // damaged, or of a newer driver
    }
    long start = System.nanoTime();
    var image = compile(source, options);
    LOG.debug("{} bytes of kernels, {} ms", image.length, (System.nanoTime() - start) / 1_000_000);
    var loading = device.tryLoad(image);
    Calls.check(loading.status(), "loading kernels");
    cache.ifPresent(c -> c.put(key, image));
    return loading.module().orElseThrow();
  }

  /** By NVRTC, and if that is too old for the device, by nvcc. */
  private byte[] compile(String source, List<String> options) {
    var found = CompilerSearch.first();
    if (found.compilers().isEmpty()) {
      throw new UserError(
          "K7603",
          Span.NONE,
          "no compiler for kernels: neither NVRTC (libnvrtc.so) nor nvcc was found"
              + found.faults().stream().map(f -> "; " + f).collect(Collectors.joining()),
          "install the CUDA toolkit, or the Python package nvidia-cuda-nvrtc; kenaz gpu tells where"
              + " it is looked for");
    }
    try {
      return found.compilers().getFirst().compile(source, device.info().capability(), options);
    } catch (KernelCompiler.CompilationFailure e) {
      throw new CompilerBug("cuda", e.getMessage(), e);
    }
  }
}
