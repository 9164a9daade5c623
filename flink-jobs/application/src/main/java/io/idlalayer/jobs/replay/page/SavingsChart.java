package io.idlalayer.jobs.replay.page;

import io.idlalayer.jobs.replay.page.Savings.Way;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Draws {@link Savings} as SVG. */
final class SavingsChart {
  private static final int WIDTH = 800;
  private static final int HEIGHT = 360;
  private static final int LEFT = 80;
  private static final int BOTTOM = 40;
  private static final int TOP = 10;
  private static final int RIGHT = 20;
  private static final int STRIP = 40;
  private static final double LEAST = 1e-9;

  /** Durations in seconds that have usual names. */
  private static final List<Double> DURATIONS =
      List.of(
          1e-6,
          1e-5,
          1e-4,
          1e-3,
          1e-2,
          0.1,
          1.0,
          10.0,
          60.0,
          600.0,
          3_600.0,
          36_000.0,
          432_000.0,
          4_320_000.0,
          43_200_000.0);

  private SavingsChart() {}

  /** A logarithmic scale from the least of some values to the largest, to a range of pixels. */
  private record Scale(double least, double most, double from, double to) {
    static Scale of(List<Way> ways, ToDoubleFunction<Way> value, double from, double to) {
      double least = ways.stream().mapToDouble(value).min().orElse(1);
      double most = ways.stream().mapToDouble(value).max().orElse(1);
      least = Math.max(LEAST, least);
      return new Scale(least / 1.2, Math.max(most, least) * 1.2, from, to);
    }

    double at(double value) {
      double share = Math.log(Math.max(LEAST, value) / least) / Math.log(most / least);
      return from + share * (to - from);
    }

    /**
     * Returns the usual durations within the scale; the bounds of the scale if there are fewer than
     * two.
     */
    List<Double> ticks() {
      List<Double> ticks =
          DURATIONS.stream().filter(each -> each >= least && each <= most).toList();
      return ticks.size() >= 2 ? ticks : List.of(least * 1.2, most / 1.2);
    }
  }

