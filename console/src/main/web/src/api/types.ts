/**
 * What the server sends: the events of the decision topic and the answers of the console.
 *
 * Generated from the Java records, see "The page" in docs/console.md. Do not edit.
 */

/** One event, as JSON. */
export interface DecisionEvent {
  formatVersion: number;
  type: EventType;
  application: string;
  partition: number;
  /** epoch milliseconds of the operator's clock */
  atMillis: number;
  /** cumulative state; present on every type */
  status: Status;
  /** the update this is about; absent on STATUS, RESTORED and FINISHED */
  update?: UpdateRecord;
  /** a sentence for people, "" when the type says it all; at most `MESSAGE_LENGTH` characters */
  message: string;
  /** when the new samples of the update arrived; on FIRED and ARRIVALS, absent elsewhere */
  arrivals?: ArrivalTimes;
  /** who moved between life stages; on STAGED, absent elsewhere */
  moves?: StageMoves;
  /** the answer to a question for a sample; on EXPLAINED, absent elsewhere */
  sample?: SampleView;
}

/** What happened. */
export type EventType =
  | 'STATUS'
  | 'FIRED'
  | 'ARRIVALS'
  | 'ABORTED'
  | 'DROPPED'
  | 'STAGED'
  | 'RULES'
  | 'INPUT'
  | 'EXPLAINED'
  | 'PUBLISHED'
  | 'HELD'
  | 'WORSE'
  | 'ROLLED_BACK'
  | 'UNCOMPARED'
  | 'RESTORED'
  | 'FINISHED';

/** Cumulative numbers of one application partition since its first event, across restarts. */
export interface Status {
  samples: Samples;
  stages: Stages;
  progress: Progress;
  prequential: PrequentialSummary;
  incorporation: Incorporation;
  ingestion: Ingestion;
  hotSamples: HotSamples;
  decision: Decision;
  /** next offset to read by "topic-partition" */
  inputOffsets: Record<string, number>;
  input: Input;
  /** what trains the model and tests new samples */
  engine: Engine;
  /** rows of embedding tables; absent if the model has none */
  tables?: RowUsage;
  /** how the newest model compares with one before it; absent if models are not compared */
  gate?: Gate;
  /** that an older version serves; absent if the newest one does, or if that is not known */
  pinned?: Pinned;
}

/** Events by fate. */
export interface Samples {
  received: number;
  malformed: number;
  /** events that brought no label */
  unlabeled: number;
  /** events whose content was stored already */
  duplicates: number;
  /** samples in the store now */
  stored: number;
  /** payload bytes of these */
  storedBytes: number;
  /** Discard samples that arrived again and became Newborn (not duplicates) */
  revived: number;
  /** labels that arrived later and met their sample */
  joined: number;
  /** samples removed for room */
  evicted: number;
  /** new samples given up after repeated failed trainings */
  quarantined: number;
  /** new samples among `trainedNewSamples` that the model knew already, so that their update did not train on them */
  passedOver: number;
}

/** Stored samples by life stage. */
export interface Stages {
  newborn: number;
  mature: number;
  preserve: number;
  discard: number;
}

/** How far learning has come. */
export interface Progress {
  /** accepted ones */
  updates: number;
  /** samples trained for the first time */
  trainedNewSamples: number;
  /** the newest published version, 0 before the first; an older one may serve, see `Pinned` */
  modelVersion: number;
  /** whether a training runs now */
  training: boolean;
}

/** Test-then-train quality since the stream began. */
export interface PrequentialSummary {
  /** samples scored before they were trained */
  scored: number;
  /** samples the scorer had no time for or failed on, and targets without a finite prediction */
  unscored: number;
  classification?: Classification;
  regression?: Regression;
}

/** How well classes were predicted. */
export interface Classification {
  /** mean, in nats */
  logLoss: number;
  accuracy: number;
  /** accuracy on the last 1,000 scored samples */
  recentAccuracy: number;
  /** of predicting the label before */
  noChangeAccuracy: number;
  /** of predicting the most frequent label so far */
  majorityAccuracy: number;
  /** the first reference line on the samples of `recentAccuracy` */
  recentNoChangeAccuracy: number;
  /** the second one on them */
  recentMajorityAccuracy: number;
  /**
   * in the order of the application file; of more than `MOST_CLASSES` classes those that came most among the last 1,000
   * samples
   */
  byClass: ClassQuality[];
}

