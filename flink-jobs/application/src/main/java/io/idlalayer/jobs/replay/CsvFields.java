package io.idlalayer.jobs.replay;

import java.util.ArrayList;
import java.util.List;

/** Splits a line of CSV into fields; a field may be in quotes, and "" stands for a quote in it. */
final class CsvFields {
  private CsvFields() {}

  static List<String> of(String line) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        boolean twice = quoted && i + 1 < line.length() && line.charAt(i + 1) == '"';
        if (twice) {
          field.append('"');
          i++;
        } else {
          quoted = !quoted;
        }
      } else if (c == ',' && !quoted) {
        fields.add(field.toString().strip());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString().strip());
    return fields;
  }
}
