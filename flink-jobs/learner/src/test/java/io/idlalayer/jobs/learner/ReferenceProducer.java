package io.idlalayer.jobs.learner;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Writes random events: of few ids and few contents, with numbers in one of their notations, and
 * with a unit and a level that change.
 */
final class ReferenceProducer {
  private static final int IDS = 12;

  /** Factors of units. */
  private static final List<BigDecimal> FACTORS =
      List.of(BigDecimal.ONE, new BigDecimal(1_000), new BigDecimal("0.001"));

  /** Levels on which numbers of 32 bits cannot be told apart, and where numbers of 64 bits can. */
  private static final List<BigDecimal> LEVELS =
      List.of(
          BigDecimal.ZERO,
          new BigDecimal(1_000_000_000),
          new BigDecimal(-1_700_000_000_000L),
          new BigDecimal((1L << 53) - 8));

  private final ReferenceForm form;
  private final SplittableRandom random;
  private final List<ReferenceEvent> sent = new ArrayList<>();
  private BigDecimal factor = BigDecimal.ONE;
  private BigDecimal level = BigDecimal.ZERO;

  ReferenceProducer(ReferenceForm form, SplittableRandom random) {
    this.form = form;
    this.random = random;
  }

  /** From now on numbers are in another unit, and on another level. */
  void changeUnit() {
    factor = FACTORS.get(random.nextInt(FACTORS.size()));
    level = LEVELS.get(random.nextInt(LEVELS.size()));
  }

  /** Draws an event; one in four is one that was sent before. */
  ReferenceEvent next() {
    ReferenceEvent event =
        !sent.isEmpty() && random.nextInt(4) == 0 ? sent.get(random.nextInt(sent.size())) : draw();
    sent.add(event);
    return event;
  }

  /** Draws an id. */
  String id() {
    return "e" + random.nextInt(IDS);
  }

  private ReferenceEvent draw() {
    String id = random.nextInt(4) == 0 ? "" : id();
    Map<String, String> features = new LinkedHashMap<>();
    boolean labelOnly = random.nextInt(4) == 0;
    if (!labelOnly && random.nextInt(8) > 0) {
      features.put("price", price());
    }
    if (!labelOnly && random.nextBoolean()) {
      features.put("age", random.nextInt(6) == 0 ? missing() : number(random.nextInt(3)));
    }
    if (!labelOnly && random.nextBoolean()) {
      features.put("site", random.nextInt(6) == 0 ? "null" : "\"" + site() + "\"");
    }
    boolean labelled = labelOnly || random.nextBoolean();
    boolean weighted = form.weighted() && random.nextInt(4) > 0;
    return new ReferenceEvent(
        id,
        features,
        labelled ? label() : random.nextInt(4) == 0 ? "\"\"" : null,
        weighted ? weight() : null,
        random.nextInt(40) == 0);
  }

  private String price() {
    return !form.weightless() && random.nextInt(30) == 0
        ? number(BigDecimal.valueOf(ReferenceEvent.CULPRIT))
        : measured();
  }

  private String label() {
    if (form.targets()) {
      return measured();
    }
    int label = random.nextInt(2);
    return switch (random.nextInt(6)) {
      case 0 -> "\"0" + label + "\"";
      case 1 -> label == 1 ? "true" : "false";
      default -> number(label);
    };
  }

  private String weight() {
    int least = form.weightless() ? 0 : 1;
    return number(BigDecimal.valueOf(least + random.nextInt(4), 1).multiply(BigDecimal.valueOf(5)));
  }

  private String site() {
    return List.of("a", "A", "a ", "0").get(random.nextInt(4));
  }

  private String missing() {
    return List.of("null", "\"\"", "\"" + ReferenceForm.NO_AGE + "\"").get(random.nextInt(3));
  }

  /** A small whole number in the unit and on the level. */
  private String measured() {
    return number(level.add(factor.multiply(new BigDecimal(random.nextInt(3)))));
  }

  private String number(int value) {
    return number(new BigDecimal(value));
  }

  private String number(BigDecimal value) {
    return switch (random.nextInt(8)) {
      case 0 -> "\"" + value.toPlainString() + "\"";
      case 1 -> "\" " + value.toPlainString() + " \"";
      case 2 -> value.setScale(value.scale() + 1).toPlainString();
      case 3 -> value.unscaledValue() + "e" + -value.scale();
      default -> value.toPlainString();
    };
  }
}