/** How well one class was predicted: `correct / samples` is its recall, `correct / predicted` its precision. */
export interface ClassQuality {
  name: string;
  /** scored ones of this class */
  samples: number;
  /** scored samples of which this class was predicted */
  predicted: number;
  /** samples of this class of which it was predicted */
  correct: number;
  /** likewise, among the last 1,000 scored samples of all classes */
  recentSamples: number;
  recentPredicted: number;
  recentCorrect: number;
}

/** How well targets were predicted, in units of the label. */
export interface Regression {
  meanAbsoluteError: number;
  rootMeanSquaredError: number;
  /** of predicting the label before */
  noChangeMeanAbsoluteError: number;
}

/** Seconds from a new sample's arrival at the operator to the publication of its update. */
export interface Incorporation {
  count: number;
  meanSeconds: number;
  p99Seconds: number;
}

/**
 * Milliseconds from a record's timestamp in the topic until it is booked, over the events since the last status (not
 * cumulative).
 */
export interface Ingestion {
  events: number;
  p50Millis: number;
  p99Millis: number;
  maxMillis: number;
}

/** What the hot cache of the process did for this learner since it was opened. */
export interface HotSamples {
  /** what it gives to the cache */
  donatedBytes: number;
  /** of its payloads that are in the cache now */
  payloadBytes: number;
  /** payloads found in DRAM when a batch was built */
  hits: number;
  /** payloads read from the store */
  misses: number;
  /** what payloads were read and written behind the cache; those read for later are among them */
  store: StoreTraffic;
}

/** What a learner read from a durable store and wrote to it since it was opened. */
export interface StoreTraffic {
  /** of entries that were found */
  readBytes: number;
  /** of entries; how many the store's own files take is not known */
  writtenBytes: number;
  /** how long the learner's thread took to read, until it had copies */
  waitSeconds: number;
}

/** The standing decision. */
export interface Decision {
  /** samples that wait */
  pending: number;
  /** negative if no firing is in sight */
  nextFiringInSeconds: number;
  grounds: Grounds;
}

/** What an update rule says, and what that rests on. */
export interface Grounds {
  /** as in the application file */
  rule: string;
  /** a sentence for people: what decided, including a hard limit if one did */
  reason: string;
  /** what the rule weighed */
  charge: Charge;
  /** duration of the training, replayed samples included */
  predicted: PredictedSeconds;
  /** the costs that the rule weighed with */
  basis: CostBasis;
  /** how near the schedule is to the best possible one */
  guarantee: Guarantee;
}

/** What a rule has charged for the samples that wait. */
export interface Charge {
  /** charged so far; largest regret of a split for rules that do not weigh */
  sampleSeconds: number;
  /** charge at which the rule fires; 0 for rules without one */
  thresholdSampleSeconds: number;
  /** what waiting has cost in virtual time, whatever the rule charges */
  virtualWaitingSampleSeconds: number;
}

/** A prediction in seconds with its 95 % interval. */
export interface PredictedSeconds {
  /** lower end, at least 0 */
  low: number;
  /** what is expected */
  mean: number;
  /** upper end */
  high: number;
}

/** The costs that a decision was weighed with. */
export interface CostBasis {
  /** as charged, the weight divided by the urgency */
  costs: RuleCosts;
  /** factor by which waiting is charged more because of a drift; 1 is normal */
  urgency: number;
}

/** What a rule weighs, fixed between two trainings. */
export interface RuleCosts {
  /** lambda: what one more sample adds to a training */
  secondsPerSample: number;
  /** eps' = eps + lambda * R: what one more training adds, with R replayed samples */
  fixedSeconds: number;
  /** w: samples that wait one second outweigh one second of training */
  weight: number;
}

/** How near the schedule is to the best possible one. */
export interface Guarantee {
  /** this schedule costs at most this many times the best possible so far, by the costs as estimated; 1 is perfect */
  certifiedRatio: number;
  /** how often `adaptive` was held to its bound */
  guardDenials: number;
  /** updates that had to wait for a running one */
  delayedUpdates: number;
}

/** What is to be said of the input beside its events. */
export interface Input {
  /** offsets that were gone before they were read, all ranges together */
  lostOffsets: number;
  /** the latest ranges, at most 64 */
  lost: LostRange[];
  /** records that came again after they had been learned; not learned twice */
  reread: number;
  /** records on the control topic that are no request; in the dead letters */
  refusedControls: number;
  /** ids of the last ends that were reached, at most 16, the latest last */
  ends: string[];
  /** id of the Flink job that says so: two runs of one application on one Kafka write to the same topic */
  run: string;
}

