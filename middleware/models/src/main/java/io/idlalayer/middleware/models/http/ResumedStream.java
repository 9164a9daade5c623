package io.idlalayer.middleware.models.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file on a server as a stream. If the connection is cut, the stream resumes with a range
 * request, as long as the file on the server is unchanged. For one thread.
 */
final class ResumedStream extends InputStream {
  private final HttpModelSource source;
  private final String url;
  private final String tag;

  /** Length of the file in bytes; -1 if the server did not give it. */
  private final long total;

  private long position;
  private int resumesLeft;
  private InputStream body;
  private @Nullable IOException resumedAfter;

  private ResumedStream(
      HttpModelSource source, String url, long from, int resumes, HttpResponse<InputStream> first)
      throws IOException {
    this.source = source;
    this.url = url;
    position = from;
    resumesLeft = resumes;
    body = first.body();
    tag = first.headers().firstValue("ETag").orElse("");
    if (from == 0) {
      HttpModelSource.refuseUnless(HttpModelSource.OK, first, url);
      total = first.headers().firstValueAsLong("Content-Length").orElse(-1);
    } else {
      HttpModelSource.refuseUnless(HttpModelSource.PARTIAL, first, url);
      total = range(first).total();
    }
  }

  static ResumedStream open(HttpModelSource source, String url, long from, int resumes)
      throws IOException {
    HttpResponse<InputStream> first;
    int resumesLeft = resumes;
    while (true) {
      try {
        first = source.send(url, headers(from, ""));
        break;
      } catch (IOException failed) {
        // If the connection breaks right after the head, this call fails, or a later read does.
        if (resumesLeft == 0 || !(rootCause(failed) instanceof EOFException)) {
          throw failed;
        }
        resumesLeft--;
      }
    }
    boolean opened = false;
    try {
      ResumedStream stream = new ResumedStream(source, url, from, resumesLeft, first);
      opened = true;
      return stream;
    } finally {
      if (!opened) {
        first.body().close();
      }
    }
  }

  private static Throwable rootCause(Throwable failed) {
    Throwable root = failed;
    for (Throwable next = root.getCause(); next != null; next = root.getCause()) {
      root = next;
    }
    return root;
  }

  private static Map<String, String> headers(long from, String tag) {
    Map<String, String> headers = new HashMap<>();
    if (from > 0) {
      headers.put("Range", "bytes=" + from + "-");
    }
    if (from > 0 && !tag.isEmpty()) {
      headers.put("If-Range", tag);
    }
    return headers;
  }

  /** Checks that an answer begins at the requested byte of the file. */
  private ContentRange range(HttpResponse<?> answer) throws IOException {
    Optional<ContentRange> range =
        answer.headers().firstValue("Content-Range").flatMap(ContentRange::parse);
    if (range.isEmpty()
        || range.get().first() != position
        || range.get().last() != range.get().total() - 1) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s: the server sent another part of the file than from byte %d on",
              url,
              position));
    }
    return range.get();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    while (true) {
      IOException cut;
      try {
        int count = body.read(into, from, length);
        if (count >= 0 || total < 0 || position >= total) {
          position += Math.max(0, count);
          return count;
        }
        cut = new IOException("the connection ended");
      } catch (InterruptedIOException interrupted) {
        throw interrupted;
      } catch (IOException failed) {
        cut = failed;
      }
      resume(cut);
    }
  }

  private void resume(IOException cut) throws IOException {
    body.close();
    IOException last = cut;
    if (resumedAfter != null) {
      last.addSuppressed(resumedAfter);
    }
    while (resumesLeft > 0 && !tag.isEmpty()) {
      resumesLeft--;
      try {
        body = continued();
        resumedAfter = last;
        return;
      } catch (NoSuchFileException | HttpStatusException | InterruptedIOException refused) {
        refused.addSuppressed(last);
        throw refused;
      } catch (IOException again) {
        again.addSuppressed(last);
        last = again;
      }
    }
    throw new IOException(
        String.format(
            Locale.ROOT,
            "%s was cut off after %d bytes%s: %s",
            url,
            position,
            tag.isEmpty() ? "" : ", again and again",
            last.getMessage()),
        last);
  }

  private InputStream continued() throws IOException {
    if (position == 0) {
      HttpResponse<InputStream> answer = source.send(url, Map.of());
      return checked(answer, HttpModelSource.OK);
    }
    HttpResponse<InputStream> answer = source.send(url, headers(position, tag));
    return checked(answer, HttpModelSource.PARTIAL);
  }

  private InputStream checked(HttpResponse<InputStream> answer, int status) throws IOException {
    boolean good = false;
    try {
      HttpModelSource.refuseUnless(status, answer, url);
      if (!answer.headers().firstValue("ETag").orElse("").equals(tag)) {
        throw new HttpStatusException(status, url + " changed while it was read");
      }
      if (status == HttpModelSource.PARTIAL && range(answer).total() != total && total >= 0) {
        throw new HttpStatusException(status, url + " changed its length while it was read");
      }
      good = true;
      return answer.body();
    } finally {
      if (!good) {
        answer.body().close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    body.close();
  }
}