  /** Draws the mean waiting time over the training time. */
  static String tradeOff(Savings savings) {
    List<Way> all = new ArrayList<>(savings.sweep());
    all.add(savings.adaptive());
    all.add(savings.continuous());
    all.addAll(savings.usual());
    Scale x = Scale.of(all, Way::trainingSeconds, LEFT, WIDTH - RIGHT);
    Scale y = Scale.of(all, Way::meanWaitSeconds, HEIGHT - BOTTOM - 20, TOP);
    StringBuilder svg = begin(HEIGHT, "Mean waiting time over training time of each way");
    for (double tick : x.ticks()) {
      double at = x.at(tick);
      line(svg, at, TOP, at, HEIGHT - BOTTOM);
      text(svg, at, HEIGHT - BOTTOM + 16, "middle", Times.text(tick));
    }
    for (double tick : y.ticks()) {
      double at = y.at(tick);
      line(svg, LEFT, at, WIDTH - RIGHT, at);
      text(svg, LEFT - 8, at + 4, "end", Times.text(tick));
    }
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 4, "middle", "training time");
    StringBuilder points = new StringBuilder();
    for (Way each : savings.sweep()) {
      points.append(
          format("%.1f,%.1f ", x.at(each.trainingSeconds()), y.at(each.meanWaitSeconds())));
      dot(svg, x, y, each, 2, "var(--other)", "every " + Times.text(each.periodSeconds()));
    }
    svg.append(
        format(
            "<polyline points=\"%s\" fill=\"none\" stroke=\"var(--other)\"/>%n",
            points.toString().strip()));
    for (Way each : savings.usual()) {
      label(svg, x, y, each, "var(--other)", "every " + Times.text(each.periodSeconds()));
    }
    label(svg, x, y, savings.continuous(), "currentColor", "without a pause");
    Way rule = savings.adaptive();
    dot(svg, x, y, rule, 6, "var(--rule)", "iDlaLayer's rule");
    double at = x.at(rule.trainingSeconds());
    String anchor = at > WIDTH * 0.75 ? "end" : "middle";
    text(svg, at, y.at(rule.meanWaitSeconds()) + 18, anchor, "iDlaLayer's rule");
    return svg.append("</svg>").toString();
  }

  /**
   * Draws the events over time, and below them the trainings of some ways to keep a model current.
   */
  static String overTime(Savings savings) {
    List<String> names = new ArrayList<>(List.of("iDlaLayer's rule"));
    List<long[]> trainings = new ArrayList<>(List.of(savings.adaptive().trainings()));
    Way other = savings.asFresh() == null ? savings.asCheap() : savings.asFresh();
    if (other != null) {
      names.add("every " + Times.text(other.periodSeconds()));
      trainings.add(other.trainings());
    }
    int height = TOP + 3 * STRIP + trainings.size() * (STRIP + 16) + BOTTOM;
    StringBuilder svg = begin(height, "Events over time, and trainings below them");
    bars(svg, savings.arrivals(), TOP, 3 * STRIP, "var(--events)");
    text(svg, LEFT - 8, TOP + 2 * STRIP, "end", "events");
    double top = TOP + 3 * STRIP + 16;
    for (int i = 0; i < names.size(); i++) {
      bars(svg, trainings.get(i), top, STRIP, i == 0 ? "var(--rule)" : "var(--other)");
      text(svg, LEFT, top + 2, "start", "trainings: " + names.get(i));
      top += STRIP + 16;
    }
    double span = savings.trace().spanSeconds();
    for (int part = 0; part <= 4; part++) {
      double at = LEFT + part / 4.0 * (WIDTH - LEFT - RIGHT);
      String anchor = part == 4 ? "end" : "middle";
      text(svg, at, height - 8, anchor, part == 0 ? "start" : Times.text(span * part / 4));
    }
    return svg.append("</svg>").toString();
  }

  private static void bars(
      StringBuilder svg, long[] values, double top, double height, String color) {
    double most = Math.max(1, Arrays.stream(values).max().orElse(1));
    double width = (WIDTH - LEFT - RIGHT) / (double) values.length;
    for (int i = 0; i < values.length; i++) {
      if (values[i] > 0) {
        double high = Math.max(1, height * values[i] / most);
        svg.append(
            format(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%,d</title></rect>%n",
                LEFT + i * width,
                top + height - high,
                Math.max(0.5, width - 1),
                high,
                color,
                values[i]));
      }
    }
  }

  private static StringBuilder begin(int height, String what) {
    return new StringBuilder(
        format(
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" xmlns=\"http://www.w3.org/2000/svg\">%n",
            WIDTH, height, Html.text(what)));
  }

  private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
    svg.append(
        format(
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"var(--line)\"/>%n",
            x1, y1, x2, y2));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    svg.append(
        format(
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            x, y, anchor, Html.text(text)));
  }

  private static void dot(
      StringBuilder svg, Scale x, Scale y, Way way, int radius, String color, String title) {
    svg.append(
        format(
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"><title>%s: training %s, mean wait %s</title></circle>%n",
            x.at(way.trainingSeconds()),
            y.at(way.meanWaitSeconds()),
            radius,
            color,
            Html.text(title),
            Times.text(way.trainingSeconds()),
            Times.text(way.meanWaitSeconds())));
  }

  private static void label(
      StringBuilder svg, Scale x, Scale y, Way way, String color, String name) {
    dot(svg, x, y, way, 5, color, name);
    double at = x.at(way.trainingSeconds());
    boolean left = at > WIDTH * 0.75;
    text(svg, at + (left ? -9 : 9), y.at(way.meanWaitSeconds()) - 6, left ? "end" : "start", name);
  }

  private static String format(String text, Object... values) {
    return String.format(Locale.ROOT, text, values);
  }
}
