package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.sample.text.NumberNotation;
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
    double rate = NumberNotation.PLAIN.read(text);
    if (Double.isNaN(rate)) {
      throw new TypeConversionException("'" + text + "' is neither a number nor max");
    }
    if (rate > 0 && rate <= 1e9) {
      return rate;
    }
    throw new TypeConversionException("'" + text + "' must be above 0, or max");
  }
}
