package io.idlalayer.modelruntime.inference;

import java.util.List;

/**
 * An output tensor of an answer.
 *
 * @param datatype FP32 or FP64 for numbers, BYTES for texts
 * @param shape the first dimension counts rows
 * @param numbers the elements in row-major order; none of texts
 * @param texts the elements of BYTES; none of numbers
 * @param binary whether the client wants the elements in binary form
 */
public record OutputTensor(
    String name,
    Datatype datatype,
    int[] shape,
    double[] numbers,
    List<String> texts,
    boolean binary) {

  static OutputTensor ofTexts(String name, List<String> texts, boolean binary) {
    int[] shape = {texts.size()};
    return new OutputTensor(name, Datatype.BYTES, shape, new double[0], texts, binary);
  }

  /** Returns the elements in binary form, see {@link BinaryElements}. */
  public byte[] bytes() {
    return datatype == Datatype.BYTES
        ? BinaryElements.ofTexts(texts)
        : BinaryElements.ofNumbers(numbers, datatype);
  }
}