/** Offsets that were gone before they were read; how many events they held is not known. */
export interface LostRange {
  /** topic and partition, as in `inputOffsets` */
  input: string;
  /** first offset */
  from: number;
  /** offset behind the last */
  until: number;
  why: string;
}

/** What trains the model and tests new samples with it. */
export interface Engine {
  /** and version; "" if it is not known */
  name: string;
  /** of its kernels; another number gives other bits */
  threads: number;
  /** why it is not the product's own engine with oneDNN; "" if it is, or if another one was asked for */
  reason: string;
  /** what of the training is slow or has no effect, in sentences */
  warnings: string[];
}

/** Rows of embedding tables; all behind `filterBytes` since the learner was opened. */
export interface RowUsage {
  /** of ids that there are; those of missing and of unknown ids are not counted */
  rows: number;
  /** in DRAM */
  hotRows: number;
  /** that these take */
  fastBytes: number;
  /** of the store that rows and counts of ids take, by definition of the cap */
  slowBytes: number;
  /** ids without a row that have a count in the store */
  counted: number;
  /** of DRAM that the filter of other ids takes */
  filterBytes: number;
  /** reads of hot rows */
  hits: number;
  /** reads of rows that were not hot and in DRAM all the same: read ahead from the store, or not written to it yet */
  buffered: number;
  /** reads of rows from the store */
  misses: number;
  /** ids without a row that were asked for */
  unknown: number;
  /** ids that got a row */
  admitted: number;
  /** times that an id got no row because its table or the store was full */
  refused: number;
  /** times that an id of a new sample was none of the row numbers of its table of fixed size */
  outOfRange: number;
  /** rows deleted, by reason */
  expired: Expired;
  /** rows written to the store */
  flushed: number;
  /** what was read and written there: rows, counts, and changes to rows in DRAM */
  store: StoreTraffic;
  /** the tables with most misses, at most `MOST_TABLES` */
  byTable: OfTable[];
}

/** Rows of embedding tables that were deleted. */
export interface Expired {
  /** because nobody used them for long */
  unused: number;
  /** because their ids came seldom */
  rare: number;
  /** because their weights are almost zero */
  small: number;
  /** because settings allow fewer than there were */
  excess: number;
}

/** One table; its numbers mean what they mean in `RowUsage`. */
export interface OfTable {
  name: string;
  rows: number;
  hotRows: number;
  hits: number;
  buffered: number;
  misses: number;
  unknown: number;
  admitted: number;
  refused: number;
  /** rows deleted, for any reason */
  expired: number;
}

/** How the newest model compares with the last version that was found good. */
export interface Gate {
  /** that serves, also where people pinned it; 0 before the first */
  inServiceVersion: number;
  /** whether the newest model waits for samples to be compared on */
  held: boolean;
  /** version that the newest model is compared with, 0 for none */
  comparedWith: number;
  /** compared, since the last restart at most */
  samples: number;
  /** how much worse the newest model is, in units of the metric */
  difference: number;
  /** that were not published because they were worse, or looked so and gave way to a newer one */
  heldModels: number;
  /** times that an older version was put in service again, and no newer one had taken its place by then */
  rollbacks: number;
}

/** An older version serves, since people or the release gate have said so. */
export interface Pinned {
  /** that serves */
  version: number;
  /** it serves until a version above this one is published; 0: until it is unpinned */
  until: number;
  /** a sentence for people */
  reason: string;
  /** who has said so: a process, or a learner */
  by: string;
}

/** One update: what was decided, what was trained, what was published. */
export interface UpdateRecord {
  /** counts updates from 1, without gaps along the lineage */
  number: number;
  firing: Firing;
  /** absent until the training has succeeded */
  training?: Training;
  /** absent until the model is in service */
  published?: Published;
}

/** What was decided. */
export interface Firing {
  /** epoch milliseconds of the wall clock */
  atMillis: number;
  /** samples whose wait ended with it */
  newSamples: number;
  /** samples that trained again */
  replayedSamples: number;
  grounds: Grounds;
}

/** What was trained. */
export interface Training {
  /** published version that the model continues, 0 for none */
  parentVersion: number;
  /** measured by a monotonic clock */
  seconds: number;
  /** weighted mean over the rows of which it is known */
  meanLossBefore: number;
  /** weighted mean over the rows under the new model */
  meanLossAfter: number;
  /** where tensors were; absent if they were not placed, but all in DRAM */
  tensors?: TensorUse;
}

