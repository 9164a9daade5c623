package io.idlalayer.benchmarks.campaign.input;

import java.util.regex.Pattern;

/** Why an event is malformed, each with the words that a message about it must have. */
public enum Refusal {
  NO_NUMBER("not a number|not a finite number"),
  MISSING("missing"),
  NO_CLASS("none of the|no class"),
  SEVERAL_CLASSES("several classes"),
  FIELDS("fields? "),
  QUOTES("quote"),
  ENCODING("(?i)utf-8"),
  NO_JSON("(?i)json|byte|character"),
  TWICE("twice"),
  NO_VALUE("an object|an array|values? where"),
  NO_TIME("time stamp"),
  TOO_LONG("(?i)bytes|longer|too long");

  private final Pattern words;

  Refusal(String words) {
    this.words = Pattern.compile(words);
  }

  /** Returns whether a line of a terminal has the words. */
  boolean namedIn(String line) {
    return words.matcher(line).find();
  }
}
