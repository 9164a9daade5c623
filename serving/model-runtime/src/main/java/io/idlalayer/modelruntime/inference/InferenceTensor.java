package io.idlalayer.modelruntime.inference;

import java.util.Locale;

/**
 * An input tensor of a request, whose elements match its shape and its type.
 *
 * @param shape at least one dimension; the first one counts rows
 */
public record InferenceTensor(String name, Datatype datatype, int[] shape, Elements elements) {
  int rows() {
    return shape[0];
  }

  /**
   * Returns the number of elements of a row.
   *
   * @throws InferenceException if its shape is neither [rows] nor [rows, width]
   */
  int width() throws InferenceException {
    if (shape.length > 2) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': it has %d dimensions; it may have two, rows and the values of a row",
              name,
              shape.length));
    }
    return shape.length == 1 ? 1 : shape[1];
  }
}
