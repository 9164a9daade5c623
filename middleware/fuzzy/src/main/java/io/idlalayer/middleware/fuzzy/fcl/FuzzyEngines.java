package io.idlalayer.middleware.fuzzy.fcl;

import java.util.Locale;

/** Compiles rule files for one of the available fuzzy engines. */
public final class FuzzyEngines {
  private FuzzyEngines() {}

  /** Engines that can evaluate rule files. */
  public enum Kind {
    /** The engine of this package. */
    BUILT_IN,
    /** The library jFuzzyLogic, if its jar is on the class path. */
    JFUZZYLOGIC;

    /** Returns the name of this engine in settings. */
    public String key() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Compiles a rule file for an engine.
   *
   * @param fileName for messages
   * @param source FCL (IEC 61131-7), one function block
   * @throws FclException with every problem of the file, or that the engine is not there
   */
  public static FuzzyEngine compile(Kind kind, String fileName, String source) throws FclException {
    RuleBase base = FclParser.parse(fileName, source);
    return switch (kind) {
      case BUILT_IN -> new CompiledRules(base);
      case JFUZZYLOGIC ->
          new JFuzzyLogicEngine(fileName, base, FuzzyEngines.class.getClassLoader());
    };
  }
}
