package io.idlalayer.jobs.survey;

/** Cuts texts to a bounded length. */
final class Texts {
  private Texts() {}

  /** Returns a text, or its beginning with "..." if it has more than {@code most} characters. */
  static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = most - 3;
    if (Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end) + "...";
  }
}
