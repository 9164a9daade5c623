package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History.Event;
import io.idlalayer.benchmarks.campaign.check.History.Origin;
import io.idlalayer.benchmarks.campaign.check.Observed;
import io.idlalayer.benchmarks.campaign.input.InputCase;
import io.idlalayer.benchmarks.campaign.input.InputCases;
import io.idlalayer.benchmarks.campaign.input.InputHistory;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Gives a run an odd application file or input, of which it is known what must come of it. */
final class InputNemesis implements Nemesis {
  private static final double SECONDS_MAX = 120;

  @Override
  public Observed play(Round round) throws IOException, InterruptedException {
    InputCase odd = InputCases.draw(round.random());
    odd.about().forEach(round::fault);
    Path application = round.application(odd.applicationFile(round.name()));
    Path input = round.folder().resolve(odd.fileName());
    Files.write(input, odd.bytes());
    List<String> arguments =
        new ArrayList<>(
            round
                .product()
                .run(
                    application, round.work(), round.broker().servers(), input, 0, round.report()));
    arguments.addAll(odd.options());
    Victim run = round.start("run", Map.of(), arguments);
    OptionalInt code = run.awaitExit((long) (SECONDS_MAX * 1000));
    double seconds = run.seconds();
    run.kill();
    List<Event> events =
        round.broker().events(round.topic()).stream().filter(event -> !event.control()).toList();
    List<Long> offsets = events.stream().map(Event::offset).toList();
    List<Integer> deadLetters =
        round.broker().deadLetters(round.name() + "-dead-letters").stream()
            .map(Origin::offset)
            .map(offsets::indexOf)
            .sorted()
            .toList();
    return new InputHistory(
        odd.about(),
        odd.readings(),
        odd.expected(),
        code.orElse(-1),
        run.output(),
        round.reportNode(),
        events.stream().map(Event::value).toList(),
        deadLetters,
        seconds,
        SECONDS_MAX);
  }
}
