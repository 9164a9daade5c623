package io.idlalayer.middleware.fuzzy.fcl;

import io.idlalayer.middleware.fuzzy.fcl.FclLexer.Token;
import io.idlalayer.middleware.fuzzy.fcl.FclTokens.Unreadable;
import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses a rule file in Fuzzy Control Language (IEC 61131-7) and reports all of its problems, not
 * only the first. Keywords are of any case, names of exactly one. Variables and terms come before
 * the rules that use them.
 */
final class FclParser {
  private static final Set<String> SECTIONS =
      Set.of("VAR_INPUT", "VAR_OUTPUT", "FUZZIFY", "DEFUZZIFY", "RULEBLOCK");

  private static final Membership UNREAD =
      new Membership.Points(new double[] {0}, new double[] {0});

  private final List<FclException.Problem> problems = new ArrayList<>();
  private final FclTokens tokens;
  private final List<String> inputNames = new ArrayList<>();
  private final List<String> outputNames = new ArrayList<>();
  private final List<RuleBase.Input> inputs = new ArrayList<>();
  private final List<RuleBase.Output> outputs = new ArrayList<>();
  private final List<RuleBase.Block> blocks = new ArrayList<>();

  private FclParser(String source) {
    tokens = new FclTokens(FclLexer.tokens(source, problems), problems);
  }

  /** Parses the text of a rule file. */
  static RuleBase parse(String fileName, String source) throws FclException {
    FclParser parser = new FclParser(source);
    RuleBase base = null;
    try {
      base = parser.file();
    } catch (Unreadable noted) {
      // The problem is in the list.
    }
    if (base == null || !parser.problems.isEmpty()) {
      throw new FclException(fileName, parser.problems);
    }
    return base;
  }

  private RuleBase file() throws Unreadable {
    tokens.expect("FUNCTION_BLOCK");
    boolean named = !SECTIONS.contains(tokens.here().upper());
    String name = named ? tokens.name("the name of the function block").text() : "rules";
    while (!tokens.takeIf("END_FUNCTION_BLOCK")) {
      if (tokens.ended()) {
        throw tokens.unreadable(tokens.here(), "END_FUNCTION_BLOCK is missing");
      }
      section();
    }
    if (!tokens.ended()) {
      tokens.problem(tokens.here(), "a file has one function block; what follows is not read");
    }
    complete();
    return new RuleBase(name, inOrder(), outputsInOrder(), blocks);
  }

  private void section() throws Unreadable {
    Token keyword = tokens.take();
    try {
      switch (keyword.upper()) {
        case "VAR_INPUT" -> variables(inputNames);
        case "VAR_OUTPUT" -> variables(outputNames);
        case "FUZZIFY" -> fuzzify();
        case "DEFUZZIFY" -> defuzzify();
        case "RULEBLOCK" -> blocks.add(new FclRules(tokens, inOrder(), outputsInOrder()).block());
        default ->
            throw tokens.unreadable(
                keyword,
                "VAR_INPUT, VAR_OUTPUT, FUZZIFY, DEFUZZIFY, RULEBLOCK or END_FUNCTION_BLOCK is"
                    + " expected, not "
                    + keyword.shown());
      }
    } catch (Unreadable noted) {
      while (!tokens.ended()
          && !tokens.here().is("END_FUNCTION_BLOCK")
          && !SECTIONS.contains(tokens.here().upper())) {
        tokens.take();
      }
    }
  }

  private List<RuleBase.Input> inOrder() {
    return inputNames.stream()
        .map(
            name ->
                inputs.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElse(new RuleBase.Input(name, List.of())))
        .toList();
  }

  private List<RuleBase.Output> outputsInOrder() {
    return outputNames.stream()
        .flatMap(name -> outputs.stream().filter(each -> each.name().equals(name)))
        .toList();
  }

  private void variables(List<String> names) throws Unreadable {
    while (!tokens.takeIf("END_VAR")) {
      Token name = tokens.newName("the name of a variable or END_VAR");
      if (inputNames.contains(name.text()) || outputNames.contains(name.text())) {
        tokens.problem(name, "there is a variable '%s' already".formatted(name.text()));
      } else {
        names.add(name.text());
      }
      tokens.expect(":");
      Token type = tokens.name("REAL");
      if (!type.is("REAL")) {
        tokens.problem(type, "the type is REAL, not " + type.shown());
      }
      tokens.expect(";");
      if (tokens.here().is("RANGE")) {
        range(tokens.take());
      }
    }
  }

  private void fuzzify() throws Unreadable {
    Token variable = tokens.name("an input");
    if (!inputNames.contains(variable.text())) {
      tokens.problem(
          variable,
          "'%s' is not a VAR_INPUT; known are %s"
              .formatted(variable.text(), String.join(", ", inputNames)));
    } else if (inputs.stream().anyMatch(each -> each.name().equals(variable.text()))) {
      tokens.problem(variable, "'%s' has a FUZZIFY already".formatted(variable.text()));
    }
    List<RuleBase.Term> terms = new ArrayList<>();
    while (!tokens.takeIf("END_FUZZIFY")) {
      endOfFile("END_FUZZIFY");
      try {
        Token keyword = tokens.name("TERM or END_FUZZIFY");
        if (!keyword.is("TERM")) {
          throw tokens.unreadable(keyword, "TERM is expected, not " + keyword.shown());
        }
        term(terms);
      } catch (Unreadable noted) {
        tokens.recover("END_FUZZIFY");
      }
    }
    for (RuleBase.Term term : terms) {
      if (term.shape() instanceof Membership.Function) {
        tokens.problem(variable, "FUNCTION is for outputs; term '%s'".formatted(term.name()));
      }
    }
    inputs.add(new RuleBase.Input(variable.text(), terms));
  }

