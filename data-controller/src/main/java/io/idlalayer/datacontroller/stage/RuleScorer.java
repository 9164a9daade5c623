package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.fuzzy.fcl.FclException;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngine;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Scores samples by the rules of an FCL file: the score is the output {@code life} of the rules.
 */
public final class RuleScorer implements StageScorer {
  private static final String OUTPUT = "life";
  private static final double MIDDLE = 0.5;

  private final FuzzyEngine engine;
  private final int[] factOf;
  private final int output;
  private final double[] inputs;
  private final double[] outputs;
  private final double[] strengths;

  /**
   * @throws FclException if the file is not FCL, has inputs that are not facts, or has no output
   *     {@code life}
   */
  public RuleScorer(FuzzyEngines.Kind kind, String name, String source) throws FclException {
    engine = FuzzyEngines.compile(kind, name, source);
    check(name);
    factOf = engine.inputs().stream().mapToInt(input -> fact(input).at()).toArray();
    output = engine.outputs().indexOf(OUTPUT);
    inputs = new double[factOf.length];
    outputs = new double[engine.outputs().size()];
    strengths = new double[engine.rules().size()];
  }

  private static SampleFact fact(String input) {
    return Arrays.stream(SampleFact.values())
        .filter(each -> each.key().equals(input))
        .findFirst()
        .orElseThrow();
  }

  private void check(String name) throws FclException {
    List<String> known = Arrays.stream(SampleFact.values()).map(SampleFact::key).toList();
    List<String> wrong = new ArrayList<>();
    for (String input : engine.inputs()) {
      if (!known.contains(input)) {
        wrong.add(
            "input '%s' is not known of a sample; known are %s"
                .formatted(input, known.stream().collect(Collectors.joining(", "))));
      }
    }
    if (!engine.outputs().contains(OUTPUT)) {
      wrong.add("there is no output '%s'".formatted(OUTPUT));
    }
    if (!wrong.isEmpty()) {
      throw FclException.of(name, wrong);
    }
  }

  @Override
  public double score(double[] facts) {
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = facts[factOf[i]];
    }
    engine.evaluate(inputs, outputs, strengths);
    double life = outputs[output];
    return Double.isNaN(life) ? MIDDLE : life;
  }

  @Override
  public List<String> rules() {
    return engine.rules();
  }

  @Override
  public double[] strengths() {
    return strengths;
  }
}
