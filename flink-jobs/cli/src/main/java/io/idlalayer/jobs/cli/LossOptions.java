package io.idlalayer.jobs.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option that says how much of an input may be refused. */
final class LossOptions {
  @Option(
      names = "--allow-malformed",
      paramLabel = "SHARE",
      converter = Share.class,
      description = {
        "Largest share of refused events with which the exit code is still 0, such as 1%% or 0.01 (default:"
            + " ${DEFAULT-VALUE}).",
        "With a larger share it is 3. If nothing was learned, it is 4."
      },
      defaultValue = "0")
  double allowedShare;

  /** Parses a share: a number from 0 to 1, or from 0% to 100%. */
  static final class Share implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      boolean percent = text.endsWith("%");
      String digits = percent ? text.substring(0, text.length() - 1).strip() : text;
      if (digits.matches("\\d{1,3}(\\.\\d{1,9})?|\\.\\d{1,9}")) {
        double share = Double.parseDouble(digits) / (percent ? 100 : 1);
        if (share <= 1) {
          return share;
        }
      }
      throw new TypeConversionException(
          "'" + text + "' is not a share: 0 to 1, or 0% to 100%, such as 1% or 0.01");
    }
  }
}
