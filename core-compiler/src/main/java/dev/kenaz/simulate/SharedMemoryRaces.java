package dev.kenaz.simulate;

/**
 * Finds races in shared memory. It notes which thread last wrote and read each byte, and before
 * which barrier. Two threads race if they use a byte between the same two barriers and one of them
 * writes it, unless both do it indivisibly, or the write leaves what is there already.
 */
final class SharedMemoryRaces {
  /** How memory is accessed. */
  enum Access {
    READ,
    /** The access is atomic or volatile: other threads may write with accesses of the same kind. */
    ATOMIC_READ,
    WRITE,
    ATOMIC_WRITE;

    boolean reads() {
      return this == READ || this == ATOMIC_READ;
    }

    boolean atomic() {
      return this == ATOMIC_READ || this == ATOMIC_WRITE;
    }
  }

  private static final int SEVERAL = -2;

  private final int[] writtenIn;
  private final short[] writer;
  private final boolean[] writtenAtomically;
  private final int[] readIn;
  private final short[] reader;

  SharedMemoryRaces(int bytes) {
    writtenIn = new int[bytes];
    writer = new short[bytes];
    writtenAtomically = new boolean[bytes];
    readIn = new int[bytes];
    reader = new short[bytes];
  }

  boolean written(int at, int bytes) {
    for (int i = at; i < at + bytes; i++) {
      if (writtenIn[i] == 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Notes an access.
   *
   * @param epoch the number of barriers that the block has passed, plus 1
   * @param changes whether it writes another value than is there
   * @return the thread that it races with; -1 for none, -2 for several
   */
  int access(Access how, int at, int bytes, int thread, int epoch, boolean changes) {
    int other = -1;
    for (int i = at; i < at + bytes; i++) {
      boolean foreign = writtenIn[i] == epoch && writer[i] != thread;
      boolean meant = how.atomic() && writtenAtomically[i];
      if (foreign && !meant && (how.reads() || changes)) {
        other = writer[i];
      }
      boolean readByOther = readIn[i] == epoch && reader[i] != thread;
      if (!how.reads() && changes && readByOther) {
        other = reader[i];
      }
      note(how, i, thread, epoch);
    }
    return other;
  }

  private void note(Access how, int i, int thread, int epoch) {
    if (how == Access.ATOMIC_READ) {
      return; // Other threads may write with such accesses too.
    }
    if (how == Access.READ) {
      reader[i] = (short) (readIn[i] == epoch && reader[i] != thread ? SEVERAL : thread);
      readIn[i] = epoch;
    } else {
      writer[i] = (short) thread;
      writtenIn[i] = epoch;
      writtenAtomically[i] = how.atomic();
    }
  }
}