  private void endOfFile(String end) throws Unreadable {
    if (tokens.ended()) {
      throw tokens.unreadable(tokens.here(), end + " is missing");
    }
  }

  private void term(List<RuleBase.Term> terms) throws Unreadable {
    Token name = tokens.newName("the name of a term");
    if (terms.stream().anyMatch(each -> each.name().equals(name.text()))) {
      tokens.problem(name, "there is a term '%s' already".formatted(name.text()));
    }
    int at = terms.size();
    // Kept even if its shape cannot be read, so that rules that use it are not wrong as well.
    terms.add(new RuleBase.Term(name.text(), UNREAD));
    tokens.expect(":=");
    Membership shape = new FclTerms(tokens, inputNames).shape();
    terms.set(at, new RuleBase.Term(name.text(), shape));
  }

  /** The parts of a DEFUZZIFY section that were parsed so far. */
  private static final class Draft {
    final List<RuleBase.Term> terms = new ArrayList<>();
    Method method = Method.COG;
    double defaultValue = Double.NaN;
    RuleBase.@Nullable Range range;
  }

  private void defuzzify() throws Unreadable {
    Token variable = tokens.name("an output");
    if (!outputNames.contains(variable.text())) {
      tokens.problem(
          variable,
          "'%s' is not a VAR_OUTPUT; known are %s"
              .formatted(variable.text(), String.join(", ", outputNames)));
    } else if (outputs.stream().anyMatch(each -> each.name().equals(variable.text()))) {
      tokens.problem(variable, "'%s' has a DEFUZZIFY already".formatted(variable.text()));
    }
    Draft draft = new Draft();
    while (!tokens.takeIf("END_DEFUZZIFY")) {
      endOfFile("END_DEFUZZIFY");
      try {
        item(draft);
      } catch (Unreadable noted) {
        tokens.recover("END_DEFUZZIFY");
      }
    }
    check(variable, draft);
    outputs.add(
        new RuleBase.Output(
            variable.text(), draft.terms, draft.method, draft.defaultValue, draft.range));
  }

  private void item(Draft draft) throws Unreadable {
    Token keyword = tokens.name("TERM, METHOD, DEFAULT, RANGE or END_DEFUZZIFY");
    switch (keyword.upper()) {
      case "TERM" -> term(draft.terms);
      case "METHOD" -> draft.method = method();
      case "DEFAULT" -> {
        tokens.expect(":=");
        draft.defaultValue = tokens.takeIf("NC") ? Double.NaN : tokens.number();
        tokens.expect(";");
      }
      case "RANGE" -> draft.range = range(keyword);
      default ->
          throw tokens.unreadable(
              keyword,
              "TERM, METHOD, DEFAULT, RANGE or END_DEFUZZIFY is expected, not " + keyword.shown());
    }
  }

  private Method method() throws Unreadable {
    tokens.expect(":");
    Token token = tokens.name("a method");
    tokens.expect(";");
    return switch (token.upper()) {
      case "COG" -> Method.COG;
      case "COGS", "COGF" -> Method.COGS;
      case "COA" -> Method.COA;
      case "MM", "MOM" -> Method.MM;
      case "LM" -> Method.LM;
      case "RM" -> Method.RM;
      default ->
          throw tokens.unreadable(
              token,
              "'%s' is not a method; known are COG, COGS, COGF, COA, MM, MOM, LM, RM"
                  .formatted(token.text()));
    };
  }

  private RuleBase.Range range(Token keyword) throws Unreadable {
    tokens.expect(":=");
    tokens.expect("(");
    double low = tokens.number();
    tokens.expect("..");
    double high = tokens.number();
    tokens.expect(")");
    tokens.expect(";");
    if (!(low < high)) {
      tokens.problem(keyword, "a range from %s to %s is empty".formatted(low, high));
    }
    return new RuleBase.Range(low, high);
  }

  private void check(Token variable, Draft draft) {
    for (RuleBase.Term term : draft.terms) {
      boolean point =
          term.shape() instanceof Membership.Singleton
              || term.shape() instanceof Membership.Function;
      if (point != draft.method.discrete() && !term.shape().equals(UNREAD)) {
        tokens.problem(
            variable,
            "method %s does not fit term '%s': COGS and COGF take numbers and functions, the"
                    .formatted(draft.method, term.name())
                + " others take shapes");
      }
    }
    if (draft.terms.isEmpty()) {
      tokens.problem(variable, "'%s' has no term".formatted(variable.text()));
    }
  }

  private void complete() {
    Token end = tokens.here();
    String missing =
        outputNames.stream()
            .filter(name -> outputs.stream().noneMatch(each -> each.name().equals(name)))
            .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) {
      tokens.problem(end, "DEFUZZIFY is missing for " + missing);
    }
    if (outputNames.isEmpty()) {
      tokens.problem(end, "there is no VAR_OUTPUT");
    }
    if (blocks.stream().allMatch(block -> block.rules().isEmpty())) {
      tokens.problem(end, "there is no rule");
    }
  }
}
