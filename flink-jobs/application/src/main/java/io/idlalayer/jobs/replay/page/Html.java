package io.idlalayer.jobs.replay.page;

/** Text within HTML. */
final class Html {
  private Html() {}

  /**
   * Returns a text from any source in escaped form, so that it is shown literally, between tags and
   * in attributes.
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
