package io.idlalayer.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The console's page with its style, its script and its data in one file. */
final class ReportPage {
  private static final Pattern SCRIPT =
      Pattern.compile("<script type=\"module\"[^>]*src=\"\\./console\\.js\"></script>");
  private static final Pattern STYLE =
      Pattern.compile("<link rel=\"stylesheet\"[^>]*href=\"\\./console\\.css\"[^>]*>");
  private static final Pattern ICON = Pattern.compile("<link rel=\"icon\"[^>]*>");

  private ReportPage() {}

  /**
   * Writes the page with its data, and replaces the file atomically.
   *
   * @param data the answers of a server, as JSON
   * @throws IOException if it cannot be written
   */
  static void write(String data, Path file) throws IOException {
    String page = resource("index.html");
    page = ICON.matcher(page).replaceFirst("");
    page =
        replaced(
            page, STYLE, "<style>" + resource("console.css").replace("</", "<\\/") + "</style>");
    page =
        replaced(
            page,
            SCRIPT,
            "<script type=\"application/json\" id=\"recorded\">"
                // The data must never be read as markup, whatever an event contains.
                + data.replace("<", "\\u003c")
                + "</script><script type=\"module\">"
                + resource("console.js").replace("</script", "<\\/script")
                + "</script>");
    Path target = file.toAbsolutePath();
    Path unfinished = target.resolveSibling(target.getFileName() + ".part");
    try {
      Files.writeString(unfinished, page);
      Files.move(unfinished, target, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private static String replaced(String page, Pattern what, String by) {
    Matcher matcher = what.matcher(page);
    if (!matcher.find()) {
      throw new IllegalStateException("the console's page has no " + what);
    }
    return page.substring(0, matcher.start()) + by + page.substring(matcher.end());
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = ReportPage.class.getResourceAsStream("/web/" + name)) {
      if (in == null) {
        throw new IOException("the program's jar has no web/" + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
