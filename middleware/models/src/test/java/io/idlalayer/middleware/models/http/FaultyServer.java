package io.idlalayer.middleware.models.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Stands between a client and a good server, and spoils what a fault wants to be spoilt. */
final class FaultyServer implements AutoCloseable {
  private final int behind;
  private final ServerSocket listening;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch closing = new CountDownLatch(1);
  final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  volatile Fault fault = (request, answer, out) -> out.write(answer);

  /** Sends something else than the good server's answer. */
  @FunctionalInterface
  interface Fault {
    void send(Request request, RawHttp.Answer answer, Wire out) throws IOException;
  }

  /** What the client asked for. */
  record Request(String path, String head) {
    String header(String name) {
      return new RawHttp.Answer(head, new byte[0]).header(name);
    }
  }

  /** The connection to the client. */
  final class Wire {
    private final OutputStream out;

    Wire(OutputStream out) {
      this.out = out;
    }

    void write(RawHttp.Answer answer) throws IOException {
      text(answer.head());
      out.write(answer.body());
    }

    void text(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void bytes(byte[] bytes) throws IOException {
      out.write(bytes);
    }

    /** Sends nothing more and does not close. */
    void stall() throws IOException {
      out.flush();
      try {
        closing.await();
      } catch (InterruptedException closed) {
        Thread.currentThread().interrupt();
      }
    }
  }

  FaultyServer(int behind) throws IOException {
    this.behind = behind;
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  URI address() {
    return URI.create("http://127.0.0.1:%d/models/".formatted(listening.getLocalPort()));
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        threads.execute(() -> answer(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void answer(Socket accepted) {
    try (Socket socket = accepted) {
      String head = RawHttp.head(socket.getInputStream());
      if (head.isEmpty()) {
        return;
      }
      String path = head.split(" ", 3)[1];
      requests.add(head);
      StringBuilder forwarded = new StringBuilder();
      for (String line : head.split("\r\n")) {
        if (!line.toLowerCase(Locale.ROOT).startsWith("connection:")) {
          forwarded.append(line).append("\r\n");
        }
      }
      RawHttp.Answer good =
          lastAnswer(RawHttp.send(behind, forwarded + "Connection: close\r\n\r\n"));
      fault.send(new Request(path, head), good, new Wire(socket.getOutputStream()));
    } catch (IOException gone) {
      // The client went away, which is its right.
      requests.add("gone: " + gone);
    }
  }

  /** Tells the client that the connection ends with this answer, so that it does not reuse it. */
  private static RawHttp.Answer lastAnswer(RawHttp.Answer good) {
    if (good.head().isEmpty() || !good.header("Connection").isEmpty()) {
      return good;
    }
    String head = good.head();
    return new RawHttp.Answer(
        head.substring(0, head.length() - 2) + "Connection: close\r\n\r\n", good.body());
  }

  @Override
  public void close() throws IOException {
    closing.countDown();
    listening.close();
    threads.shutdownNow();
  }
}
