package io.idlalayer.middleware.fuzzy.fcl;

import io.idlalayer.middleware.fuzzy.fcl.FclLexer.Token;
import io.idlalayer.middleware.fuzzy.fcl.FclTokens.Unreadable;
import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Accumulation;
import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Activation;
import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Conclusion;
import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Condition;
import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parses the RULEBLOCK sections of a rule file. */
final class FclRules {
  private static final int NESTING_MAX = 64;
  private static final String END = "END_RULEBLOCK";

  private final FclTokens tokens;
  private final List<RuleBase.Input> inputs;
  private final List<RuleBase.Output> outputs;

  FclRules(FclTokens tokens, List<RuleBase.Input> inputs, List<RuleBase.Output> outputs) {
    this.tokens = tokens;
    this.inputs = inputs;
    this.outputs = outputs;
  }

  /** Parses a rule block up to its end, after the caller has taken its keyword. */
  RuleBase.Block block() throws Unreadable {
    String name = tokens.name("the name of the rule block").text();
    Operators operators = new Operators();
    List<RuleBase.Rule> rules = new ArrayList<>();
    while (!tokens.takeIf(END)) {
      if (tokens.ended()) {
        throw tokens.unreadable(tokens.here(), "%s is missing".formatted(END));
      }
      try {
        item(operators, rules);
      } catch (Unreadable noted) {
        tokens.recover(END);
      }
    }
    return new RuleBase.Block(
        name, operators.connection(), operators.activation, operators.accumulation, rules);
  }

  /** The operators of a rule block that were parsed so far, and the defaults of the others. */
  private static final class Operators {
    @Nullable Connection and;
    @Nullable Connection or;
    Activation activation = Activation.MIN;
    Accumulation accumulation = Accumulation.MAX;

    Connection connection() {
      Connection said = and == null ? or : and;
      return said == null ? Connection.MIN_MAX : said;
    }
  }

  private void item(Operators operators, List<RuleBase.Rule> rules) throws Unreadable {
    Token keyword = tokens.name("AND, OR, ACT, ACCU, RULE or " + END);
    switch (keyword.upper()) {
      case "AND" -> {
        operators.and = choice(Connection.values(), each -> each.and);
        agree(keyword, operators);
      }
      case "OR" -> {
        operators.or = choice(Connection.values(), each -> each.or);
        agree(keyword, operators);
      }
      case "ACT" -> operators.activation = choice(Activation.values(), Activation::name);
      case "ACCU" -> operators.accumulation = choice(Accumulation.values(), Accumulation::name);
      case "RULE" -> rules.add(rule(keyword, rules));
      default ->
          throw tokens.unreadable(
              keyword,
              "AND, OR, ACT, ACCU, RULE or %s is expected, not '%s'"
                  .formatted(END, keyword.text()));
    }
  }

  private void agree(Token keyword, Operators operators) {
    if (operators.and != null && operators.or != null && operators.and != operators.or) {
      tokens.problem(
          keyword,
          "AND : %s goes with OR : %s (De Morgan), not with OR : %s"
              .formatted(operators.and.and, operators.and.or, operators.or.or));
    }
  }

  private <T> T choice(T[] values, Function<T, String> name) throws Unreadable {
    tokens.expect(":");
    Token token = tokens.name("an operator");
    for (T value : values) {
      if (name.apply(value).equals(token.upper())) {
        tokens.expect(";");
        return value;
      }
    }
    String known = List.of(values).stream().map(name).collect(Collectors.joining(", "));
    throw tokens.unreadable(
        token, "'%s' is not an operator here; known are %s".formatted(token.text(), known));
  }

  private RuleBase.Rule rule(Token keyword, List<RuleBase.Rule> rules) throws Unreadable {
    Token name = tokens.take();
    if (rules.stream().anyMatch(each -> each.name().equals(name.text()))) {
      tokens.problem(name, "there is a rule " + name.text() + " already");
    }
    tokens.expect(":");
    tokens.expect("IF");
    Condition condition = condition(0);
    tokens.expect("THEN");
    List<Conclusion> conclusions = new ArrayList<>();
    do {
      conclusions.add(conclusion());
    } while (tokens.takeIf(","));
    double weight = 1;
    if (tokens.takeIf("WITH")) {
      Token where = tokens.here();
      weight = tokens.number();
      if (weight < 0 || weight > 1) {
        tokens.problem(where, "a weight of %s is not in 0 to 1".formatted(weight));
      }
    }
    tokens.expect(";");
    return new RuleBase.Rule(name.text(), condition, conclusions, weight, keyword.line());
  }

  private Condition condition(int depth) throws Unreadable {
    Condition left = part(depth);
    String first = "";
    while (tokens.here().is("AND") || tokens.here().is("OR")) {
      Token operator = tokens.take();
      if (!first.isEmpty() && !first.equals(operator.upper())) {
        tokens.problem(
            operator,
            "AND and OR are side by side: put one of them in parentheses, since engines disagree on"
                + " which binds closer");
      }
      first = operator.upper();
      Condition right = part(depth);
      left = operator.is("AND") ? new Condition.And(left, right) : new Condition.Or(left, right);
    }
    return left;
  }

  private Condition part(int depth) throws Unreadable {
    if (depth > NESTING_MAX) {
      throw tokens.unreadable(tokens.here(), "conditions are nested too deep");
    }
    if (tokens.takeIf("NOT")) {
      return new Condition.Not(part(depth + 1));
    }
    if (tokens.takeIf("(")) {
      Condition inner = condition(depth + 1);
      tokens.expect(")");
      return inner;
    }
    Token variable = tokens.name("an input");
    int input = index(inputs, RuleBase.Input::name, variable.text());
    if (input < 0) {
      throw tokens.unreadable(
          variable,
          "'%s' is not an input; known are %s"
              .formatted(variable.text(), names(inputs, RuleBase.Input::name)));
    }
    tokens.expect("IS");
    boolean negated = tokens.takeIf("NOT");
    int term = term(variable, inputs.get(input).terms());
    return new Condition.Is(input, term, negated);
  }

  private Conclusion conclusion() throws Unreadable {
    Token variable = tokens.name("an output");
    int output = index(outputs, RuleBase.Output::name, variable.text());
    if (output < 0) {
      throw tokens.unreadable(
          variable,
          "'%s' is not an output with a DEFUZZIFY; known are %s"
              .formatted(variable.text(), names(outputs, RuleBase.Output::name)));
    }
    tokens.expect("IS");
    if (tokens.here().is("NOT")) {
      throw tokens.unreadable(tokens.here(), "a conclusion cannot be negated");
    }
    return new Conclusion(output, term(variable, outputs.get(output).terms()));
  }

  private int term(Token variable, List<RuleBase.Term> terms) throws Unreadable {
    Token token = tokens.name("a term");
    int index = index(terms, RuleBase.Term::name, token.text());
    if (index < 0) {
      throw tokens.unreadable(
          token,
          "'%s' is not a term of %s; known are %s"
              .formatted(token.text(), variable.text(), names(terms, RuleBase.Term::name)));
    }
    return index;
  }

  private static <T> int index(List<T> all, Function<T, String> name, String wanted) {
    for (int i = 0; i < all.size(); i++) {
      if (name.apply(all.get(i)).equals(wanted)) {
        return i;
      }
    }
    return -1;
  }

  private static <T> String names(List<T> all, Function<T, String> name) {
    return all.isEmpty() ? "none" : all.stream().map(name).collect(Collectors.joining(", "));
  }
}
