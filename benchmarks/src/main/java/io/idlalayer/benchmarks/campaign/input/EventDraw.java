package io.idlalayer.benchmarks.campaign.input;

import io.idlalayer.benchmarks.campaign.input.Draft.Spoil;
import io.idlalayer.benchmarks.campaign.input.InputSettings.Missing;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;

/** Draws the events of an input for a theme. Contents differ, except where they are to be equal. */
final class EventDraw {
  private static final int FEW = 120;
  private static final int MORE = 160;
  private static final int PRIME = 10_007;
  private static final List<BigDecimal> FACTORS =
      List.of(
          new BigDecimal("0.000001"),
          new BigDecimal("0.001"),
          BigDecimal.ZERO,
          BigDecimal.TEN,
          new BigDecimal("-1000"),
          new BigDecimal("1000"),
          new BigDecimal("1000000"));
  private static final List<String> TEXTS =
      List.of("A", "B", "a b", " a", "Zürich", "Genève", "it's", "5\" disk", "x;y,z|w", "null");
  private static final List<String> ODD_TEXTS =
      List.of("\"quoted\"", "\u0001\u001b[31m", "one\ntwo", "tab\there", "a::b", "<b>&amp;</b>");

  private final InputSettings settings;
  private final Theme theme;
  private final SplittableRandom random;
  private final FaultDraw faults;
  private final int timeForm;
  private final double faultShare;
  private final BigDecimal factor;
  private int made;

  EventDraw(InputSettings settings, Theme theme, SplittableRandom random) {
    this.settings = settings;
    this.theme = theme;
    this.random = random;
    faults = new FaultDraw(settings, theme, random);
    timeForm = random.nextInt(TimeTexts.FORMS);
    faultShare = faultShare();
    factor = FACTORS.get(random.nextInt(FACTORS.size()));
  }

  private double faultShare() {
    return switch (theme) {
      case ALL_MALFORMED -> 1;
      case STRANGE_LABELS, STRAY_BYTES, LONG -> 0.1 + 0.4 * random.nextDouble();
      case FIELD_CASE,
          NESTED,
          ONE_TO_K,
          STRAY_QUOTE,
          UNIT,
          UNIT_OF_FEATURE,
          OUTLIERS,
          LABELS_ALONE ->
          0;
      default -> random.nextInt(3) == 0 ? 0 : 0.3 * random.nextDouble();
    };
  }

  List<Draft> draw() {
    int count = FEW + random.nextInt(MORE);
    List<Draft> events = new ArrayList<>();
    if (theme == Theme.EMPTY) {
      return events;
    }
    if (theme.withIds()) {
      new IdScripts(settings, theme, random, this::good).draw(count, events);
    } else {
      for (int i = 0; i < count; i++) {
        boolean again = theme == Theme.REPEATS && i > 0 && random.nextInt(3) == 0;
        events.add(again ? events.get(random.nextInt(i)) : single(i, count));
      }
    }
    int bad = (int) Math.round(faultShare * events.size());
    if (theme == Theme.ALL_MALFORMED) {
      events.replaceAll(this::spoiled);
    } else {
      for (int i = 0; i < bad; i++) {
        events.add(random.nextInt(events.size() + 1), spoiled(good()));
      }
    }
    if (theme == Theme.STRAY_QUOTE) {
      events.set(random.nextInt(events.size()), faults.spoil(good(), Spoil.OPEN_QUOTE));
    }
    return events;
  }

  private Draft single(int number, int count) {
    Draft good = good();
    return switch (theme) {
      case REPEATS -> random.nextInt(5) == 0 ? IdScripts.without(good, settings.label()) : good;
      case UNLABELLED -> IdScripts.without(good, settings.label());
      case ONE_TO_K -> faults.labelFromOne(good);
      case UNIT -> number < count / 2 ? good : with(good, settings.label(), target(good));
      case UNIT_OF_FEATURE -> number < count / 2 ? good : feature(good);
      case OUTLIERS -> number == count / 2 ? outlier(good) : good;
      default -> good;
    };
  }

  private Draft spoiled(Draft good) {
    Draft spoiled = faults.spoil(good);
    if (settings.id().isEmpty() || random.nextBoolean()) {
      return spoiled;
    }
    Map<String, String> values = new HashMap<>(spoiled.values());
    values.put(settings.id(), "malformed " + made);
    return new Draft(values, spoiled.asIs(), spoiled.spoil(), spoiled.reading());
  }

