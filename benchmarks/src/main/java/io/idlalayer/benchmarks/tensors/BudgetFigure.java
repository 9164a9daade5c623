package io.idlalayer.benchmarks.tensors;

import java.util.List;
import java.util.Locale;

/**
 * A figure like figure 4.10 of Hildebrand 2022, for several networks. It shows the time of a step,
 * relative to the time with all tensors on the fast device, by the share of the peak that is fast.
 * Each network has a panel with a logarithmic vertical axis.
 */
final class BudgetFigure {
  private static final List<Double> MARKS = List.of(1.0, 1.25, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0);
  private static final List<Double> SHARES = List.of(0.05, 0.2, 0.35, 0.5, 0.68, 0.85, 1.0);
  private static final int COLUMNS = 3;
  private static final int PANEL_WIDTH = 320;
  private static final int PANEL_HEIGHT = 250;
  private static final int LEFT = 44;
  private static final int TOP = 104;
  private static final int WIDTH = 260;
  private static final int HEIGHT = 170;
  private static final int LEGEND_COLUMNS = 5;
  private static final int LEGEND_WIDTH = 185;
  private static final int LEGEND_HEIGHT = 16;

  private final StringBuilder svg = new StringBuilder();

  /**
   * A point of a line.
   *
   * @param share share of the peak that is fast
   * @param times time of a step divided by the time with all tensors on the fast device
   */
  record Point(double share, double times) {}

  /** The times of a contender, by ascending shares. */
  record Line(Contender contender, List<Point> points) {
    Line {
      points = List.copyOf(points);
    }
  }

  /** The lines that are drawn for a network. */
  record Panel(String network, List<Line> lines) {
    Panel {
      lines = List.copyOf(lines);
    }
  }

  private BudgetFigure() {}

  /** Returns an SVG with the panels, and with a legend for the lines of the first panel. */
  static String draw(List<Panel> panels) {
    BudgetFigure figure = new BudgetFigure();
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
      Contender contender = lines.get(i).contender();
      int x = LEFT + i % LEGEND_COLUMNS * LEGEND_WIDTH;
      int y = 36 + i / LEGEND_COLUMNS * LEGEND_HEIGHT;
      line("<path d='M%d %d h18' stroke='%s'/>", x, y - 4, style(contender));
      line("<text x='%d' y='%d' font-size='11'>%s</text>", x + 22, y, contender.key());
    }
  }

  private void panel(Panel panel, int left, int top) {
    double most =
        panel.lines().stream()
            .flatMap(each -> each.points().stream())
            .mapToDouble(Point::times)
            .max()
            .orElse(1);
    double scale = HEIGHT / Math.max(0.5, log2(most));
    line("<text x='%d' y='%d' font-weight='bold'>%s</text>", left, top - 4, panel.network());
    for (double mark : MARKS) {
      double y = top + HEIGHT - scale * log2(mark);
      if (y >= top) {
        line("<path d='M%d %.1f h%d' stroke='#ddd'/>", left, y, WIDTH);
        line(
            "<text x='%d' y='%.1f' text-anchor='end' font-size='9'>%s</text>",
            left - 6, y + 3, mark == Math.rint(mark) ? Integer.toString((int) mark) : mark);
      }
    }
    for (double share : SHARES) {
      line(
          "<text x='%.1f' y='%d' text-anchor='middle' font-size='9'>%.0f</text>",
          left + WIDTH * share, top + HEIGHT + 14, 100 * share);
    }
    line(
        "<text x='%d' y='%d' text-anchor='middle' font-size='9'>%% of the peak</text>",
        left + WIDTH / 2, top + HEIGHT + 28);
    // The lines are drawn in reverse, so that the first contenders are on top.
    for (int i = panel.lines().size() - 1; i >= 0; i--) {
      path(panel.lines().get(i), left, top, scale);
    }
  }

  /** Returns the colour of a contender's line, followed by further SVG attributes of the stroke. */
  private static String style(Contender contender) {
    return switch (contender) {
      case BOUND -> "#000' stroke-dasharray='4 3";
      case AUTO -> "#d62728' stroke-width='3";
      case CACHED_ARRAYS -> "#1f77b4' stroke-width='2";
      case ALL_SLOW -> "#7f7f7f";
      case FIRST_TOUCH -> "#bcbd22";
      case TWO_LEVEL_MEMORY_M -> "#8c564b";
      case CACHED_ARRAYS_LM -> "#17becf";
      case VDNN_ALL -> "#9467bd";
      case PAGE_LRU -> "#e377c2";
      case PAGE_ORDER -> "#f7b6d2";
      case REDL -> "#2ca02c";
      case AUTOVM -> "#ff7f0e";
      case AUTOTM -> "#ffbb78";
      case RECOMPUTE -> "#98df8a";
      case PLAN_OF_AUTOVM_UNKNOWN -> "#c49c94";
      case PLAN_OF_AUTOTM_STATIC -> "#aec7e8";
      case PLAN_OF_AUTOTM_SYNC -> "#c5b0d5";
    };
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }

  private void path(Line drawn, int left, int top, double scale) {
    if (drawn.points().isEmpty()) {
      return;
    }
    StringBuilder path = new StringBuilder();
    for (Point point : drawn.points()) {
      double x = left + WIDTH * point.share();
      double y = top + HEIGHT - scale * log2(Math.max(1, point.times()));
      path.append(String.format(Locale.ROOT, "%s%.1f %.1f", path.isEmpty() ? "M" : " L", x, y));
    }
    line("<path d='%s' fill='none' stroke='%s'/>", path, style(drawn.contender()));
  }
}
