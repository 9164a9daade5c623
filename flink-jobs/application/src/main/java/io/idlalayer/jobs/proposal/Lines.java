package io.idlalayer.jobs.proposal;

import java.util.ArrayList;
import java.util.List;

/** Breaks sentences into lines. */
final class Lines {
  private Lines() {}

  /**
   * Returns a text in lines of at most {@code most} characters. Only a longer word exceeds this.
   */
  static List<String> of(String text, int most) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > most) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
