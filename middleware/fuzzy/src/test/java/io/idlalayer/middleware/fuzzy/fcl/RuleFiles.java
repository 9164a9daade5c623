package io.idlalayer.middleware.fuzzy.fcl;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The rule files of the tests. */
final class RuleFiles {
  static final List<String> ALL =
      List.of(
          "service.fcl",
          "shapes.fcl",
          "sugeno.fcl",
          "operators-prod.fcl",
          "operators-bdif.fcl",
          "operators-dmin.fcl",
          "operators-nipmin.fcl",
          "operators-hamacher.fcl");

  private RuleFiles() {}

  static String read(String name) {
    try (InputStream in = RuleFiles.class.getResourceAsStream("/fuzzy/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  static FuzzyEngine engine(String name) throws FclException {
    return FuzzyEngines.compile(FuzzyEngines.Kind.BUILT_IN, name, read(name));
  }
}
