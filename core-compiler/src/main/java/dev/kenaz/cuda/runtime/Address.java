package dev.kenaz.cuda.runtime;

import jcuda.driver.CUdeviceptr;

/** A device address as a number, which JCuda hides. */
final class Address extends CUdeviceptr {
  /** To be set by JCuda. */
  Address() {}

  Address(long address) {
    super(new Address(), address);
  }

  long value() {
    return getNativePointer() + getByteOffset();
  }
}
