package dev.kenaz.arrow;

import dev.kenaz.error.ErrorCode;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** Makes Arrow's vectors of a batch's columns, over the memory of the file where that is plain. */
final class ColumnVectors {
  private final String file;
  private final Codec codec;
  private final BufferAllocator allocator;
  private final Map<Long, Dictionary> dictionaries;

  /**
   * @param dictionaries those of all encoded columns, by their numbers
   */
  ColumnVectors(
      String file, Codec codec, BufferAllocator allocator, Map<Long, Dictionary> dictionaries) {
    this.file = file;
    this.codec = codec;
    this.allocator = allocator;
    this.dictionaries = dictionaries;
  }

  /** Returns a column; an encoded one is decoded. Whoever asks for a vector closes it. */
  FieldVector of(IpcBatch.Node node) {
    var encoding = node.field().getDictionary();
    if (encoding == null) {
      return loaded(node.field(), node);
    }
    var dictionary = dictionaries.get(encoding.getId());
    var indices = new FieldType(true, encoding.getIndexType(), null);
    try (var codes = loaded(new Field(node.field().getName(), indices, List.of()), node)) {
      requireInside(codes, dictionary.getVector().getValueCount());
      return (FieldVector) DictionaryEncoder.decode(codes, dictionary, allocator);
    }
  }

  private void requireInside(FieldVector codes, int entries) {
    var numbers = (BaseIntVector) codes;
    for (int i = 0; i < codes.getValueCount(); i++) {
      if (!codes.isNull(i)) {
        long code = numbers.getValueAsLong(i);
        if (code < 0 || code >= entries) {
          throw Faults.malformed(
              file,
              "column \"%s\" has code %s, and its dictionary %s entries"
                  .formatted(codes.getName(), code, entries));
        }
      }
    }
  }

  private FieldVector loaded(Field field, IpcBatch.Node node) {
    var vector = field.createVector(allocator);
    try {
      load(vector, node);
      return vector;
    } catch (RuntimeException | Error e) {
      vector.close();
      throw e;
    }
  }

  private void load(FieldVector vector, IpcBatch.Node node) {
    var buffers = node.buffers().stream().map(this::buffer).toList();
    try {
      vector.loadFieldBuffers(new ArrowFieldNode(node.rows(), node.nulls()), buffers);
    } finally {
      buffers.forEach(ArrowBuf::close); // The vector has counted itself as an owner.
    }
    var children = vector.getChildrenFromFields();
    for (int i = 0; i < children.size(); i++) {
      if (node.children().get(i).field().getDictionary() != null) {
        throw Faults.fault(
            ErrorCode.K6105,
            "column \"%s\" of %s has a dictionary inside a list or struct"
                .formatted(node.field().getName(), file));
      }
      load(children.get(i), node.children().get(i));
    }
  }

  /** Returns a buffer over the bytes, which stay alive as long as it does. */
  private ArrowBuf buffer(MemorySegment stored) {
    var bytes = codec.decode(stored, file);
    if (bytes.byteSize() == 0) {
      return allocator.getEmpty();
    }
    if (!bytes.isNative()) {
      var copy = allocator.buffer(bytes.byteSize());
      MemorySegment.ofAddress(copy.memoryAddress()).reinterpret(bytes.byteSize()).copyFrom(bytes);
      return copy;
    }
    return allocator.wrapForeignAllocation(new Held(bytes));
  }

  /** Memory of another owner, which lives as long as this refers to it. */
  private static final class Held extends ForeignAllocation {
    private MemorySegment bytes;

    Held(MemorySegment bytes) {
      super(bytes.byteSize(), bytes.address());
      this.bytes = bytes;
    }

    @Override
    protected void release0() {
      bytes = null;
    }
  }
}
