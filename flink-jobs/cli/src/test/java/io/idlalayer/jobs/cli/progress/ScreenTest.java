package io.idlalayer.jobs.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is on the terminal after lines and blocks, by a terminal that knows the codes in use. */
final class ScreenTest {
  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new PrintWriter(written);

  /** The lines that a terminal shows; it fails on a code that it does not know. */
  private static List<String> shown(String output) {
    List<StringBuilder> lines = new ArrayList<>(List.of(new StringBuilder()));
    int row = 0;
    int column = 0;
    for (int i = 0; i < output.length(); i++) {
      char next = output.charAt(i);
      if (next == '\n') {
        row++;
        column = 0;
        if (row == lines.size()) {
          lines.add(new StringBuilder());
        }
      } else if (next == '\r') {
        column = 0;
      } else if (next == '\u001b') {
        int end = i + 2;
        while (Character.isDigit(output.charAt(end))) {
          end++;
        }
        switch (output.charAt(end)) {
          case 'A' -> row -= Integer.parseInt(output.substring(i + 2, end));
          case 'K' -> lines.get(row).setLength(Math.min(column, lines.get(row).length()));
          case 'J' -> {
            lines.get(row).setLength(Math.min(column, lines.get(row).length()));
            lines.subList(row + 1, lines.size()).clear();
          }
          default -> throw new AssertionError("unknown code " + output.charAt(end));
        }
        i = end;
      } else {
        StringBuilder line = lines.get(row);
        line.replace(column, Math.min(column + 1, line.length()), String.valueOf(next));
        column++;
      }
    }
    return lines.stream().map(StringBuilder::toString).toList();
  }

  private Screen terminal(int columns) {
    return new Screen(out, new Screen.Form(true, columns));
  }

  private List<String> shown() {
    out.flush();
    return shown(written.toString().replace(System.lineSeparator(), "\n"));
  }

  @Test
  void refresh_onATerminal_replacesTheBlockAndKeepsTheLines() {
    Screen screen = terminal(80);
    screen.line("first");
    screen.refresh(List.of("1,000 events", "long tail of the model", "frozen"));
    screen.refresh(List.of("2,000 events", "tail"));
    assertThat(shown()).containsExactly("first", "2,000 events", "tail");
    screen.line("second");
    assertThat(shown()).containsExactly("first", "second", "2,000 events", "tail");
    screen.refresh(List.of("3,000 events"));
    assertThat(shown()).containsExactly("first", "second", "3,000 events");
    screen.clear();
    screen.line("end");
    assertThat(shown()).containsExactly("first", "second", "end", "");
  }

  @Test
  void refresh_linesWiderThanTheTerminal_areCutSoThatNoneWraps() {
    Screen screen = terminal(20);
    screen.refresh(List.of("0123456789".repeat(3), "short"));
    assertThat(shown()).containsExactly("012345678901234567~", "short");
  }

  @Test
  void refresh_withoutATerminal_isOneLineWithoutCodes() {
    Screen screen = new Screen(out, Screen.Form.LINES);
    screen.refresh(List.of("1,000 events", "version 1 serves"));
    screen.line("said");
    screen.refresh(List.of("2,000 events"));
    screen.clear();
    assertThat(shown())
        .containsExactly("1,000 events | version 1 serves", "said", "2,000 events", "");
    assertThat(written.toString()).doesNotContain("\u001b", "\r".repeat(2));
  }
}
