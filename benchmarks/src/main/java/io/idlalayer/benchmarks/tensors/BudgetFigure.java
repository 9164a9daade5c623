package io.idlalayer.benchmarks.tensors;

import java.util.List;
import java.util.Locale;

/**
 * Figure 4.10 of Hildebrand 2022 for several networks: times all-fast by the share of the peak that
 * is fast, as simulated and with all copies hidden. One panel for each network, with a logarithmic
 * vertical axis.
 */
final class BudgetFigure {
  private static final List<String> COLOURS = List.of("#4c7fb8", "#b8434c", "#3a8f5c");
  private static final List<Integer> MARKS = List.of(1, 2, 4, 8, 16, 32);
  private static final int COLUMNS = 3;
  private static final int PANEL_WIDTH = 320;
  private static final int PANEL_HEIGHT = 240;
  private static final int LEFT = 44;
  private static final int TOP = 64;
  private static final int WIDTH = 260;
  private static final int HEIGHT = 160;

  private final List<Double> shares;
  private final StringBuilder svg = new StringBuilder();

  /** A policy's times all-fast, one for each share. */
  record Line(String policy, List<Double> times, List<Double> hidden) {}

  /** What is drawn of a network, at most two lines. */
  record Panel(String network, List<Line> lines) {
    Panel {
      lines = List.copyOf(lines);
    }
  }

  private BudgetFigure(List<Double> shares) {
    this.shares = shares;
  }

  /**
   * Draws the panels, with a legend of the first one's policies.
   *
   * @param shares shares of the peak, above 0 to 1, ascending
   */
  static String draw(List<Double> shares, List<Panel> panels) {
    BudgetFigure figure = new BudgetFigure(shares);
    int rows = (panels.size() + COLUMNS - 1) / COLUMNS;
    int width = COLUMNS * PANEL_WIDTH;
    int height = TOP + rows * PANEL_HEIGHT;
    figure.line(
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-size='12' font-family='sans-serif'>",
        width, height);
    figure.line("<rect width='%d' height='%d' fill='white'/>", width, height);
    figure.legend(panels.get(0).lines());
    for (int i = 0; i < panels.size(); i++) {
      figure.panel(
          panels.get(i), i % COLUMNS * PANEL_WIDTH + LEFT, i / COLUMNS * PANEL_HEIGHT + TOP);
    }
    return figure.svg.append("</svg>\n").toString();
  }

  private void line(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private void legend(List<Line> lines) {
    line(
        "<text x='%d' y='18'>Time of a step, times all-fast, by the share of the peak in fast memory (SIMULATED)</text>",
        LEFT);
    for (int i = 0; i < lines.size(); i++) {
      String policy = lines.get(i).policy();
      line("<text x='%d' y='38' fill='%s'>%s</text>", LEFT + 300 * i, COLOURS.get(i), policy);
    }
    line("<text x='%d' y='38' fill='#666'>dashed: all copies hidden</text>", LEFT + 600);
  }

  private void panel(Panel panel, int left, int top) {
    double most =
        panel.lines().stream()
            .flatMap(each -> each.times().stream())
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(1);
    double scale = HEIGHT / Math.max(1, Math.log(most) / Math.log(2));
    line("<text x='%d' y='%d' font-weight='bold'>%s</text>", left, top - 4, panel.network());
    for (int mark : MARKS) {
      double y = top + HEIGHT - scale * Math.log(mark) / Math.log(2);
      if (y >= top) {
        line("<path d='M%d %.1f h%d' stroke='#ddd'/>", left, y, WIDTH);
        line("<text x='%d' y='%.1f' text-anchor='end'>%d</text>", left - 6, y + 4, mark);
      }
    }
    for (double share : shares) {
      line(
          "<text x='%.1f' y='%d' text-anchor='middle' font-size='9'>%.0f</text>",
          left + WIDTH * share, top + HEIGHT + 14, 100 * share);
    }
    line(
        "<text x='%d' y='%d' text-anchor='middle' font-size='9'>%% of the peak</text>",
        left + WIDTH / 2, top + HEIGHT + 28);
    for (int i = 0; i < panel.lines().size(); i++) {
      Line drawn = panel.lines().get(i);
      path(drawn.times(), left, top, scale, COLOURS.get(i), "");
      path(drawn.hidden(), left, top, scale, COLOURS.get(i), " stroke-dasharray='4 3'");
    }
  }

  private void path(
      List<Double> times, int left, int top, double scale, String colour, String style) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < times.size(); i++) {
      double x = left + WIDTH * shares.get(i);
      double y = top + HEIGHT - scale * Math.log(Math.max(1, times.get(i))) / Math.log(2);
      path.append(String.format(Locale.ROOT, "%s%.1f %.1f", i == 0 ? "M" : " L", x, y));
    }
    line("<path d='%s' fill='none' stroke='%s' stroke-width='1.5'%s/>", path, colour, style);
  }
}
