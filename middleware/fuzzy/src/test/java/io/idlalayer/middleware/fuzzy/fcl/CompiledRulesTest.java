package io.idlalayer.middleware.fuzzy.fcl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CompiledRulesTest {
  static java.util.List<String> files() {
    return RuleFiles.ALL;
  }

  private static double evaluate(FuzzyEngine engine, double... inputs) {
    double[] outputs = new double[engine.outputs().size()];
    engine.evaluate(inputs, outputs, new double[engine.rules().size()]);
    return outputs[0];
  }

  @Test
  void takagiSugeno_isTheExampleOfTheSpec() throws FclException {
    FuzzyEngine engine = RuleFiles.engine("sugeno.fcl");
    double[] outputs = new double[1];
    double[] strengths = new double[2];
    engine.evaluate(new double[] {0.8, 2, 0.6, 1}, outputs, strengths);

    assertThat(outputs[0]).isCloseTo(0.956, within(1e-12));
    assertThat(strengths).containsExactly(new double[] {0.4, 0.6}, within(1e-12));
    assertThat(evaluate(engine, 0.8, 2, 0, 1)).isCloseTo(0.4 + 0.2 + 0.05, within(1e-12));
  }

  @Test
  void mamdani_oneRule_isTheCentreOfItsTerm() throws FclException {
    FuzzyEngine engine = RuleFiles.engine("service.fcl");

    assertThat(engine.inputs()).containsExactly("kindness", "taste");
    assertThat(engine.outputs()).containsExactly("tip");
    assertThat(engine.rules())
        .containsExactly(
            "RULE 1: IF kindness IS poor OR taste IS rancid THEN tip IS cheap",
            "RULE 2: IF kindness IS good THEN tip IS average",
            "RULE 3: IF kindness IS excellent AND taste IS delicious THEN tip IS generous"
                + " WITH 0.8");
    assertThat(evaluate(engine, 5, 5)).isCloseTo(15, within(1e-4));
    assertThat(evaluate(engine, 0, 5)).isCloseTo(5, within(1e-4));
    assertThat(evaluate(engine, 10, 10)).isCloseTo(25, within(1e-4));
    assertThat(evaluate(engine, 10, 5)).isZero();
  }

  @ParameterizedTest
  @MethodSource("files")
  void compiled_isTheLiteralReading(String file) throws FclException {
    RuleBase base = FclParser.parse(file, RuleFiles.read(file));
    LiteralRules literal = new LiteralRules(base);
    FuzzyEngine engine = new CompiledRules(base);
    int width = engine.inputs().size();
    double[] outputs = new double[engine.outputs().size()];
    double[] before = new double[outputs.length];
    double[] inputs = new double[width];
    for (int point = 0; point < 2000; point++) {
      for (int j = 0; j < width; j++) {
        inputs[j] = (point * (7 + 13L * j) % 101) * 0.11 - 0.5;
      }
      engine.evaluate(inputs, outputs, new double[engine.rules().size()]);
      for (int output = 0; output < outputs.length; output++) {
        double expected = literal.evaluate(output, inputs);
        double fallback = base.outputs().get(output).defaultValue();
        if (Double.isNaN(expected)) {
          expected = Double.isNaN(fallback) && point > 0 ? before[output] : fallback;
        }
        if (Double.isNaN(expected)) {
          assertThat(outputs[output]).isNaN();
        } else {
          assertThat(outputs[output]).isCloseTo(expected, within(1e-9));
        }
        before[output] = outputs[output];
      }
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void writtenAgain_isTheSameRuleBase(String file) throws FclException {
    RuleBase base = FclParser.parse(file, RuleFiles.read(file));
    String text = new RuleText(base).file();
    RuleBase again = FclParser.parse("again", text);

    assertThat(again.inputs()).isEqualTo(base.inputs());
    assertThat(new RuleText(again).file()).isEqualTo(text);
  }

  @Test
  void noRuleFires_defaultOrTheValueBefore() throws FclException {
    String source = RuleFiles.read("service.fcl");
    FuzzyEngine keeps =
        FuzzyEngines.compile(
            FuzzyEngines.Kind.BUILT_IN, "x", source.replace("DEFAULT := 0", "DEFAULT := NC"));

    assertThat(evaluate(keeps, 10, 5)).isNaN();
    assertThat(evaluate(keeps, 5, 5)).isCloseTo(15, within(1e-4));
    assertThat(evaluate(keeps, 10, 5)).isCloseTo(15, within(1e-4));
  }

  @Test
  void wrongInputs_areNamed() throws FclException {
    FuzzyEngine engine = RuleFiles.engine("service.fcl");
    assertThatThrownBy(() -> evaluate(engine, 1, Double.NaN))
        .hasMessage("input taste of the rules is NaN");
    assertThatThrownBy(() -> evaluate(engine, 1)).hasMessage("the rules take 2 inputs, not 1");
  }

  @ParameterizedTest
  @MethodSource("files")
  void evaluating_allocatesNothing(String file) throws FclException {
    FuzzyEngine engine = RuleFiles.engine(file);
    double[] inputs = new double[engine.inputs().size()];
    double[] outputs = new double[engine.outputs().size()];
    double[] strengths = new double[engine.rules().size()];
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < 500; i++) {
      inputs[0] = i % 10;
      engine.evaluate(inputs, outputs, strengths);
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 2000; i++) {
      inputs[0] = i % 10;
      engine.evaluate(inputs, outputs, strengths);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(2000);
  }
}