/** Where a model's tensors were during one training, see `docs/memory.md`. */
export interface TensorUse {
  /** that placed them */
  policy: string;
  /** between the devices */
  copied: Copied;
  /** what kernels read and wrote on the slow device, without a copy */
  onSlow: OnSlow;
  /** of kernels, by where they were */
  arguments: Arguments;
  /** that kernels and allocations waited for copies */
  stallSeconds: number;
  evictions: Evictions;
  fast: FastDevice;
  slow: SlowDevice;
}

/** Bytes that were copied from one device to the other. */
export interface Copied {
  fastToSlowBytes: number;
  slowToFastBytes: number;
}

/** Bytes that kernels read and wrote where they lay on the slow device. */
export interface OnSlow {
  readBytes: number;
  writtenBytes: number;
}

/** Arguments of kernels. */
export interface Arguments {
  /** that were on the fast device */
  hits: number;
  /** that were not */
  misses: number;
}

/** Tensors that left the fast device. */
export interface Evictions {
  /** that had to leave because another needed their space */
  forced: number;
  /** given up while only the fast device had them, or fresher */
  avoidedWriteBackBytes: number;
}

/** The fast device. */
export interface FastDevice {
  /** of the device */
  bytes: number;
  /** most bytes in use so far, over all trainings of the learner */
  highWaterBytes: number;
}

/** The slow device. */
export interface SlowDevice {
  /** of the device */
  bytes: number;
  /** most bytes in use so far, over all trainings of the learner */
  highWaterBytes: number;
  /**
   * as it was measured when the learner was opened, corrected by what copies really took since then; policies decide by
   * it
   */
  readBytesPerSecond: number;
  writeBytesPerSecond: number;
}

/** What was published. */
export interface Published {
  version: number;
  /** when the pointer moved, epoch milliseconds of the wall clock */
  atMillis: number;
}

/** When new samples of an update arrived, as runs of equal times, ascending. */
export interface ArrivalTimes {
  /** epoch milliseconds of the oldest of this part */
  firstMillis: number;
  /** of each run, after the oldest */
  afterMillis: number[];
  /** samples of each run */
  counts: number[];
  /** 1 to `parts` */
  part: number;
  /** how many parts the update has */
  parts: number;
}

/** Who moved between life stages in one update. */
export interface StageMoves {
  /** evaluated and aged samples by `BEFORE>AFTER` */
  counts: Record<string, number>;
  /** each move of one sample in 64, always the same ones, so that their histories are whole */
  traced: StageMove[];
}

/** One move. */
export interface StageMove {
  sampleId: number;
  before: string;
  after: string;
  score: number;
  contribution: number;
  /** SCORE, NOISE, AGE or KNOWN */
  cause: string;
}

/** Why a sample has its stage; the answer to a question for it. */
export interface SampleView {
  /** the id that was asked for: the event's own, or `#` and the sample's number; see `asked(String)` */
  asked: string;
  /** whether the learner has such a sample; the rest means nothing if not */
  found: boolean;
  sampleId: number;
  /** NEWBORN, MATURE, PRESERVE or DISCARD */
  stage: string;
  labeled: boolean;
  /** what decided at its last evaluation */
  score: number;
  /** what the same facts would score now */
  scoreNow: number;
  /** what the score rests on, by name */
  facts: Record<string, number>;
  /** how strongly each rule fires on these facts; empty if no rules decide */
  strengths: Record<string, number>;
  /** last known loss, -1 when never measured */
  loss: number;
  /** how often it was evaluated */
  evaluations: number;
  /** number of the last update that trained on it, 0 for none */
  lastUpdate: number;
  /**
   * how often its ids came in training, by feature; the rarest of a list, 0 for one without a row. Empty if the model
   * has no tables
   */
  idOccurrences: Record<string, number>;
}

/** How a stream begins. */
export interface Hello {
  /** epoch milliseconds of the console's clock */
  nowMillis: number;
}

/** What the page is told of the console itself. */
export interface ConsoleInfo {
  version: string;
  /** where events come from */
  source: ConsoleSource;
  /** servers, or the name of the file */
  sourceName: string;
  /** epoch milliseconds of the console's clock */
  nowMillis: number;
  /** whether something can be asked or changed */
  writable: boolean;
  /** whether events can be read now */
  connected: boolean;
  /** why they cannot; if they can, that a recording ends too early, or "" */
  problem: string;
  applications: ApplicationInfo[];
}

/** Where events come from. */
export type ConsoleSource = 'kafka' | 'recording';

