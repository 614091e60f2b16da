package dev.kenaz.cuda.runtime;

import jcuda.driver.CUresult;

/** Puts the driver's status codes into words. */
final class CudaStatus {
  static final int OK = 0;
  static final int OUT_OF_MEMORY = 2;

  private CudaStatus() {}

  /** Says what the status means, with the driver's own name for it. */
  static String words(int status) {
    var name = CUresult.stringFor(status);
    var meaning = meaning(status);
    return meaning.isEmpty() ? name : meaning + " (" + name + ")";
  }

  /**
   * Whether the fault leaves the device unusable for the rest of the process: the driver answers
   * every later call with it.
   */
  static boolean lasting(int status) {
    return switch (status) {
      case 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721 -> true;
      default -> false;
    };
  }

  /**
   * Whether the status says that an image is not for this driver or device. An image that another
   * compiler makes may be.
   */
  static boolean foreignImage(int status) {
    return switch (status) {
      case 200, 209, 218, 221, 222, 223 -> true;
      default -> false;
    };
  }

  private static String meaning(int status) {
    return switch (status) {
      case OK -> "no error";
      case 1 -> "a call with invalid arguments";
      case OUT_OF_MEMORY -> "out of device memory";
      case 3 -> "the driver is not initialised";
      case 4 -> "the driver is shutting down";
      case 34 -> "this is the toolkit's stub library and no driver";
      case 46 -> "the device is in use by another process, or can't be used at present";
      case 100 -> "no device";
      case 101 -> "no device of that number";
      case 200 -> "the kernel is not in a format that the driver reads";
      case 201 -> "no valid context";
      case 209 -> "the kernel was compiled for another architecture";
      case 214 -> "an uncorrectable memory error of the device";
      case 218 -> "the driver can't compile the kernel's PTX";
      case 220 -> "an uncorrectable error of NVLink";
      case 221 -> "the driver's PTX compiler is missing";
      case 222 -> "the kernel's PTX is newer than the driver";
      case 226 -> "an uncorrectable error, of which only this process is a victim";
      case 301 -> "a file of the driver is missing";
      case 304 -> "the system refuses the driver something";
      case 400 -> "a handle of another context, or none";
      case 500 -> "no kernel of that name";
      case 700 -> "a kernel accessed an invalid address";
      case 701 -> "a launch asks for more registers or shared memory than there are";
      case 702 -> "a kernel ran longer than the system allows; a display's watchdog does that";
      case 710 -> "an assertion in a kernel failed";
      case 714 -> "a kernel's stack was corrupted, or is too small";
      case 715 -> "a kernel executed an illegal instruction";
      case 716 -> "a kernel made a misaligned access";
      case 717 -> "a kernel used an address space wrongly";
      case 718 -> "a kernel's program counter went astray";
      case 719 -> "a kernel failed";
      case 720 -> "a cooperative launch with more blocks than fit at once";
      case 800 -> "not permitted";
      case 801 -> "not supported";
      case 802 -> "the system isn't ready; a fabric manager may have to be started";
      case 803 -> "the driver's kernel module and its library have different versions";
      case 804 -> "a compatibility library for a device that it doesn't support";
      case 805, 806, 807 -> "the multi-process service (MPS) doesn't answer";
      case 808, 809 -> "the multi-process service (MPS) has too many clients";
      case 999 -> "an unknown error of the driver";
      default -> "";
    };
  }
}
