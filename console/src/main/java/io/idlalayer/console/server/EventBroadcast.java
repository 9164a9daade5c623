package io.idlalayer.console.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.console.topics.EventFollower;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Sends events to all pages that listen, as server-sent events. A page that is too slow loses its
 * waiting events and gets a message about the loss. No thread waits for a page.
 */
final class EventBroadcast implements EventFollower.Listener {
  private static final int WAITING = 2_000;
  private static final long WAITING_BYTES = 8L << 20;
  private static final long HEARTBEAT_MILLIS = 15_000;
  private static final byte[] HEARTBEAT = ascii(": still here\n\n");
  private static final byte[] GAP = ascii("event: gap\ndata: {}\n\n");
  private static final byte[] END = new byte[0];

  private final ObjectMapper json = new ObjectMapper();
  private final List<Listening> listening = new CopyOnWriteArrayList<>();
  private final Semaphore places;
  private final InstantSource clock;
  private volatile boolean closed;

  /**
   * @param most largest number of pages that listen at the same time
   */
  EventBroadcast(int most, InstantSource clock) {
    this.places = new Semaphore(most);
    this.clock = clock;
  }

  /**
   * The first event of a stream.
   *
   * @param nowMillis epoch milliseconds of the console's clock
   */
  record Hello(long nowMillis) {}

  /** The queue of one page. */
  private static final class Listening {
    private final ArrayBlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(WAITING);
    private long bytes;

    synchronized void offer(byte[] message) {
      if (bytes + message.length > WAITING_BYTES || !queue.offer(message)) {
        queue.clear();
        queue.add(GAP);
        bytes = GAP.length;
      } else {
        bytes += message.length;
      }
    }

    byte[] poll(long millis) throws InterruptedException {
      byte[] message = queue.poll(millis, TimeUnit.MILLISECONDS);
      if (message == null) {
        return HEARTBEAT;
      }
      synchronized (this) {
        bytes = Math.max(0, bytes - message.length);
      }
      return message;
    }
  }

  @Override
  public void event(DecisionEvent event) {
    if (!listening.isEmpty()) {
      byte[] data = DecisionEventCodec.encode(event);
      byte[] begin = ascii("event: decision\ndata: ");
      byte[] message = new byte[begin.length + data.length + 2];
      System.arraycopy(begin, 0, message, 0, begin.length);
      // JSON written by the console has no line breaks.
      System.arraycopy(data, 0, message, begin.length, data.length);
      message[message.length - 2] = '\n';
      message[message.length - 1] = '\n';
      listening.forEach(each -> each.offer(message));
    }
  }

  @Override
  public void anew() {
    listening.forEach(each -> each.offer(GAP));
  }

  /** Begins an answer to a page. */
  @FunctionalInterface
  interface Answer {
    OutputStream begin() throws IOException;
  }

  /**
   * Sends events until the page goes away or the server ends. Blocks.
   *
   * @return false if too many pages listen
   * @throws IOException if the page went away
   */
  boolean listen(Answer answer) throws IOException {
    if (closed || !places.tryAcquire()) {
      return false;
    }
    Listening mine = new Listening();
    try {
      OutputStream out = answer.begin();
      listening.add(mine);
      out.write(ascii("event: hello\ndata: " + hello() + "\n\n"));
      out.flush();
      while (!closed) {
        byte[] message = mine.poll(HEARTBEAT_MILLIS);
        if (message.length == 0) {
          break;
        }
        out.write(message);
        out.flush();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      listening.remove(mine);
      places.release();
    }
    return true;
  }

  private String hello() throws JsonProcessingException {
    return json.writeValueAsString(new Hello(clock.millis()));
  }

  /** Ends all streams. */
  void close() {
    closed = true;
    listening.forEach(each -> each.offer(END));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
