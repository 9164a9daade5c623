package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.middleware.sample.text.NumberNotation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The notation in which the numbers of rows are written. */
final class NotationGuess {
  private static final int LOOKED_AT = 1_000;

  private static final List<NumberNotation> NOTATIONS =
      List.of(
          NumberNotation.PLAIN,
          new NumberNotation(",", ""),
          new NumberNotation(",", "."),
          new NumberNotation(",", " "),
          new NumberNotation(".", ","),
          new NumberNotation(".", " "),
          new NumberNotation(".", "'"));

  private NotationGuess() {}

  /** Returns whether a field is a number in any of the usual notations. */
  static boolean isNumber(String field) {
    return NOTATIONS.stream().anyMatch(each -> !Double.isNaN(each.read(field)));
  }

  /** Returns the notation in which most fields are numbers. */
  static NumberNotation of(EventTable table, EventForm form) {
    if (form.format() != Format.CSV) {
      return NumberNotation.PLAIN;
    }
    NumberNotation best = NumberNotation.PLAIN;
    long most = -1;
    List<@Nullable String[]> columns = new ArrayList<>();
    for (int i = 0; i < table.names().size(); i++) {
      columns.add(table.column(i));
    }
    for (NumberNotation each : NOTATIONS) {
      if (each.decimal().equals(form.delimiter()) || each.thousands().equals(form.delimiter())) {
        continue;
      }
      long numbers = 0;
      for (@Nullable String[] column : columns) {
        for (int i = 0; i < Math.min(LOOKED_AT, column.length); i++) {
          String value = column[i];
          numbers += value != null && !Double.isNaN(each.read(value)) ? 1 : 0;
        }
      }
      if (numbers > most) {
        most = numbers;
        best = each;
      }
    }
    return best;
  }
}
