package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * The input topic of a {@link LearnerHistory}, at whose end random events appear. A sample is known
 * by its content, a number. The checker hears what is sent.
 */
final class HistoryTopic {
  private final Random random;
  private final HistoryChecker checker;
  private final SampleCodec codec = new SampleCodec();
  private final List<LearnerEvent> events = new ArrayList<>();
  private final Set<Integer> culprits = new HashSet<>();
  private final List<Integer> waitingForLabel = new ArrayList<>();
  private final List<Integer> withdrawn = new ArrayList<>();
  private int contents;

  HistoryTopic(Random random, HistoryChecker checker) {
    this.random = random;
    this.checker = checker;
  }

  InputPosition next() {
    return new InputPosition("events", 0, events.size());
  }

  int size() {
    return events.size();
  }

  LearnerEvent get(int position) {
    return events.get(position);
  }

  void add(LearnerEvent event) {
    events.add(event);
  }

  /** How many events are not requests. */
  long dataEvents() {
    return events.stream().filter(LearnerEvent.Input.class::isInstance).count();
  }

  /** Whether the sample makes trainings fail. */
  boolean isCulprit(int content) {
    return culprits.contains(content);
  }

  /** Sends an event of any kind. */
  void sendAny(long nowMillis) {
    int draw = random.nextInt(100);
    if (draw < 70 || contents == 0) {
      sample(++contents, label(), nowMillis);
    } else if (draw < 80) {
      sample(1 + random.nextInt(contents), label(), nowMillis);
    } else if (draw < 85) {
      add(new LearnerEvent.Malformed(next(), nowMillis, LearnerSimulation.REFUSED));
      checker.malformedSent();
    } else if (draw < 92) {
      waitingForLabel.add(++contents);
      sample(contents, Sample.NO_LABEL, nowMillis);
    } else if (!waitingForLabel.isEmpty()) {
      int late = waitingForLabel.remove(random.nextInt(waitingForLabel.size()));
      sample(late, label(), nowMillis);
    } else {
      add(new LearnerEvent.Explain(next(), id(1 + random.nextInt(contents))));
    }
  }

  /** Sends an event; if it is a new sample, that one makes trainings fail. */
  void sendCulprit(long nowMillis) {
    if (contents > 0) {
      culprits.add(contents + 1);
      sendAny(nowMillis);
    }
  }

  /** Takes back the label of a late sample, or gives one again that was taken back. */
  void retract(long nowMillis) {
    if (contents == 0) {
      return;
    }
    if (!withdrawn.isEmpty() && random.nextBoolean()) {
      sample(withdrawn.remove(random.nextInt(withdrawn.size())), label(), nowMillis);
    } else {
      int content = Math.max(1, contents - random.nextInt(20));
      add(new LearnerEvent.RetractionRequest(next(), id(content), new TreeMap<>()));
      checker.retractionSent(content);
      withdrawn.add(content);
    }
  }

  private double label() {
    return random.nextInt(2);
  }

  private static String id(int content) {
    return "e" + content;
  }

  private void sample(int content, double label, long nowMillis) {
    Sample sample = new Sample(id(content), new double[] {content}, new int[0], label);
    add(
        new LearnerEvent.SampleArrived(
            next(),
            nowMillis,
            sample,
            ContentHasher.of(sample),
            codec.encode(sample),
            LearnerEvent.RawEvent.NONE));
    checker.sampleSent(content, sample.labeled(), isCulprit(content));
  }
}
