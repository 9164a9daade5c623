package io.idlalayer.console.server;

import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.regex.Pattern;

/** The files of the page, from the program's jar. */
final class PageFiles {
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9][a-z0-9-]{0,60}\\.(html|js|css|svg)");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");

  private PageFiles() {}

  static void index(Context request) throws IOException, RefusedException {
    send(request, "index.html");
  }

  static void file(Context request) throws IOException, RefusedException {
    send(request, request.pathParam("file"));
  }

  private static void send(Context request, String name) throws IOException, RefusedException {
    if (!NAME.matcher(name).matches()) {
      throw new RefusedException(404, "there is no such file");
    }
    try (InputStream in = PageFiles.class.getResourceAsStream("/web/" + name)) {
      if (in == null) {
        throw new RefusedException(404, "there is no such file");
      }
      // The page and the server belong together, so a browser must not cache an older page.
      request.header("Cache-Control", "no-cache");
      request.contentType(TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), ""));
      request.result(in.readAllBytes());
    }
  }
}
