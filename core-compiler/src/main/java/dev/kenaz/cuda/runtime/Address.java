package dev.kenaz.cuda.runtime;

import jcuda.driver.CUdeviceptr;

/** Makes the number in a device address readable, which JCuda hides. */
final class Address extends CUdeviceptr {
  /** Makes an address that JCuda sets. */
  Address() {}

  Address(long address) {
    super(new Address(), address);
  }

  long value() {
    return getNativePointer() + getByteOffset();
  }
}
