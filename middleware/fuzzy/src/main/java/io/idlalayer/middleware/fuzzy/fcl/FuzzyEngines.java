package io.idlalayer.middleware.fuzzy.fcl;

import java.util.Locale;

/** The engines that evaluate rule files. */
public final class FuzzyEngines {
  private FuzzyEngines() {}

  /** Which engine. */
  public enum Kind {
    /** Ours. */
    BUILT_IN,
    /** jFuzzyLogic, if its jar is on the class path. */
    JFUZZYLOGIC;

    /** Returns the name of this engine in settings. */
    public String key() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Compiles a rule file.
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
