package io.idlalayer.middleware.fuzzy.fcl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares both engines on every rule file of the tests. Needs jFuzzyLogic, which no repository of
 * artifacts has: IDLA_JFUZZYLOGIC names its jar and those it needs, separated as in a class path.
 */
class JFuzzyLogicEngineTest {
  static List<String> files() {
    return RuleFiles.ALL;
  }

  private static ClassLoader jars(String path) throws MalformedURLException {
    String[] files = path.split(File.pathSeparator);
    URL[] urls = new URL[files.length];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = new File(files[i]).toURI().toURL();
    }
    return new URLClassLoader(urls, JFuzzyLogicEngineTest.class.getClassLoader());
  }

  @ParameterizedTest
  @MethodSource("files")
  void bothEngines_answerTheSame(String file) throws Exception {
    String path = System.getenv("IDLA_JFUZZYLOGIC");
    assumeTrue(path != null, "IDLA_JFUZZYLOGIC is not set");
    RuleBase base = FclParser.parse(file, RuleFiles.read(file));
    FuzzyEngine own = new CompiledRules(base);
    FuzzyEngine other = new JFuzzyLogicEngine(file, base, jars(path));
    int width = own.inputs().size();
    double[] inputs = new double[width];
    double[] ours = new double[own.outputs().size()];
    double[] theirs = new double[ours.length];
    double[] ourStrengths = new double[own.rules().size()];
    double[] theirStrengths = new double[ourStrengths.length];
    for (int point = 0; point < 1000; point++) {
      for (int j = 0; j < width; j++) {
        inputs[j] = (point * (7 + 13L * j) % 101) * 0.1;
      }
      own.evaluate(inputs, ours, ourStrengths);
      other.evaluate(inputs, theirs, theirStrengths);
      assertThat(ourStrengths).containsExactly(theirStrengths, within(1e-12));
      for (int output = 0; output < ours.length; output++) {
        assertThat(ours[output])
            .as(
                "%s of %s at %s",
                own.outputs().get(output), file, java.util.Arrays.toString(inputs))
            .isCloseTo(theirs[output], within(1e-6 * Math.max(1, Math.abs(theirs[output]))));
      }
    }
  }
}
