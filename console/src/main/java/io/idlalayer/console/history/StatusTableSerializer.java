package io.idlalayer.console.history;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import java.io.IOException;

/** Whole numbers are written as such, and what is no number as null. */
final class StatusTableSerializer extends JsonSerializer<StatusTable> {
  private static final double EXACT_BELOW = 1L << 53;

  @Override
  public void serialize(StatusTable table, JsonGenerator out, SerializerProvider provider)
      throws IOException {
    out.writeStartObject();
    out.writeArrayFieldStart("names");
    for (String name : table.names()) {
      out.writeString(name);
    }
    out.writeEndArray();
    out.writeFieldName("atMillis");
    out.writeArray(table.atMillis(), 0, table.atMillis().length);
    out.writeArrayFieldStart("values");
    for (double[] column : table.values()) {
      out.writeStartArray();
      for (double value : column) {
        write(value, out);
      }
      out.writeEndArray();
    }
    out.writeEndArray();
    out.writeEndObject();
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
