package io.idlalayer.benchmarks.campaign.nemesis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Event;
import io.idlalayer.benchmarks.campaign.check.History.Foreign;
import io.idlalayer.benchmarks.campaign.check.History.LostRange;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.History.Served;
import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Violation;
import io.idlalayer.benchmarks.campaign.process.Broker;
import io.idlalayer.benchmarks.campaign.process.Ground;
import io.idlalayer.benchmarks.campaign.process.ModelWatch;
import io.idlalayer.benchmarks.campaign.process.Product;
import io.idlalayer.benchmarks.campaign.process.Shim;
import io.idlalayer.benchmarks.campaign.process.Sockets;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One round: an application of its own on the campaign's broker, the processes that serve it, what
 * was done to them and what was seen. Confined to one thread.
 */
public final class Round implements AutoCloseable {
  /** Longest that a run may take after the last fault. */
  public static final double BOUND_SECONDS = 150;

  /** What a run prints once a version serves; builds before 30 November 2026 say the first. */
  static final Pattern PUBLISHED = Pattern.compile("model v\\d+ published|version \\d+ serves");

  static final Pattern WORKING =
      Pattern.compile(PUBLISHED.pattern() + "|input learned to its end|\\d+ received");
  private static final Pattern LOADED =
      Pattern.compile(" v(\\d+) loaded .*parent v\\d+, ([\\d,.]+) new samples");
  private static final int STARTS = 4;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Product product;
  private final Broker broker;
  private final @Nullable Path shimLibrary;
  private final @Nullable Shim brokerShim;
  private final Path folder;
  private final String name;
  private final SplittableRandom random;
  private final Map<String, Integer> faults = new TreeMap<>();
  private final List<Double> recoveries = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<Path> followerLogs = new ArrayList<>();
  private final List<Victim> victims = new ArrayList<>();
  private final List<Violation> own = new ArrayList<>();
  private final List<LostRange> lost = new ArrayList<>();
  private final Map<String, String> foreignBefore = new TreeMap<>();
  private Path work;
  private @Nullable Path foreignFolder;
  private @Nullable ModelWatch models;
  private @Nullable Broker cluster;
  private List<String> sockets = List.of();
  private long lastFaultNanos = System.nanoTime();
  private int exitCode = -1;
  private String message = "";
  private double afterLastFault;

  public Round(Ground ground, Path folder, String name, long seed) throws IOException {
    product = ground.product();
    broker = ground.broker();
    shimLibrary = ground.shimLibrary();
    brokerShim = ground.brokerShim();
    this.folder = folder;
    this.name = name;
    random = new SplittableRandom(seed);
    work = folder.resolve("work");
    Files.createDirectories(folder);
  }

  Product product() {
    return product;
  }

  Broker broker() {
    return broker;
  }

  SplittableRandom random() {
    return random;
  }

  Path folder() {
    return folder;
  }

  public String name() {
    return name;
  }

  /** The topics of this round are at the broker of a cluster of its own. */
  void clusterServers(String servers) {
    cluster = broker.at(servers);
  }

  String topic() {
    return name + "-in";
  }

  public Path work() {
    return work;
  }

  public void work(Path other) {
    work = other;
  }

  Path modelsRoot() {
    return work.resolve("models");
  }

  public Map<String, Integer> faults() {
    return faults;
  }

  public List<Double> recoveries() {
    return recoveries;
  }

  public List<String> notes() {
    return notes;
  }

  public List<Violation> own() {
    return own;
  }

  /** Something was broken just now. */
  void fault(String kind) {
    faults.merge(kind, 1, Integer::sum);
    lastFaultNanos = System.nanoTime();
    ModelWatch watching = models;
    boolean harmless =
        kind.startsWith("pause ") || kind.equals("kill subscriber") || kind.equals("kill producer");
    if (watching != null && !harmless) {
      watching.mayHaveRestarted();
    }
  }

  public void note(String text) {
    notes.add(text);
  }

  void violation(Invariant invariant, String what) {
    own.add(new Violation(invariant, what));
  }

  /** Offsets that were taken from the topic before anybody read them. */
  void lost(LostRange range) {
    lost.add(range);
  }

