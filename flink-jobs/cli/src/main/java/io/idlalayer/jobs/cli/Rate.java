package io.idlalayer.jobs.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the option {@code --rate}: a number of events per second, or {@code max}. */
final class Rate implements ITypeConverter<Double> {
  static final String MAX = "max";

  @Override
  public Double convert(String text) {
    if (text.equals(MAX)) {
      return 0.0;
    }
    try {
      double rate = Double.parseDouble(text);
      if (rate > 0 && rate <= 1e9) {
        return rate;
      }
    } catch (NumberFormatException word) {
      throw new TypeConversionException("'" + text + "' is neither a number nor max");
    }
    throw new TypeConversionException("'" + text + "' must be above 0, or max");
  }
}
