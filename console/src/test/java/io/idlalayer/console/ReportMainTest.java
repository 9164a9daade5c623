package io.idlalayer.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.console.server.PageAnswers;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportMainTest {
  private static final String DATA = "<script type=\"application/json\" id=\"recorded\">";

  @TempDir Path folder;
  private final ConsoleLine line = new ConsoleLine();

  private Path recording(List<DecisionEvent> events) throws Exception {
    String lines =
        events.stream()
            .map(it -> new String(DecisionEventCodec.encode(it), StandardCharsets.UTF_8))
            .collect(Collectors.joining("\n"));
    return Files.writeString(folder.resolve("decisions.jsonl"), lines);
  }

  @Test
  void thePage_hasStyleScriptAndData() throws Exception {
    List<DecisionEvent> events = new ArrayList<>(ConsoleEvents.update(1, 10_000));
    events.add(
        ConsoleEvents.event(
            DecisionEvent.Type.INPUT, 20_000, 4, 1, null, "</script><script>alert(1)</script>"));
    Path page = folder.resolve("report.html");
    assertThat(line.run(new ReportMain(), recording(events), "--html", page))
        .describedAs(line.said())
        .isZero();
    String html = Files.readString(page);
    assertThat(html).doesNotContain("src=\"./console.js\"", "href=\"./console.css\"", "alert(1)</");
    int begin = html.indexOf(DATA) + DATA.length();
    JsonNode data =
        new ObjectMapper().readTree(html.substring(begin, html.indexOf("</script>", begin)));
    new PageAnswers().check("RecordedAnswers", data);
    assertThat(data.at("/console/source").textValue()).isEqualTo("recording");
    assertThat(data.at("/console/nowMillis").longValue()).isEqualTo(20_000);
    assertThat(data.at("/updates/clicks~10/0/state").textValue()).isEqualTo("published");
    assertThat(data.at("/events/clicks~10/0/message").textValue())
        .isEqualTo("</script><script>alert(1)</script>");
    assertThat(data.at("/history/clicks~10/atMillis")).hasSize(4);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void aRecordingThatIsCut_isShownWithANote() throws Exception {
    Path file = recording(ConsoleEvents.update(1, 10_000));
    Files.writeString(file, "\n{\"formatVersion\":1,", StandardOpenOption.APPEND);
    Path page = folder.resolve("report.html");
    assertThat(line.run(new ReportMain(), file, "--html", page)).isZero();
    assertThat(line.said()).contains("note: ", "decisions.jsonl:4: the last line has no end");
    assertThat(Files.readString(page)).contains("decisions.jsonl:4: the last line has no end");
  }

  @Test
  void whatCannotBeRead_isNamed() throws Exception {
    Path page = folder.resolve("report.html");
    assertThat(line.run(new ReportMain(), "none.jsonl --html", page)).isEqualTo(2);
    assertThat(line.said()).contains("none.jsonl: no such file");
    Path broken = Files.writeString(folder.resolve("broken.jsonl"), "{}\n");
    assertThat(line.run(new ReportMain(), broken, "--html", page)).isEqualTo(1);
    assertThat(line.said()).contains("broken.jsonl:1: not a decision event");
    assertThat(page).doesNotExist();
  }

  @Test
  void optionsThatContradictEachOther_areRefused() throws Exception {
    Path file = recording(ConsoleEvents.update(1, 10_000));
    String recorded = "--recording " + file + " ";
    assertThat(line.run(new ConsoleMain())).isEqualTo(2);
    for (String options :
        List.of(
            "--bootstrap-servers 127.0.0.1:1",
            recorded + "--bootstrap-servers 127.0.0.1:1",
            "--recording none.jsonl",
            recorded + "--replay-speed 0",
            "--replay-speed 2",
            recorded + "--port 70000",
            recorded + "--host 0.0.0.0",
            recorded + "--host no.such.host.invalid",
            recorded + "--client-certificates x",
            recorded + "--key-store none.p12",
            recorded + "--token-file none",
            recorded + "--work-dir a --models-dir b")) {
      assertThat(line.run(new ConsoleMain(), options)).describedAs(options).isEqualTo(2);
    }
  }
}
