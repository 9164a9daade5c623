package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.NumberNotation;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Labels against classes of any names, compared with a reader written from the documentation. */
final class ClassNamesPropertyTest {
  private static final String[] WHOLES = {"0", "1", "2", "00", "01", "10", "-1", "+1", "250"};
  private static final String[] ENDS = {
    "", "", "", ".", ".0", ".10", ".1", "e0", "e1", "E-1", "d", "f", " "
  };
  private static final String[] WORDS = {
    "yes", "no", "true", "false", "True", "NaN", "Infinity", "0x1p3", "a", " a", "1,0", "\u0661"
  };

  private static String drawn(SplittableRandom random) {
    return random.nextInt(4) == 0
        ? WORDS[random.nextInt(WORDS.length)]
        : WHOLES[random.nextInt(WHOLES.length)] + ENDS[random.nextInt(ENDS.length)];
  }

  /** The number that a text is, by the documentation; null if it is none. */
  private static BigDecimal number(String text) {
    String word = text.strip();
    if (Set.of("true", "True", "TRUE").contains(word)) {
      return BigDecimal.ONE;
    }
    if (Set.of("false", "False", "FALSE").contains(word)) {
      return BigDecimal.ZERO;
    }
    return word.matches("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?")
        ? new BigDecimal(word)
        : null;
  }

  /** The classes that a label may mean, by the documentation. */
  private static List<Integer> meant(List<String> names, String label) {
    if (names.contains(label)) {
      return List.of(names.indexOf(label));
    }
    if (names.contains(label.strip())) {
      return List.of(names.indexOf(label.strip()));
    }
    BigDecimal number = number(label);
    return IntStream.range(0, names.size())
        .filter(i -> number != null && number(names.get(i)) != null)
        .filter(i -> number.compareTo(number(names.get(i))) == 0)
        .boxed()
        .toList();
  }

  @Property(tries = 3000)
  void index_ofAnyLabel_isTheOneClassThatItMeans(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Set<String> distinct = new LinkedHashSet<>();
    int count = 2 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      distinct.add(drawn(random));
    }
    List<String> names = new ArrayList<>(distinct);
    ClassNames classes =
        new ClassNames(
            new SampleSchema.Label("y", Task.CLASSIFICATION, names), NumberNotation.PLAIN);
    for (int i = 0; i < 8; i++) {
      String label = random.nextBoolean() ? drawn(random) : names.get(random.nextInt(names.size()));
      List<Integer> meant = meant(names, label);
      try {
        int index = classes.index(label);
        assertThat(meant).as("%s in %s", label, names).containsExactly(index);
      } catch (MalformedSampleException refused) {
        assertThat(meant.size()).as("%s in %s", label, names).isNotEqualTo(1);
        assertThat(refused.getMessage())
            .contains(meant.isEmpty() ? "is none of the" : "as a number equals several classes");
      }
    }
  }
}