/** What the page should know of an application beside its events. */
export interface ApplicationInfo {
  name: string;
  partitions: number;
  /** classification or regression; "" if nothing but events is known */
  task: string;
  classes: string[];
  modelType: string;
  rule: string;
  /** sample-seconds of waiting that one second of training is worth */
  weight: number;
  /** in money, null if the application file does not say */
  machinePricePerSecond: number | null;
  /** in money, null if the application file does not say */
  stalenessPricePerSampleSecond: number | null;
  score: string;
  /** whether the model has embedding tables */
  tables: boolean;
  /** DRAM for tensors in training; 0: they are not placed */
  tensorFastBytes: number;
  hotBytes: number;
  gateAction: string;
  maxSamples: number;
  keep: number;
}

/** A learner and its newest event. */
export interface LearnerInfo {
  learner: string;
  application: string;
  partition: number;
  last: DecisionEvent;
}

/** Numbers of a learner's statuses over time. */
export interface StatusTable {
  /** of the columns */
  names: string[];
  /** epoch milliseconds of the points, ascending */
  atMillis: number[];
  /** by column, then by point; NaN where a status had no such number, null in JSON */
  values: (number | null)[][];
}

/** How far an update has come. */
export interface UpdateEntry {
  /** of the update */
  number: number;
  /** what happened last */
  state: UpdateState;
  /** epoch milliseconds of the events that said so, null if there was none */
  firedAtMillis: number | null;
  stagedAtMillis: number | null;
  publishedAtMillis: number | null;
  heldAtMillis: number | null;
  /** what is known of it */
  update: UpdateRecord;
  /** of the last event about it */
  message: string;
}

/** What happened to an update last. */
export type UpdateState = 'fired' | 'training-failed' | 'aborted' | 'staged' | 'published' | 'held';

/** What people should read about a learner. */
export interface Note {
  atMillis: number;
  type: EventType;
  /** that it is about, null for none */
  updateNumber: number | null;
  message: string;
}

/** Who moved between life stages, by `BEFORE>AFTER`. */
export interface MoveHistory {
  /** since the first event that was read */
  counts: Record<string, number>;
  /** of the newest updates */
  points: MovePoint[];
}

/** The moves of one update. */
export interface MovePoint {
  atMillis: number;
  updateNumber: number | null;
  counts: Record<string, number>;
}

/** What is known of a sample. */
export interface SampleHistory {
  /** the newest, null if nobody asked */
  answer: SampleView | null;
  /** that the topic told, oldest first; of one sample in 64 */
  moves: SampleMove[];
}

/** One move between life stages. */
export interface SampleMove {
  atMillis: number;
  before: string;
  after: string;
  score: number;
  contribution: number;
  cause: string;
}

/** The versions of one application partition, newest first. */
export interface VersionTable {
  /** what beside versions is damaged or cannot be read, in sentences; "" if nothing is */
  problem: string;
  /** version that the pointer names, 0 for none */
  current: number;
  /** version that subscribers use; another one than `current` while a pin holds */
  serving: number;
  /** that holds, null for none */
  pin: Pin | null;
  /** names of versions; none if their file is damaged, which is a problem then */
  aliases: Record<string, Alias>;
  versions: ModelVersion[];
}

/** Says that a version serves although it is not the newest. */
export interface Pin {
  formatVersion: number;
  /** that serves */
  version: number;
  /** of its manifest */
  digest: string;
  /** the pin holds until a version above this one is current; 0: until it is taken away */
  until: number;
  /** a sentence for people */
  reason: string;
  /** who set it: a process, or a learner */
  by: string;
  /** when, epoch milliseconds */
  atMillis: number;
}

/** A name that people gave to a version, and may give to another one. */
export interface Alias {
  /** that has the name */
  version: number;
  /** of its manifest */
  digest: string;
  /** who gave it */
  by: string;
  /** when, epoch milliseconds */
  atMillis: number;
}

/** One version. */
export interface ModelVersion {
  version: number;
  /** version that it continues, 0 for none; null if not known */
  parent: number | null;
  /** epoch milliseconds, null if not known */
  createdAtMillis: number | null;
  /** SHA-256 of the manifest, null if not known */
  digest: string | null;
  /** of all files, null if not known */
  bytes: number | null;
  files: ModelFile[];
  attributes: Record<string, string>;
  counts: Record<string, number>;
  metrics: Record<string, number>;
  descent: Descent;
  /**
   * what is wrong with its manifest, or with names and lengths of its files, a sentence; "" if nothing is. Contents are
   * not read.
   */
  damaged: string;
}

