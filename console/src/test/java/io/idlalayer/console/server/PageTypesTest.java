package io.idlalayer.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.console.history.FollowedPlan;
import io.idlalayer.console.history.Learners;
import io.idlalayer.console.letters.DeadLetters;
import io.idlalayer.console.subscribers.ReportedSubscribers;
import io.idlalayer.console.topics.RecordingFeed;
import io.idlalayer.console.whatif.ExamplePlan;
import io.idlalayer.console.whatif.KeptPlans;
import io.idlalayer.jobs.capacityplan.CapacityPlanFile;
import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.events.HistoryUse;
import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.StageMoves;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.StepPlan;
import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.metrics.CalibrationBin;
import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.LabelMetrics;
import io.idlalayer.modelcontroller.quality.metrics.QuantileMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.CostBasis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page's types are those of the records, and what the server sends is of these types. {@code
 * -Didlalayer.write-types} writes the page's types anew.
 */
final class PageTypesTest {
  private static final String WRITE = "idlalayer.write-types";
  private static final Path RECORDING = Path.of("src/test/resources/recording.jsonl.gz");
  private static final Path WEB = Path.of("src/main/web/e2e");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @TempDir Path folder;

  @BeforeAll
  static void write() throws IOException {
    if (System.getProperty(WRITE) != null) {
      Files.writeString(PageAnswers.FILE, PageTypes.text());
    }
  }

  @Test
  void types_areThoseOfTheRecords() throws IOException {
    assertThat(Files.readString(PageAnswers.FILE))
        .as(
            "The records that the server sends, or their Javadoc, have changed. Write the page's"
                + " types anew with ./idla verify -Dtest=PageTypesTest -Dit.test=None -D%s and"
                + " commit console/%s; then dev/check-console says what the page makes of them.",
            WRITE, PageAnswers.FILE)
        .isEqualTo(PageTypes.text());
  }

  @Test
  void recordedEvents_areOfThePagesTypes() throws IOException {
    PageAnswers page = new PageAnswers();
    try (InputStream file = Files.newInputStream(RECORDING);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(new GZIPInputStream(file), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        page.check("DecisionEvent", JSON.readTree(line));
      }
    }
    JsonNode updates = JSON.readTree(Files.readString(Path.of("src/test/resources/updates.json")));
    page.check("DecisionEvent[]", updates.get("events"));
    page.check("UpdateEntry[]", updates.get("answers"));
    page.check("VersionTable", JSON.readTree(Files.readString(WEB.resolve("models.json"))));
  }

