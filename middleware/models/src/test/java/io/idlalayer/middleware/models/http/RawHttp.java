package io.idlalayer.middleware.models.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** HTTP over a bare socket, which sends what no client would. */
final class RawHttp {
  private static final int WAIT_MILLIS = 60_000;

  private RawHttp() {}

  /**
   * An answer.
   *
   * @param head status line and headers, with the empty line
   */
  record Answer(String head, byte[] body) {
    int status() {
      return Integer.parseInt(head.split(" ", 3)[1]);
    }

    /** A header's value, "" for none. */
    String header(String name) {
      for (String line : head.split("\r\n")) {
        if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":")) {
          return line.substring(name.length() + 1).strip();
        }
      }
      return "";
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(WAIT_MILLIS);
    return socket;
  }

  /** Sends a request without a body; the connection is closed after the answer. */
  static Answer ask(int port, String method, String path, String... headers) throws IOException {
    StringBuilder request = new StringBuilder();
    request.append(method).append(' ').append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
    request.append("Connection: close\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    return send(port, request.append("\r\n").toString());
  }

  static Answer send(int port, String request) throws IOException {
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return read(socket.getInputStream());
    }
  }

  /** Up to the empty line; "" if the connection ends before. */
  static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        return "";
      }
      head.write(next);
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  private static Answer read(InputStream in) throws IOException {
    String head = head(in);
    return new Answer(head, head.isEmpty() ? new byte[0] : in.readAllBytes());
  }
}
