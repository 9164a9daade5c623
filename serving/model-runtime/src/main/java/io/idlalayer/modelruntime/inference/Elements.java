package io.idlalayer.modelruntime.inference;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Collects the elements of a tensor in row-major order: as numbers if they can only be numbers,
 * else as texts. The datatype may come after the data.
 */
public final class Elements {
  private double[] numbers = new double[16];
  private final List<String> texts = new ArrayList<>();
  private final boolean asNumbers;
  private int count;
  private boolean strings;
  private boolean fractions;
  private boolean integers;

  /**
   * @param asNumbers whether the elements are known to be floating-point numbers
   */
  public Elements(boolean asNumbers) {
    this.asNumbers = asNumbers;
  }

  int count() {
    return count;
  }

  /** Returns whether the caller adds numbers by their value, not by their text. */
  boolean asNumbers() {
    return asNumbers;
  }

  /** Adds a number by its value. */
  public void add(double number) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = number;
  }

  /**
   * Adds a number by its text.
   *
   * @param integer whether it was written without a fraction and an exponent
   */
  public void addNumber(String text, boolean integer) {
    texts.add(text);
    count++;
    integers |= integer;
    fractions |= !integer;
  }

  /** Adds a text. */
  public void addString(String text) {
    texts.add(text);
    count++;
    strings = true;
  }

  /** Checks that all elements are of a type. */
  void check(String input, Datatype type) throws InferenceException {
    if (type == Datatype.BYTES ? integers || fractions : strings) {
      throw InferenceException.wrong(
          "input '%s': its data has %s, and %s has %s"
              .formatted(
                  input,
                  strings ? "strings" : "numbers",
                  type,
                  type == Datatype.BYTES ? "strings only" : "numbers only"));
    }
    if (type.integral() && fractions) {
      throw InferenceException.wrong(
          "input '%s': its data has numbers that are not integers, and %s has integers only"
              .formatted(input, type));
    }
  }

  double number(int at) {
    return asNumbers ? numbers[at] : Double.parseDouble(texts.get(at));
  }

  String text(int at) {
    return texts.get(at);
  }
}
