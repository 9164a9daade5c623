package io.idlalayer.console.history;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import java.io.IOException;

/**
 * Writes the numbers of a column as JSON: whole numbers without a fraction, and values that are not
 * a number as null.
 */
final class ColumnSerializer extends JsonSerializer<double[]> {
  private static final double EXACT_BELOW = 1L << 53;

  @Override
  public void serialize(double[] column, JsonGenerator out, SerializerProvider provider)
      throws IOException {
    out.writeStartArray();
    for (double value : column) {
      write(value, out);
    }
    out.writeEndArray();
  }

  private static void write(double value, JsonGenerator out) throws IOException {
    if (!Double.isFinite(value)) {
      out.writeNull();
    } else if (value == Math.rint(value) && Math.abs(value) < EXACT_BELOW) {
      out.writeNumber((long) value);
    } else {
      out.writeNumber(value);
    }
  }
}
