package io.idlalayer.middleware.fuzzy.fcl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever the bytes, the parser answers with a rule base or with problems that have a place. */
class FclParserPropertyTest {
  private static final List<String> WORDS =
      List.of(
          "FUNCTION_BLOCK",
          "VAR_INPUT",
          "VAR_OUTPUT",
          "END_VAR",
          "FUZZIFY",
          "END_FUZZIFY",
          "TERM",
          "DEFUZZIFY",
          "END_DEFUZZIFY",
          "RULEBLOCK",
          "END_RULEBLOCK",
          "RULE",
          "IF",
          "THEN",
          "AND",
          "OR",
          "NOT",
          "IS",
          "WITH",
          "METHOD",
          "COG",
          "COGS",
          "DEFAULT",
          "NC",
          "RANGE",
          "REAL",
          ":",
          ":=",
          ";",
          ",",
          "(",
          ")",
          "..",
          "1",
          "0.5",
          "-",
          "x",
          "y",
          "low",
          "FUNCTION",
          "GAUSS",
          "END_FUNCTION_BLOCK",
          "(*",
          "*)",
          "//",
          "\n",
          "\"",
          "é",
          "1e999");

  private static void parse(String source) {
    try {
      RuleBase base = FclParser.parse("fuzz.fcl", source);
      assertThat(base.blocks()).isNotEmpty();
      int inputs = base.inputs().size();
      double[] outputs = new double[base.outputs().size()];
      CompiledRules rules = new CompiledRules(base);
      rules.evaluate(new double[inputs], outputs, new double[rules.rules().size()]);
    } catch (FclException refused) {
      assertThat(refused.problems()).isNotEmpty();
      int lines = (int) source.chars().filter(c -> c == '\n').count() + 1;
      for (FclException.Problem problem : refused.problems()) {
        assertThat(problem.line()).isBetween(1, lines);
        assertThat(problem.column()).isPositive();
        assertThat(problem.message()).isNotBlank();
      }
    }
  }

  @Property(tries = 3000)
  void parse_mutatedFile_compilesOrNamesItsPlace(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    String file = RuleFiles.ALL.get(random.nextInt(RuleFiles.ALL.size()));
    StringBuilder source = new StringBuilder(RuleFiles.read(file));
    for (int i = random.nextInt(6); i >= 0; i--) {
      int at = random.nextInt(source.length());
      int end = Math.min(source.length(), at + random.nextInt(12));
      switch (random.nextInt(4)) {
        case 0 -> source.delete(at, end);
        case 1 -> source.insert(at, WORDS.get(random.nextInt(WORDS.size())));
        case 2 -> source.setCharAt(at, (char) random.nextInt(1, 0x300));
        default -> source.insert(random.nextInt(source.length()), source.substring(at, end));
      }
    }
    parse(source.toString());
  }

  @Property(tries = 2000)
  void parse_randomWords_compilesOrNamesItsPlace(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder source = new StringBuilder(random.nextBoolean() ? "FUNCTION_BLOCK " : "");
    for (int i = random.nextInt(200); i > 0; i--) {
      source.append(WORDS.get(random.nextInt(WORDS.size()))).append(' ');
    }
    parse(source.toString());
  }

  @Property(tries = 1000)
  void parse_randomText_compilesOrNamesItsPlace(@ForAll String source) {
    parse(source);
  }
}
