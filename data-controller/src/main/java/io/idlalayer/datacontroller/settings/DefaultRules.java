package io.idlalayer.datacontroller.settings;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The text of the built-in FCL rule file. */
final class DefaultRules {
  static final String NAME = "stages.fcl";
  static final String TEXT = text();

  private DefaultRules() {}

  private static String text() {
    try (InputStream in = DefaultRules.class.getResourceAsStream(NAME)) {
      if (in == null) {
        throw new IllegalStateException("the rule file " + NAME + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot read " + NAME, failed);
    }
  }
}
