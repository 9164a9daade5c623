package io.idlalayer.benchmarks.campaign.input;

import io.idlalayer.benchmarks.campaign.input.Draft.Spoil;
import io.idlalayer.benchmarks.campaign.input.InputSettings.Missing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Makes malformed events out of good ones. One kind of fault is the commonest of an input. */
final class FaultDraw {
  private static final int MUCH = 20_000;
  private static final List<String> NO_NUMBERS =
      List.of(
          "1d", "1f", "0x1p3", "1_000", "12 kg", "abc", "--1", "1.2.3", "9e", "1e400", "-1e400");

  private final InputSettings settings;
  private final Theme theme;
  private final SplittableRandom random;
  private final List<Fault> faults = new ArrayList<>();
  private final Fault commonest;

  private interface Fault {
    Draft of(Draft good);
  }

  FaultDraw(InputSettings settings, Theme theme, SplittableRandom random) {
    this.settings = settings;
    this.theme = theme;
    this.random = random;
    switch (theme) {
      case STRANGE_LABELS -> faults.add(this::strangeLabel);
      case STRAY_BYTES -> faults.add(good -> spoil(good, Spoil.LATIN_1));
      case LONG -> faults.add(this::tooLong);
      default -> usual();
    }
    commonest = faults.get(random.nextInt(faults.size()));
  }

  private void usual() {
    String field = settings.numbers().get(random.nextInt(settings.numbers().size()));
    faults.add(good -> value(good, field, pick(NO_NUMBERS), Refusal.NO_NUMBER));
    if (settings.missing() == Missing.REFUSE) {
      faults.add(good -> value(good, field, "", Refusal.MISSING));
      faults.add(good -> value(good, field, "NaN", Refusal.NO_NUMBER));
    }
    if (theme == Theme.NOTATION) {
      faults.add(good -> value(good, field, "12" + group() + "34" + group() + "567"));
    }
    if (settings.regression()) {
      faults.add(good -> value(good, settings.label(), "12 kg", Refusal.NO_NUMBER));
    } else {
      faults.add(this::strangeLabel);
    }
    if (settings.classes().contains("250.10")) {
      faults.add(good -> value(good, settings.label(), "250.100", Refusal.SEVERAL_CLASSES));
    }
    for (String time : settings.times()) {
      faults.add(good -> value(good, time, "03/05/2024", Refusal.NO_TIME));
      faults.add(good -> value(good, time, "yesterday", Refusal.NO_TIME));
    }
    List<Spoil> whole =
        settings.json()
            ? List.of(
                Spoil.TRUNCATED,
                Spoil.BARE_NAN,
                Spoil.SINGLE_QUOTES,
                Spoil.COMMA_AT_END,
                Spoil.LEADING_ZERO,
                Spoil.LEVELS,
                Spoil.DIGITS,
                Spoil.SECOND_OBJECT,
                Spoil.LABEL_TWICE,
                Spoil.OBJECT_FOR_LABEL)
            : List.of(Spoil.FIELD_TOO_FEW, Spoil.FIELD_TOO_MUCH, Spoil.TEXT_AFTER_QUOTE);
    for (Spoil each : whole) {
      faults.add(good -> spoil(good, each));
    }
  }

  private String group() {
    return settings.thousands().isEmpty() ? "." : settings.thousands();
  }

  /** Returns a malformed event, three of four times with the commonest fault. */
  Draft spoil(Draft good) {
    return (random.nextInt(4) > 0 ? commonest : pick(faults)).of(simple(good));
  }

  Draft spoil(Draft good, Spoil spoil) {
    Map<String, String> values = new HashMap<>(simple(good).values());
    if (spoil == Spoil.LATIN_1) {
      values.put(settings.categories().get(0), "Müller");
    }
    return new Draft(values, "", spoil, spoil.reading());
  }

  /** Returns an event whose texts need no quotes and have no line ends. */
  private Draft simple(Draft good) {
    Map<String, String> values = new HashMap<>(good.values());
    settings.categories().forEach(name -> values.put(name, "A"));
    return new Draft(values, good.asIs(), good.spoil(), good.reading());
  }

  private Draft value(Draft good, String field, String text) {
    return value(good, field, text, Refusal.NO_NUMBER);
  }

  private static Draft value(Draft good, String field, String text, Refusal refusal) {
    Map<String, String> values = new HashMap<>(good.values());
    values.put(field, text);
    return new Draft(values, field, Spoil.NONE, Reading.refused(refusal));
  }

  private Draft strangeLabel(Draft good) {
    String label = pick(List.of("perhaps", "7777", "unknown class", "1e", "null"));
    return value(good, settings.label(), label, Refusal.NO_CLASS);
  }

  private Draft tooLong(Draft good) {
    int more = random.nextInt(20) == 0 ? MUCH : 0;
    String text = "long ".repeat(SettingsDraw.SHORT_BYTES / 4 + random.nextInt(500) + more);
    return value(good, settings.categories().get(0), text, Refusal.TOO_LONG);
  }

  /** Returns an event whose label is counted from 1, so that the last class has none. */
  Draft labelFromOne(Draft good) {
    int index = settings.classes().indexOf(good.reading().label()) + 1;
    String label = Integer.toString(index);
    if (index == settings.classes().size()) {
      return value(good, settings.label(), label, Refusal.NO_CLASS);
    }
    Map<String, String> values = new HashMap<>(good.values());
    values.put(settings.label(), label);
    return new Draft(values, "", Spoil.NONE, Reading.of("", good.reading().features(), label));
  }

  private <T> T pick(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
