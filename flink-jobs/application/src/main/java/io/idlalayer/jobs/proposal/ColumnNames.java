package io.idlalayer.jobs.proposal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes names as YAML; names with consecutive numbers become ranges such as f1..f54. */
final class ColumnNames {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_]([A-Za-z0-9_-]*[A-Za-z0-9_])?");
  private static final Pattern COUNTED = Pattern.compile("(\\D*)(0|[1-9]\\d{0,5})");
  private static final Pattern RANGE = Pattern.compile("(\\D*)\\d+\\.\\.(\\D*)\\d+");
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{(env:[A-Za-z_][A-Za-z0-9_]*|file:[^}]+)}");
  private static final Set<String> WORDS =
      Set.of("true", "false", "yes", "no", "on", "off", "null", "y", "n");
  private static final int LEAST_RANGE = 3;
  private static final int LINE_CHARACTERS = 110;

  private ColumnNames() {}

  /**
   * Returns whether a name can be written in an application file, that is, whether it would not be
   * read as a range or a variable.
   */
  static boolean sayable(String name) {
    Matcher range = RANGE.matcher(name);
    return !name.isEmpty()
        && !(range.matches() && range.group(1).equals(range.group(2)))
        && !VARIABLE.matcher(name).find();
  }

  /** Returns a text as a YAML scalar. */
  static String scalar(String text) {
    if (PLAIN.matcher(text).matches() && !WORDS.contains(text.toLowerCase(Locale.ROOT))) {
      return text;
    }
    return quoted(text);
  }

  /** Returns a text as a YAML scalar in double quotes, in printable ASCII and letters only. */
  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            code -> {
              if (code == '"' || code == '\\') {
                out.append('\\').appendCodePoint(code);
              } else if ((code >= ' ' && code < 0x7f)
                  || (code > 0x7f && Character.isLetterOrDigit(code))) {
                out.appendCodePoint(code);
              } else {
                out.append(String.format(Locale.ROOT, code > 0xffff ? "\\U%08x" : "\\u%04x", code));
              }
            });
    return out.append('"').toString();
  }

  /**
   * Returns names as a YAML list in lines.
   *
   * @param key what stands before the list
   */
  static String list(String key, List<String> names) {
    StringBuilder out = new StringBuilder(key).append(" [");
    String indent = " ".repeat(key.length() + 2);
    int line = out.length();
    List<String> items = ranges(names);
    for (int i = 0; i < items.size(); i++) {
      String item = items.get(i) + (i + 1 < items.size() ? "," : "]");
      if (i > 0 && line + item.length() > LINE_CHARACTERS) {
        out.append('\n').append(indent);
        line = indent.length();
      } else if (i > 0) {
        out.append(' ');
        line++;
      }
      out.append(item);
      line += item.length();
    }
    return items.isEmpty() ? out.append(']').toString() : out.toString();
  }

  /** Returns names as scalars; names with consecutive numbers become one range. */
  private static List<String> ranges(List<String> names) {
    List<String> items = new ArrayList<>();
    int at = 0;
    while (at < names.size()) {
      int run = run(names, at);
      if (run >= LEAST_RANGE) {
        items.add(scalarOrRange(names.get(at) + ".." + names.get(at + run - 1)));
        at += run;
      } else {
        items.add(scalar(names.get(at)));
        at++;
      }
    }
    return items;
  }

  private static String scalarOrRange(String range) {
    return range.matches("[A-Za-z_]+\\d+\\.\\.[A-Za-z_]+\\d+") ? range : quoted(range);
  }

  /** Returns how many names, beginning at an index, have consecutive numbers; at least 1. */
  private static int run(List<String> names, int from) {
    Matcher first = COUNTED.matcher(names.get(from));
    if (!first.matches()) {
      return 1;
    }
    int number = Integer.parseInt(first.group(2));
    int run = 1;
    while (from + run < names.size()
        && names.get(from + run).equals(first.group(1) + (number + run))) {
      run++;
    }
    return run;
  }
}
