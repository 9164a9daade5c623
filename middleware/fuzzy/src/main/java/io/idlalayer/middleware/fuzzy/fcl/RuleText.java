package io.idlalayer.middleware.fuzzy.fcl;

import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Condition;
import java.util.List;
import java.util.stream.Collectors;

/** Writes a parsed rule base as FCL text, with every default written out. */
final class RuleText {
  private final RuleBase base;

  RuleText(RuleBase base) {
    this.base = base;
  }

  /**
   * Returns a rule as text without the semicolon, for example {@code RULE 1: IF x IS low THEN y IS
   * high}.
   */
  String rule(RuleBase.Rule rule) {
    String conclusions =
        rule.conclusions().stream()
            .map(
                each -> {
                  RuleBase.Output output = base.outputs().get(each.output());
                  return output.name() + " IS " + output.terms().get(each.term()).name();
                })
            .collect(Collectors.joining(", "));
    String weight = rule.weight() == 1 ? "" : " WITH " + rule.weight();
    return "RULE %s: IF %s THEN %s%s"
        .formatted(rule.name(), condition(rule.condition(), true), conclusions, weight);
  }

  private String condition(Condition condition, boolean outermost) {
    if (condition instanceof Condition.Is is) {
      RuleBase.Input input = base.inputs().get(is.input());
      String not = is.negated() ? "NOT " : "";
      return input.name() + " IS " + not + input.terms().get(is.term()).name();
    }
    if (condition instanceof Condition.Not not) {
      return "NOT (" + condition(not.inner(), true) + ")";
    }
    String joined =
        condition instanceof Condition.And and
            ? condition(and.left(), false) + " AND " + condition(and.right(), false)
            : condition instanceof Condition.Or or
                ? condition(or.left(), false) + " OR " + condition(or.right(), false)
                : "";
    return outermost ? joined : "(" + joined + ")";
  }

  /** Returns the whole rule file as FCL text. */
  String file() {
    StringBuilder text = new StringBuilder("FUNCTION_BLOCK ").append(base.name()).append('\n');
    text.append("VAR_INPUT\n");
    base.inputs().forEach(input -> text.append(input.name()).append(" : REAL;\n"));
    text.append("END_VAR\nVAR_OUTPUT\n");
    base.outputs().forEach(output -> text.append(output.name()).append(" : REAL;\n"));
    text.append("END_VAR\n");
    for (RuleBase.Input input : base.inputs()) {
      text.append("FUZZIFY ").append(input.name()).append('\n');
      terms(text, input.terms());
      text.append("END_FUZZIFY\n");
    }
    base.outputs().forEach(output -> output(text, output));
    base.blocks().forEach(block -> block(text, block));
    return text.append("END_FUNCTION_BLOCK\n").toString();
  }

  private static void terms(StringBuilder text, List<RuleBase.Term> terms) {
    for (RuleBase.Term term : terms) {
      text.append("TERM ").append(term.name()).append(" := ");
      text.append(term.shape().text()).append(";\n");
    }
  }

  private static void output(StringBuilder text, RuleBase.Output output) {
    text.append("DEFUZZIFY ").append(output.name()).append('\n');
    terms(text, output.terms());
    boolean functions =
        output.terms().stream().anyMatch(term -> term.shape() instanceof Membership.Function);
    text.append("METHOD : ").append(functions ? "COGF" : output.method()).append(";\n");
    boolean none = Double.isNaN(output.defaultValue());
    text.append("DEFAULT := ").append(none ? "NC" : output.defaultValue()).append(";\n");
    RuleBase.Range range = output.range();
    if (range != null) {
      text.append("RANGE := (%s .. %s);\n".formatted(range.low(), range.high()));
    }
    text.append("END_DEFUZZIFY\n");
  }

  private void block(StringBuilder text, RuleBase.Block block) {
    text.append("RULEBLOCK ").append(block.name()).append('\n');
    text.append("AND : ").append(block.connection().and).append(";\n");
    text.append("ACT : ").append(block.activation()).append(";\n");
    text.append("ACCU : ").append(block.accumulation()).append(";\n");
    block.rules().forEach(rule -> text.append(rule(rule)).append(";\n"));
    text.append("END_RULEBLOCK\n");
  }
}
