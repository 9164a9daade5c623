package io.idlalayer.jobs.cli.progress;

import java.io.PrintWriter;
import java.util.List;

/**
 * Writes lines that stay, and below them a block of lines that is refreshed in place. If the output
 * is no terminal, each block is one more line that stays. Confined to one thread at a time.
 */
final class Screen {
  /** Fewest columns on which a block is refreshed in place; wrapped lines could not be erased. */
  private static final int FEWEST_COLUMNS = 20;

  private static final String ERASE_LINE = "\u001b[K";
  private static final String ERASE_BELOW = "\u001b[J";

  private final PrintWriter out;
  private final Form form;
  private List<String> block = List.of();

  /** Number of lines of the block that are on the terminal now. */
  private int drawn;

  /**
   * The form of the output.
   *
   * @param refreshes whether it is a terminal that can move its cursor
   * @param columns width of the terminal in characters
   */
  record Form(boolean refreshes, int columns) {
    /** Output to a file or to another process. */
    static final Form LINES = new Form(false, Integer.MAX_VALUE);

    private static final int USUAL_COLUMNS = 80;

    /** Returns the form of this process's standard output, which the launcher found out. */
    static Form ofThisProcess() {
      boolean terminal = Boolean.getBoolean("idla.terminal");
      int columns = Integer.getInteger("idla.columns", USUAL_COLUMNS);
      return terminal && columns >= FEWEST_COLUMNS && !"dumb".equals(System.getenv("TERM"))
          ? new Form(true, columns)
          : LINES;
    }
  }

  Screen(PrintWriter out, Form form) {
    this.out = out;
    this.form = form;
  }

  boolean refreshes() {
    return form.refreshes();
  }

  /** Writes a line that stays. */
  void line(String text) {
    erase();
    out.println(text);
    draw();
    out.flush();
  }

  /** Shows a block in place of the one before. */
  void refresh(List<String> lines) {
    if (form.refreshes()) {
      block = List.copyOf(lines);
      draw();
    } else {
      out.println(String.join(" | ", lines));
    }
    out.flush();
  }

  /** Removes the block. */
  void clear() {
    erase();
    block = List.of();
    out.flush();
  }

  private void erase() {
    if (drawn > 0) {
      out.print(toFirstLine() + ERASE_BELOW);
      drawn = 0;
    }
  }

  private void draw() {
    if (block.isEmpty()) {
      return;
    }
    StringBuilder text = new StringBuilder(drawn > 0 ? toFirstLine() : "");
    for (int i = 0; i < block.size(); i++) {
      text.append(i == 0 ? "" : "\n").append(cut(block.get(i))).append(ERASE_LINE);
    }
    out.print(text.append(ERASE_BELOW));
    drawn = block.size();
  }

  /** Returns the text that moves the cursor to the beginning of the block. */
  private String toFirstLine() {
    return drawn > 1 ? "\r\u001b[" + (drawn - 1) + "A" : "\r";
  }

  /** Returns the beginning of a line that fits without wrapping; the last column stays free. */
  private String cut(String text) {
    int most = form.columns() - 1;
    return text.length() <= most ? text : text.substring(0, most - 1) + "~";
  }
}
