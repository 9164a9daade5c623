package io.idlalayer.middleware.fuzzy.fcl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FclParserTest {
  private static final String SOURCE = RuleFiles.read("service.fcl");

  private static FclException refused(String source) {
    return catchThrowableOfType(FclException.class, () -> FclParser.parse("stages.fcl", source));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "taste IS rancid|taste IS rancit|30:44: 'rancit' is not a term of taste; known are rancid,"
            + " delicious",
        "IF kindness IS good|IF kind IS good|31:15: 'kind' is not an input; known are kindness, taste",
        "THEN tip IS average|THEN tap IS average|31:37: 'tap' is not an output with a DEFUZZIFY; known"
            + " are tip",
        "THEN tip IS average|THEN tip IS NOT average|31:44: a conclusion cannot be negated",
        "METHOD : COG|METHOD : CAG|23:12: 'CAG' is not a method; known are COG, COGS, COGF, COA, MM,"
            + " MOM, LM, RM",
        "METHOD : COG|METHOD : COGS|19:11: method COGS does not fit term 'cheap': COGS and COGF"
            + " take numbers and functions, the others take shapes",
        "AND : MIN;|AND : MAX;|27:9: 'MAX' is not an operator here; known are MIN, PROD, BDIF, DMIN,"
            + " NIPMIN, HAMACHER",
        "ACT : MIN;|OR : ASUM;|28:3: AND : MIN goes with OR : MAX (De Morgan), not with OR : ASUM",
        "(6, 0) (9, 1)|(9, 0) (6, 1)|13:21: points must ascend: 6.0 follows 9.0",
        "(6, 0) (9, 1)|(6, 0) (9, 2)|13:21: a membership of 2.0 is not in 0 to 1",
        "(6, 0) (9, 1)|TRIAN 1 3|13:30: a number is expected, not ';'",
        "(6, 0) (9, 1)|GAUSS 1 0|13:21: a deviation must be above 0",
        "(6, 0) (9, 1)|SQUARE 1|13:21: 'SQUARE' is not a shape; use points such as (0, 0) (1, 1), a"
            + " number, TRIAN, TRAPE, GAUSS, GAUSS2, GBELL, SIGM, DSIGM, COSINE or FUNCTION",
        "TERM excellent|TERM good|13:8: there is a term 'good' already",
        "TERM excellent|TERM Gauss|13:8: 'Gauss' is a keyword; choose another name",
        "taste    : REAL|kindness : REAL|5:3: there is a variable 'kindness' already",
        "taste    : REAL|taste : BOOL|5:11: the type is REAL, not 'BOOL'",
        "RULE 3|RULE 2|32:8: there is a rule 2 already",
        "WITH 0.8|WITH 1.8|32:86: a weight of 1.8 is not in 0 to 1",
        "AND taste IS delicious|AND taste IS delicious OR taste IS rancid|32:60: AND and OR are side"
            + " by side: put one of them in parentheses, since engines disagree on which binds"
            + " closer",
        "END_FUNCTION_BLOCK||35:1: END_FUNCTION_BLOCK is missing",
        "END_FUNCTION_BLOCK|END_FUNCTION_BLOCK more|34:20: a file has one function block; what"
            + " follows is not read",
        "(* How|(* How (*|"
      })
  void problems_haveTheirPlace(String correct, String wrong, String problem) {
    FclException refused =
        refused(
            SOURCE.replaceFirst(
                java.util.regex.Pattern.quote(correct),
                java.util.regex.Matcher.quoteReplacement(wrong == null ? "" : wrong)));
    if (problem == null) {
      assertThat(refused).isNull();
    } else {
      assertThat(refused).hasMessageStartingWith("stages.fcl:" + problem);
    }
  }

  @Test
  void allProblems_areReportedAtOnce() {
    String source =
        SOURCE
            .replace("taste IS rancid", "taste IS rancit")
            .replace("(7, 0) (9, 1)", "(7, 0 (9, 1)")
            .replace("METHOD : COG;", "METHODE : COG;");
    assertThat(refused(source).problems())
        .extracting(FclException.Problem::line)
        .containsExactly(17, 23, 30);
  }

  @Test
  void emptyAndForeignFiles_areRefused() {
    assertThat(refused(""))
        .hasMessage("stages.fcl:1:1: 'FUNCTION_BLOCK' is expected, not the end of the file");
    assertThat(refused("name: electricity")).hasMessageContaining("'FUNCTION_BLOCK' is expected");
    assertThat(refused("FUNCTION_BLOCK x END_FUNCTION_BLOCK"))
        .hasMessageContaining("there is no VAR_OUTPUT")
        .hasMessageContaining("there is no rule");
    assertThat(refused("(* never closed")).hasMessageContaining("1:1: this comment has no *)");
  }

  @Test
  void deepNesting_isRefusedNotOverflown() {
    String deep = "(".repeat(100_000) + "kindness IS good" + ")".repeat(100_000);
    assertThat(refused(SOURCE.replace("IF kindness IS good THEN", "IF " + deep + " THEN")))
        .hasMessageContaining("nested too deep");
    String nots = "NOT ".repeat(100_000) + "kindness IS good";
    assertThat(refused(SOURCE.replace("IF kindness IS good THEN", "IF " + nots + " THEN")))
        .hasMessageContaining("nested too deep");
    String formula = RuleFiles.read("sugeno.fcl");
    assertThat(refused(formula.replace("0.5*xi", "(".repeat(100_000) + "0.5*xi")))
        .hasMessageContaining("nested too deep");
    assertThat(refused(formula.replace("0.5*xi", "-".repeat(100_000) + "0.5*xi")))
        .hasMessageContaining("nested too deep");
  }

  @Test
  void jFuzzyLogicAbsent_saysWhatToDo() {
    assertThatThrownBy(
            () -> FuzzyEngines.compile(FuzzyEngines.Kind.JFUZZYLOGIC, "stages.fcl", SOURCE))
        .isInstanceOf(FclException.class)
        .hasMessageStartingWith("stages.fcl: jFuzzyLogic is not on the class path:");
  }
}