  /** Writes the application file. */
  public Path application(String text) throws IOException {
    Path file = folder.resolve("app.yaml");
    Files.writeString(file, text);
    return file;
  }

  public Path application() {
    return folder.resolve("app.yaml");
  }

  public Path input(String fileName, List<String> rows) throws IOException {
    Path file = folder.resolve(fileName);
    Files.createDirectories(file.getParent() == null ? folder : file.getParent());
    Files.write(file, rows);
    return file;
  }

  public Path report() {
    return folder.resolve("report.json");
  }

  /** The shim of a process, or nothing where it cannot be built. */
  @Nullable Shim shim(String process, Path prefix) throws IOException {
    Path library = shimLibrary;
    if (library == null) {
      note("no C compiler (cc): faults that need the shim were left out");
      return null;
    }
    return Shim.of(library, folder.resolve(process + ".shim"), prefix);
  }

  /** Steps the clock of the broker, if it can be stepped. */
  void brokerClock(long offsetSeconds) {
    Shim shim = brokerShim;
    if (shim != null) {
      shim.clock(offsetSeconds);
    }
  }

  /** Begins to follow the published models from outside. */
  public void watchModels() {
    if (models == null) {
      models = new ModelWatch(modelsRoot().resolve(name));
    }
  }

  List<History.Manifest> manifests() {
    ModelWatch watching = models;
    return watching == null ? List.of() : watching.manifests();
  }

  /** Puts files of other people where a run must leave them alone. */
  void foreign(Path shared) throws IOException {
    foreignFolder = shared;
    Files.createDirectories(shared.resolve("job_of_somebody"));
    Files.writeString(shared.resolve("job_of_somebody/data"), "not ours");
    Files.writeString(shared.resolve("job_list.txt"), "not ours either");
    foreignBefore.putAll(digests(shared));
  }

  private static Map<String, String> digests(Path shared) throws IOException {
    Map<String, String> found = new TreeMap<>();
    for (String file : List.of("job_of_somebody/data", "job_list.txt")) {
      Path path = shared.resolve(file);
      if (Files.exists(path)) {
        found.put(file, ModelWatch.sha256(Files.readAllBytes(path)));
      }
    }
    return found;
  }

  Victim start(String log, Map<String, String> environment, List<String> arguments)
      throws IOException {
    Victim victim = product.idla(folder.resolve(log + ".log"), environment, arguments);
    victims.add(victim);
    return victim;
  }

  Victim run(@Nullable Path input, int eventsPerSecond, Map<String, String> environment)
      throws IOException {
    return start(
        "run",
        environment,
        product.run(application(), work, broker.servers(), input, eventsPerSecond, report()));
  }

  Victim follow() throws IOException {
    String log = "follow-" + followerLogs.size();
    followerLogs.add(folder.resolve(log + ".log"));
    return start(log, Map.of(), product.follow(modelsRoot(), name));
  }

  public void track(Victim victim) {
    victims.add(victim);
  }

  /** Notes how long a process that was started anew took until it worked. */
  boolean awaitWork(Victim run, long millis) throws IOException, InterruptedException {
    boolean works = run.awaitText(WORKING, millis);
    if (works) {
      recoveries.add(run.seconds());
    }
    return works;
  }

  /** Addresses other than loopback on which a process listens. */
  void lookAtSockets(Victim victim) throws IOException {
    List<String> open = new ArrayList<>(sockets);
    open.addAll(Sockets.openToOthers(victim.pid()));
    sockets = List.copyOf(open);
  }

  /**
   * Runs until the input is learned: after an error the run is started again, as a supervisor
   * would, a few times. What the last one said and how long it took is what the checker sees.
   */
  int finish(@Nullable Path input, int eventsPerSecond, Map<String, String> environment)
      throws IOException, InterruptedException {
    return finish(input, eventsPerSecond, environment, STARTS, BOUND_SECONDS);
  }