  /** Every field of every type is in some answer, so that none is left unchecked. */
  @Test
  void answers_areOfThePagesTypes() throws Exception {
    PageAnswers page = new PageAnswers();
    List<DecisionEvent> events = new ArrayList<>();
    try (RecordingFeed feed = new RecordingFeed(RECORDING, 0, System::nanoTime)) {
      feed.history(events::add);
    }
    publish();
    Learners learners = new Learners();
    for (DecisionEvent event : events) {
      learners.take(event);
      page.check("DecisionEvent", JSON.readTree(DecisionEventCodec.encode(event)));
    }
    ConsoleServer.Content content = content(learners);
    ServerSettings settings =
        new ServerSettings(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            "0123456789abcdef",
            null,
            false,
            Set.of());
    try (ConsoleServer server = ConsoleServer.start(settings, content, InstantSource.system())) {
      for (String path : List.of("console", "learners", "none")) {
        page.check(get(server, "api/" + path));
      }
      for (Learners.Learner learner : learners.learners()) {
        for (String what :
            List.of(
                "history",
                "updates",
                "events",
                "moves",
                "plan",
                "samples?id=%23100",
                "samples?id=%23" + traced(events, learner),
                "models",
                "subscribers")) {
          page.check(get(server, "api/learners/" + learner.learner() + "/" + what));
        }
      }
      page.check(get(server, "api/learners/electricity/0/what-if"));
      page.check(get(server, "api/applications/bikes/capacity"));
      plan("electricity");
      page.check(get(server, "api/applications/electricity/capacity"));
      page.check("Hello", JSON.readTree(firstOfTheStream(server)));
    }
    ObjectMapper json = ConsoleJson.mapper();
    page.check("RecordedAnswers", json.valueToTree(recorded(content.console().get(), learners)));
    page.check("DeadLetterPage", json.valueToTree(letters()));
    page.check("LostRange", json.valueToTree(new Status.LostRange("clicks-0", 3, 7, "retention")));
    ObjectNode status = json.valueToTree(learners.learners().get(0).last().status());
    status.set("survey", json.valueToTree(surveyed()));
    status.set("processor", json.valueToTree(processorUse()));
    status.set(
        "history",
        json.valueToTree(
            new HistoryUse(
                5,
                1,
                new HistoryUse.ClassesWithout(0.8, 0.7, 0.4),
                new HistoryUse.TargetsWithout(1.5, 1.25))));
    status.set("network", json.valueToTree(new ExpertQuality("network", 0.9, 7, 0.8, 1.5, 0.4)));
    status.set(
        "compared",
        json.valueToTree(
            new ComparedVersions(
                "accuracy",
                true,
                5_000,
                7,
                new ComparedVersions.MetricValues(0.8, 0.9),
                new ComparedVersions.KeptVersion(
                    3, 5_012, new ComparedVersions.MetricValues(0.5, 0.4)),
                new ComparedVersions.KeptVersion(
                    9, 10_020, new ComparedVersions.MetricValues(0.7, 0.6)))));
    status.set(
        "mixing",
        json.valueToTree(
            new MixingStatus(
                MixingStatus.State.SETTLED,
                4,
                7,
                5_000,
                3,
                1,
                200,
                List.of(new MixingStatus.Part(1, 10, 20, 0.5)),
                0.5,
                List.of("contribution 3 of partition 0 is left out"))));
    status.set("lastLabels", json.valueToTree(List.of(new LastLabel("station", 7, 0.8, 1.5))));
    page.check("CostBasis", json.valueToTree(new CostBasis(new RuleCosts(0, 1, 2), 0.5, 1)));
    page.check("Status", status);
    page.check("ClassMetrics", json.valueToTree(metrics()));
    page.check("CalibrationBin", json.valueToTree(new CalibrationBin(7, 0.2, 0.1)));
    TargetMetrics ofTargets =
        new TargetMetrics(1, 2, 3, 4, 5, 6, 0.5, 0.9, new QuantileMetrics(0.75, 1, 2));
    page.check(
        "Regression",
        json.valueToTree(
            new PrequentialSummary.Regression(1, 2, 3, 4, 5, 6, ofTargets, ofTargets)));
    page.check("FollowedPlan", json.valueToTree(followed()));
    page.check(
        "DecisionEvent",
        JSON.readTree(DecisionEventCodec.encode(events.get(0).with(followed().plan()))));
    page.check("TensorUse", json.valueToTree(planned()));
    page.check("Done", json.valueToTree(new WriteRoutes.Done("asked clicks")));
    assertThat(page.unmet()).as("fields in no example: add one here").isEmpty();
  }

  private static TensorUse planned() {
    return new TensorUse(
        "auto",
        new TensorUse.Copied(1, 2),
        new TensorUse.OnSlow(3, 4),
        new TensorUse.Arguments(5, 6),
        0.5,
        new TensorUse.Evictions(7, 8),
        new TensorUse.FastDevice(10, 9),
        new TensorUse.SlowDevice(14, 13, 11, 12),
        new TensorUse.Plan(
            "autovm", new TensorUse.StepSeconds(0.5, 0.6, 0.7, 0.4), 0.1, 2, 3, "other: slower"),
        new TensorUse.Loans(1, 2, 3, 4, 5, List.of(new TensorUse.Lender("a:1", 1, 2, 3))));
  }

  private static FollowedPlan followed() {
    List<Long> bytes = List.of(64L, 128L);
    StepPlan plan =
        new StepPlan("autovm", "", 3, 2, 1, 2, 128, 192, bytes, bytes, bytes, bytes, bytes);
    return new FollowedPlan(1_000, 7L, plan);
  }

  private static ClassMetrics metrics() {
    LabelMetrics labels = new LabelMetrics(0.6, 0.5, 0.2, 0.1);
    return new ClassMetrics(
        labels, labels, labels, -0.1, 0.3, 0.45, 0.9, 0.75, 0.01, 1.0, 0.8, 0.9);
  }

  private static ProcessorUse processorUse() {
    return new ProcessorUse(
        7,
        0.5,
        new ProcessorUse.Caused(1, 2, 3, 4, 5, 6, 7, 8),
        9,
        new ProcessorUse.OfProcess(60, 20));
  }

