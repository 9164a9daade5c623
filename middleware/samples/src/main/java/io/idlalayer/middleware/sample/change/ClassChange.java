package io.idlalayer.middleware.sample.change;

import io.idlalayer.middleware.sample.SampleSchema.Label;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The difference between the classes of two labels. A class is identified by its exact text.
 *
 * @param classes for each present class, the class before the change
 * @param changes descriptions of the changes, such as {@code added class c}
 * @param refusals reasons why stored samples cannot be used with the new classes
 */
record ClassChange(ColumnMap classes, List<String> changes, List<String> refusals) {
  /** Compares two labels. Labels of different tasks are not compared. */
  static ClassChange between(Label before, Label now) {
    if (before.task() != now.task() || before.classes().equals(now.classes())) {
      return new ClassChange(ColumnMap.unchanged(now.classes().size()), List.of(), List.of());
    }
    Map<String, Integer> places = new HashMap<>();
    before.classes().forEach(name -> places.put(name, places.size()));
    List<String> added = new ArrayList<>();
    int[] sources = new int[now.classes().size()];
    int last = -1;
    boolean reordered = false;
    for (int i = 0; i < sources.length; i++) {
      Integer place = places.remove(now.classes().get(i));
      if (place == null) {
        added.add(now.classes().get(i));
        sources[i] = ColumnMap.ADDED;
      } else {
        reordered |= place < last;
        last = place;
        sources[i] = place;
      }
    }
    List<String> removed = before.classes().stream().filter(places::containsKey).toList();
    List<String> changes = new ArrayList<>();
    changes.addAll(NameLists.counted("added class", "added classes", added));
    changes.addAll(NameLists.counted("removed class", "removed classes", removed));
    if (reordered) {
      changes.add("other order of classes");
    }
    List<String> refusals =
        last < 0
            ? List.of(
                "input.classes: none of the classes from before is left, so no stored sample and"
                    + " nothing that was learned could be used")
            : List.of();
    return new ClassChange(new ColumnMap(before.classes().size(), sources), changes, refusals);
  }
}
