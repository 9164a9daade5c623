package io.idlalayer.jobs.replay.page;

/** Writes text as a part of HTML. */
final class Html {
  private Html() {}

  /**
   * Returns a text in escaped form, so that browsers show it literally. The result can be used
   * between tags and in attributes.
   */
  static String text(String any) {
    StringBuilder safe = new StringBuilder();
    any.codePoints()
        .forEach(
            each -> {
              switch (each) {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '"' -> safe.append("&quot;");
                default -> {
                  boolean shown = each >= ' ' && !Character.isISOControl(each);
                  safe.appendCodePoint(shown ? each : '\ufffd');
                }
              }
            });
    return safe.toString();
  }
}
