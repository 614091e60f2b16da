package dev.kenaz.jvm;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.Comparator;
import java.util.List;

/**
 * How large a method is.
 *
 * @param bytes the length of its bytecode
 * @param vectors how many operations of vectors it has
 */
record MethodSize(String name, int bytes, int vectors) {
  static final MethodSize LARGER_THAN_ANY =
      new MethodSize("", Integer.MAX_VALUE, Integer.MAX_VALUE);

  /** Returns the sizes of the methods of a class file. */
  static List<MethodSize> all(byte[] bytes) {
    return ClassFile.of().parse(bytes).methods().stream()
        .flatMap(m -> m.findAttribute(Attributes.code()).map(c -> of(m, c)).stream())
        .toList();
  }

  static MethodSize longest(byte[] bytes) {
    return all(bytes).stream().max(Comparator.comparingInt(MethodSize::bytes)).orElseThrow();
  }

  private static MethodSize of(MethodModel method, CodeAttribute code) {
    int vectors = 0;
    for (var e : code) {
      boolean calls = e instanceof InvokeInstruction i && Vectors.has(i.owner().asSymbol());
      vectors += calls ? 1 : 0;
    }
    return new MethodSize(method.methodName().stringValue(), code.codeLength(), vectors);
  }

  /** Returns how many instructions would have one byte more if the class had more constants. */
  static int shortLoads(byte[] bytes) {
    return (int)
        ClassFile.of().parse(bytes).methods().stream()
            .flatMap(m -> m.code().stream())
            .flatMap(CodeModel::elementStream)
            .filter(e -> e instanceof Instruction i && i.opcode() == Opcode.LDC)
            .count();
  }

  /** Returns the size with so many bytes more. */
  MethodSize longer(int more) {
    return new MethodSize(name, bytes + more, vectors);
  }

  boolean within(int mostBytes, int mostVectors) {
    return bytes <= mostBytes && vectors <= mostVectors;
  }
}
