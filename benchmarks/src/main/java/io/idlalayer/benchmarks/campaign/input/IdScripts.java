package io.idlalayer.benchmarks.campaign.input;

import io.idlalayer.benchmarks.campaign.input.Draft.Spoil;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Draws events with ids: each id has a few events in an order of its own, and those of different
 * ids are mixed. A step is F (features and label), E (features), L (the label alone), C (other
 * features and the label).
 */
final class IdScripts {
  private static final List<String> SCRIPTS =
      List.of(
          "F", "F", "F", "F", "FF", "FFF", "EL", "EL", "LE", "LF", "E", "L", "ELL", "LL", "EE",
          "FL", "FE", "EEL", "LEL", "FC", "ECL", "EF");

  private final InputSettings settings;
  private final Theme theme;
  private final SplittableRandom random;
  private final Supplier<Draft> good;

  IdScripts(InputSettings settings, Theme theme, SplittableRandom random, Supplier<Draft> good) {
    this.settings = settings;
    this.theme = theme;
    this.random = random;
    this.good = good;
  }

  void draw(int count, List<Draft> events) {
    List<List<Draft>> scripts = new ArrayList<>();
    List<Integer> turns = new ArrayList<>();
    Draft before = good.get();
    while (turns.size() < count) {
      // Equal contents with other ids are other samples.
      Draft content = random.nextInt(4) == 0 ? before : good.get();
      before = content;
      String script =
          theme == Theme.LABELS_ALONE ? "L" : SCRIPTS.get(random.nextInt(SCRIPTS.size()));
      scripts.add(steps(script, id(scripts.size()), content));
      for (int i = 0; i < script.length(); i++) {
        turns.add(scripts.size() - 1);
      }
    }
    EventDraw.shuffle(turns, random);
    turns.forEach(turn -> events.add(scripts.get(turn).remove(0)));
  }

  private String id(int number) {
    return (random.nextBoolean() ? "e" : "Ereignis ") + number;
  }

  private List<Draft> steps(String script, String id, Draft content) {
    List<Draft> steps = new ArrayList<>();
    for (int i = 0; i < script.length(); i++) {
      char step = script.charAt(i);
      Draft event =
          switch (step) {
            case 'E' -> without(content, settings.label());
            case 'L' -> labelAlone(content);
            case 'C' -> good.get();
            default -> content;
          };
      Map<String, String> values = new HashMap<>(event.values());
      values.put(settings.id(), id);
      Reading reading = event.reading();
      steps.add(
          new Draft(values, "", Spoil.NONE, Reading.of(id, reading.features(), reading.label())));
    }
    return steps;
  }

  static Draft without(Draft event, String label) {
    Map<String, String> values = new HashMap<>(event.values());
    values.remove(label);
    return new Draft(
        values, "", Spoil.NONE, Reading.of(event.reading().id(), event.reading().features(), ""));
  }

  private Draft labelAlone(Draft event) {
    Map<String, String> values = new HashMap<>();
    values.put(settings.label(), String.valueOf(event.values().get(settings.label())));
    return new Draft(values, "", Spoil.NONE, Reading.of("", "", event.reading().label()));
  }
}