  int finish(
      @Nullable Path input,
      int eventsPerSecond,
      Map<String, String> environment,
      int starts,
      double boundSeconds)
      throws IOException, InterruptedException {
    Files.deleteIfExists(report());
    long begin = System.nanoTime();
    for (int i = 0; i < starts; i++) {
      Victim run = run(input, eventsPerSecond, environment);
      boolean works = awaitWork(run, (long) (boundSeconds * 1000));
      if (works && sockets.isEmpty()) {
        lookAtSockets(run);
      }
      double left = boundSeconds - (System.nanoTime() - begin) / 1e9;
      OptionalInt code = run.awaitExit(Math.max(1, (long) (left * 1000)));
      if (code.isEmpty()) {
        String said = lastLines(run);
        dump(run);
        run.kill();
        return ended(-1, said, begin);
      }
      ended(code.getAsInt(), History.learned(code.getAsInt()) ? "" : lastLines(run), begin);
      if (History.learned(code.getAsInt())) {
        return exitCode;
      }
    }
    return exitCode;
  }

  private int ended(int code, String said, long beginNanos) {
    exitCode = code;
    message = said;
    afterLastFault = (System.nanoTime() - Math.max(beginNanos, lastFaultNanos)) / 1e9;
    return code;
  }

  private static String lastLines(Victim run) throws IOException {
    List<String> lines = run.tail().lines().toList();
    return String.join(" | ", lines.subList(Math.max(0, lines.size() - 4), lines.size()));
  }

  /** Makes a JVM that does not end print its threads to the log. */
  private static void dump(Victim run) throws IOException, InterruptedException {
    Victim.signal("QUIT", run.pid());
    Thread.sleep(500);
  }

  @Nullable JsonNode reportNode() throws IOException {
    return Files.exists(report()) ? JSON.readTree(report().toFile()) : null;
  }

  /** Takes over how another command than a run ended. */
  public void ended(int code, String said, double secondsAfterLastFault) {
    exitCode = code;
    message = said;
    afterLastFault = secondsAfterLastFault;
  }

  /** Everything that was seen. */
  public History history(Promise promise, @Nullable JsonNode faultFree)
      throws IOException, InterruptedException {
    Broker asked = cluster == null ? broker : cluster;
    List<Event> events = asked.events(topic());
    ModelWatch watching = models;
    List<List<Served>> followers = new ArrayList<>();
    List<String> refusals = new ArrayList<>();
    for (Path log : followerLogs) {
      read(log, followers, refusals);
    }
    Path shared = foreignFolder;
    return new History(
        events,
        List.copyOf(lost),
        manifests(),
        watching == null ? List.of() : watching.torn(),
        followers,
        refusals,
        asked.deadLetters(name + "-dead-letters"),
        reportNode(),
        faultFree,
        exitCode,
        message,
        afterLastFault,
        sockets,
        new Foreign(foreignBefore, shared == null ? Map.of() : digests(shared)),
        promise);
  }

  private static void read(Path log, List<List<Served>> followers, List<String> refusals)
      throws IOException {
    List<Served> served = new ArrayList<>();
    if (Files.exists(log)) {
      for (String line : Files.readAllLines(log)) {
        Matcher matcher = LOADED.matcher(line);
        if (matcher.find()) {
          served.add(
              new Served(
                  Long.parseLong(matcher.group(1)),
                  Long.parseLong(matcher.group(2).replaceAll("[,.]", ""))));
        } else if (line.startsWith("refused:")) {
          refusals.add(line);
        }
      }
    }
    followers.add(served);
  }

  /** Ends every process of the round. */
  void endAll() throws InterruptedException {
    for (Victim victim : victims) {
      victim.kill();
    }
  }

  /** Ends every process of the round and removes its topics. */
  @Override
  public void close() throws IOException, InterruptedException {
    endAll();
    ModelWatch watching = models;
    if (watching != null) {
      watching.close();
    }
    List<String> mine = broker.topics().stream().filter(it -> it.startsWith(name + "-")).toList();
    if (!mine.isEmpty()) {
      broker.delete(mine);
    }
  }

  static Map<String, String> with(Map<String, String> environment, String key, String value) {
    Map<String, String> all = new HashMap<>(environment);
    all.put(key, value);
    return all;
  }
}