/** One file of a version. */
export interface ModelFile {
  name: string;
  bytes: number;
  /** lower-case hexadecimal */
  sha256: string;
}

/** How a version is related to the current one. */
export type Descent = 'CURRENT' | 'ABANDONED' | 'UNKNOWN';

/** Those who report to serve the models of an application partition. */
export interface ReportedSubscribers {
  /** whether there is a place where they could report themselves; not so for recorded events */
  readable: boolean;
  /** why they cannot be read now, "" if they can */
  problem: string;
  /** whether there are more than are shown */
  more: boolean;
  /** by name */
  subscribers: Subscriber[];
}

/** One of them, by its last heartbeat. */
export interface Subscriber {
  /** with the mark of the process, if another one has the same name */
  name: string;
  host: string;
  /** that it follows, "" for the pointer or the pin */
  alias: string;
  /** 0 for none */
  version: number;
  /** since when it serves there, epoch milliseconds */
  sinceMillis: number;
  /** since it was last known to be the one to serve */
  stalenessMillis: number;
  /** whether that is beyond the limit */
  stale: boolean;
  /** attempts to take a version that were refused so far */
  refused: number;
  /** why the last look at what is to be served failed, "" since one went well */
  lastError: string;
  /** models out of service that are still leased */
  retired: number;
  /** since the last heartbeat */
  ageMillis: number;
  /** whether that is too long; nobody is silent while heartbeats cannot be read */
  silent: boolean;
}

/** The newest dead letters. */
export interface DeadLetterPage {
  /** why these are not all that were asked for, "" if they are */
  problem: string;
  /** records of the topic, as far as it still has them */
  total: number;
  letters: DeadLetter[];
}

/** One event that could not be taken. */
export interface DeadLetter {
  /** partition and offset in the dead-letter topic, as in `0-17` */
  id: string;
  /** when it was written, epoch milliseconds */
  atMillis: number;
  /** that the event came from, and where it was there */
  topic: string;
  partition: number;
  offset: number;
  reason: string;
  /** file and line as the producer told, "" if unknown */
  origin: string;
  /** of the event; "" if it is binary */
  text: string;
  binary: boolean;
  /** bytes of the event */
  length: number;
  /** whether only its beginning is kept */
  cut: boolean;
  /** why it cannot be sent again as it was, a sentence; "" if it can */
  obstacle: string;
}

/** What each update rule would have cost. */
export interface WhatIfAnswer {
  /** why there is no answer; "" if there is one */
  problem: string;
  arrivals: number;
  /** first arrival, epoch milliseconds */
  fromMillis: number;
  /** last arrival, epoch milliseconds */
  toMillis: number;
  /** sample-seconds of waiting that one second of training is worth */
  weight: number;
  /** fixed part of a training */
  epsilonSeconds: number;
  /** what one more sample adds to a training */
  lambdaSeconds: number;
  /** null if there is no answer */
  optimum: Optimum | null;
  /** cheapest first */
  rows: WhatIfRow[];
}

/** The best schedule, in sample-seconds; a lower bound if it is not exact. */
export interface Optimum {
  cost: number;
  exact: boolean;
  unavoidable: number;
}

/** A rule, or what happened. */
export interface WhatIfRow {
  rule: string;
  /** settings that are no defaults, or what was chosen in hindsight, in words */
  parameter: string;
  asItHappened: boolean;
  /** whether these are the settings of the application; the limits of all rules are those, too */
  configured: boolean;
  totalRatio: number;
  controllableRatio: number;
  meanLatencySeconds: number;
  p99LatencySeconds: number;
  updates: number;
  machineSeconds: number;
  cost: number;
  /** lines of an application file with these settings; "" if it is what happened */
  yaml: string;
}

/** What a report file holds: the answers that a server would have given. */
export interface RecordedAnswers {
  console: ConsoleInfo;
  learners: LearnerInfo[];
  /** by learner, as the answers that follow */
  history: Record<string, StatusTable>;
  updates: Record<string, UpdateEntry[]>;
  events: Record<string, Note[]>;
  moves: Record<string, MoveHistory>;
  /** empty if the folder of the models is not known */
  models: Record<string, VersionTable>;
}

/** A change was made. */
export interface Done {
  /** a sentence that says what was done */
  message: string;
}

/** A request was not answered as it was asked for. */
export interface Refusal {
  /** a sentence that says why */
  error: string;
}