  private static Surveyed surveyed() {
    return new Surveyed(
        10,
        3,
        7,
        7,
        0,
        0,
        0,
        List.of(new Surveyed.RefusedKind("y: 'b' is ...", 3, "clicks-0", 7, "in.csv#8", "1,b")),
        List.of(new Surveyed.NameCount("'b'", 3)),
        List.of(new Surveyed.NameCount("Site", 7)),
        new Surveyed.NameList(List.of("site"), 1),
        new Surveyed.ConstantFields(List.of(new Surveyed.ConstantField("x", "0000")), 1),
        new Surveyed.NameList(List.of("a"), 1));
  }

  /** Three versions, of which the first is damaged, and the second is pinned and has a name. */
  private void publish() throws IOException {
    ModelStore store = new ModelStore(folder, InstantSource.system());
    ModelPublisher publisher = store.claim("electricity", 0);
    String digest = "";
    for (long parent = 0; parent < 3; parent++) {
      publisher.publish(draft(parent, digest));
      digest = store.read("electricity", 0, parent + 1).digest();
    }
    store.pin(store.read("electricity", 0, 2), 0, "better");
    store.alias("champion", store.read("electricity", 0, 2));
    Files.writeString(folder.resolve("electricity/0/v0000000001/manifest.json"), "{");
  }

  private static ModelDraft draft(long parent, String digest) {
    return new ModelDraft(
        "electricity",
        0,
        1,
        parent,
        digest,
        new TreeMap<>(),
        new TreeMap<>(Map.of("newSamples", 25L)),
        new TreeMap<>(Map.of("meanLossAfter", 0.25)),
        new TreeMap<>(Map.of("rule", "adaptive")),
        new TreeMap<>(Map.of("model.zip", new byte[] {1, 2, 3})));
  }

  private void plan(String application) throws IOException {
    ApplicationSettings settings =
        Applications.read(List.of(WEB.resolve(application + ".yaml"))).get(0);
    new CapacityPlanFile(folder, application).write(ExamplePlan.of(settings));
  }

  private ConsoleServer.Content content(Learners learners) {
    List<Path> files =
        Stream.of("electricity", "avazu", "bikes")
            .map(name -> WEB.resolve(name + ".yaml"))
            .toList();
    List<ApplicationSettings> applications = Applications.read(files);
    List<ApplicationInfo> all = new ArrayList<>(ConsoleInfo.applications(applications, learners));
    all.add(ApplicationInfo.unknown("other"));
    ConsoleInfo console =
        new ConsoleInfo(
            ConsoleInfo.VERSION, ConsoleInfo.Source.KAFKA, "broker:9092", 1, true, true, "", all);
    ReportedSubscribers.Subscriber subscriber =
        new ReportedSubscribers.Subscriber(
            "checkout", "h", "champion", 3, 1_000, 70_000, true, 2, "refused", 1, 31_000, true);
    return new ConsoleServer.Content(
        () -> console,
        learners,
        new ConsoleData(applications, null, folder.toString()),
        of -> new ReportedSubscribers(true, "", false, List.of(subscriber)),
        new KeptPlans(applications, files, folder));
  }

  /** A sample whose moves are known. */
  private static long traced(List<DecisionEvent> events, Learners.Learner learner) {
    return events.stream()
        .filter(event -> event.learner().equals(learner.learner()) && event.moves() != null)
        .flatMap(event -> event.moves().traced().stream())
        .mapToLong(StageMoves.Move::sampleId)
        .findFirst()
        .orElseThrow();
  }

  private static HttpResponse<String> get(ConsoleServer server, String path) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(server.address().resolve(path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static String firstOfTheStream(ConsoleServer server) throws Exception {
    HttpResponse<InputStream> stream =
        CLIENT.send(
            HttpRequest.newBuilder(server.address().resolve("api/stream")).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).isEqualTo("event: hello");
      return lines.readLine().substring("data: ".length());
    }
  }

  /** {@code ReportMainTest} checks what a report really holds. */
  private static RecordedAnswers recorded(ConsoleInfo console, Learners learners) {
    return new RecordedAnswers(
        console,
        learners.learners(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>());
  }

  private static DeadLetters.Page letters() {
    return new DeadLetters.Page(
        "",
        1,
        List.of(
            new DeadLetters.Letter(
                "0-17", 1_000, "clicks", 0, 17, "no number", "a.csv:3", "x", false, 1, false, "")));
  }
}