  /** Returns a good event with a label, whose content no other one has. */
  private Draft good() {
    int number = made++;
    Map<String, String> values = new HashMap<>();
    List<String> features = new ArrayList<>();
    BigDecimal first = BigDecimal.valueOf((long) number * PRIME % 2_000_003 - 1_000_000, 4);
    for (String name : settings.numbers()) {
      boolean unique = name.equals(settings.numbers().get(0));
      BigDecimal value = unique ? first : BigDecimal.valueOf(random.nextLong(-9_000, 9_000), 2);
      if (theme == Theme.OFFSET && unique) {
        value = value.add(BigDecimal.valueOf(1_700_000_000_000L));
      }
      if (theme == Theme.NOTATION) {
        value = value.multiply(BigDecimal.valueOf(1_000));
      }
      boolean missing = theme == Theme.MISSING && !unique && random.nextInt(6) == 0;
      if (missing) {
        missing(name, values);
        features.add(missingForm());
      } else {
        boolean truth = !unique && random.nextInt(20) == 0 && theme != Theme.NOTATION;
        values.put(name, truth ? "true" : value.toPlainString());
        features.add(truth ? "1" : canonical(value));
      }
    }
    for (String name : settings.times()) {
      String time = TimeTexts.text(timeForm, random);
      values.put(name, time);
      features.add(time);
    }
    for (String name : settings.categories()) {
      String text = category();
      boolean never = theme == Theme.FIELD_CASE || theme == Theme.NESTED;
      values.put(name, text);
      features.add(never ? "" : text);
    }
    String label = label(first, values);
    return new Draft(
        values, "", Spoil.NONE, Reading.of("", String.join("\u0001", features), label));
  }

  private void missing(String name, Map<String, String> values) {
    List<String> texts = settings.missingTexts();
    if (random.nextBoolean() && !texts.isEmpty()) {
      values.put(name, texts.get(random.nextInt(texts.size())));
    }
  }

  private String missingForm() {
    boolean zero = settings.missing() == Missing.ZERO && !settings.indicator();
    return zero ? "0" : "missing";
  }

  private String category() {
    boolean odd = theme != Theme.STRAY_QUOTE && random.nextInt(8) == 0;
    List<String> from = odd ? ODD_TEXTS : TEXTS;
    if (theme == Theme.STRAY_QUOTE) {
      from = List.of("A", "B");
    }
    return from.get(random.nextInt(from.size()));
  }

  private String label(BigDecimal first, Map<String, String> values) {
    if (settings.regression()) {
      BigDecimal target = first.multiply(BigDecimal.valueOf(3)).add(BigDecimal.ONE);
      if (theme == Theme.OFFSET) {
        target = target.add(BigDecimal.valueOf(1_000_000_000L));
      }
      values.put(settings.label(), target.toPlainString());
      return canonical(target);
    }
    int index = first.signum() > 0 ? 0 : 1 + random.nextInt(settings.classes().size() - 1);
    String name = settings.classes().get(index);
    values.put(settings.label(), name);
    return name;
  }

  private BigDecimal target(Draft good) {
    return new BigDecimal(good.values().get(settings.label())).multiply(factor);
  }

  private Draft feature(Draft good) {
    String name = settings.numbers().get(1);
    BigDecimal value = BigDecimal.valueOf(random.nextLong(-9_000, 9_000), 2).multiply(factor);
    Map<String, String> values = new HashMap<>(good.values());
    values.put(name, value.toPlainString());
    String[] features = good.reading().features().split("\u0001", -1);
    features[1] = canonical(value);
    Reading reading = Reading.of("", String.join("\u0001", features), good.reading().label());
    return new Draft(values, "", Spoil.NONE, reading);
  }

  private Draft outlier(Draft good) {
    return with(good, settings.label(), new BigDecimal("3e38"));
  }

  private static Draft with(Draft good, String label, BigDecimal target) {
    Map<String, String> values = new HashMap<>(good.values());
    values.put(label, target.toPlainString());
    return new Draft(
        values, "", Spoil.NONE, Reading.of("", good.reading().features(), canonical(target)));
  }

  private static String canonical(BigDecimal value) {
    return value.signum() == 0 ? "0" : value.stripTrailingZeros().toString();
  }

  static <T> void shuffle(List<T> list, SplittableRandom random) {
    Collections.shuffle(list, new Random(random.nextLong()));
  }
}
