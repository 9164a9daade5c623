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
  /**
   * cumulative state; present on every type. On `Type.frequent` types `prequential`, `compared`, `survey`, `history`,
   * `network` and `lastLabels` can come from an earlier status that is at most a second old
   */
  status: Status;
  /** the update that the event is about; absent on STATUS, RESTORED and FINISHED */
  update?: UpdateRecord;
  /** a readable sentence, "" if the type says it all; at most `MESSAGE_LENGTH` characters */
  message: string;
  /** arrival times of the update's new samples; on FIRED and ARRIVALS, absent elsewhere */
  arrivals?: ArrivalTimes;
  /** the samples that moved between life stages; on STAGED, absent elsewhere */
  moves?: StageMoves;
  /** the answer to a question for a sample; on EXPLAINED, absent elsewhere */
  sample?: SampleView;
  /** the plan that steps of training follow; on PLANNED, absent elsewhere */
  plan?: StepPlan;
}

/** The kind of an event. */
export type EventType =
  | 'STATUS'
  | 'FIRED'
  | 'ARRIVALS'
  | 'ABORTED'
  | 'DROPPED'
  | 'STAGED'
  | 'RULES'
  | 'INPUT'
  | 'MEMORY'
  | 'EXPLAINED'
  | 'PLANNED'
  | 'PUBLISHED'
  | 'HELD'
  | 'WORSE'
  | 'ROLLED_BACK'
  | 'UNCOMPARED'
  | 'MIXED'
  | 'FORGOTTEN'
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
  /** the engine that trains the model and scores new samples */
  engine: Engine;
  /** rows of embedding tables; absent if the model has none */
  tables?: RowUsage;
  /** comparison of the newest model with an earlier one; absent if models are not compared */
  gate?: Gate;
  /**
   * the pin by which an older version serves; absent if the newest version serves, or if it is unknown which version
   * serves
   */
  pinned?: Pinned;
  /** survey of the events of the present input; absent in events of older jobs */
  survey?: Surveyed;
  /** processor time that the learner has caused; absent in events of older jobs */
  processor?: ProcessorUse;
  /** histories of keys, and the quality of the model without them; absent if there are none */
  history?: HistoryUse;
  /**
   * weight and quality of the network alone, if references are served with it; absent if there are no references, and
   * until a version with references was tested
   */
  network?: ExpertQuality;
  /**
   * how well the last label of a key would predict; absent if the application keeps a history of keys, or can keep none
   */
  lastLabels?: LastLabel[];
  /**
   * quality of the model and of older versions; absent until enough events are learned, and if versions are not
   * compared
   */
  compared?: ComparedVersions;
  /**
   * the learner's share in a model that all partitions learn together; absent if each partition learns a separate model
   */
  mixing?: MixingStatus;
}

/** Counts of events by fate. */
export interface Samples {
  received: number;
  malformed: number;
  /** events without a label */
  unlabeled: number;
  /** events with an id that are stored already */
  duplicates: number;
  /** samples in the store now */
  stored: number;
  /** payload bytes of the stored samples */
  storedBytes: number;
  /** trained samples that another event with their id has changed (not duplicates) */
  revived: number;
  /** labels that arrived before or after their events and were joined to them */
  joined: number;
  /** samples removed to make space */
  evicted: number;
  /** new samples given up after repeated failed trainings */
  quarantined: number;
  /** new samples among `trainedNewSamples` that were not trained because the model knew them already */
  passedOver: number;
  /** events that changed or completed a stored sample that continues to wait */
  merged: number;
  /** events that replaced a value or label of a stored sample; they are also counted in one of the other numbers */
  changed: number;
  /** labels that wait for their events */
  labelsWaiting: number;
  /** labels whose events did not come in time */
  labelsGivenUp: number;
  /** events that got the default label because their own label did not come in time */
  labelsDefaulted: number;
  /** events among `labelsDefaulted` that got another label afterwards */
  defaultsCorrected: number;
}

/** Stored samples by life stage. */
export interface Stages {
  newborn: number;
  mature: number;
  preserve: number;
  discard: number;
}

/** The progress of learning. */
export interface Progress {
  /** number of accepted updates */
  updates: number;
  /** number of samples trained for the first time */
  trainedNewSamples: number;
  /** the newest published version, 0 before the first; an older version can be in service, see `Pinned` */
  modelVersion: number;
  /** whether a training runs now */
  training: boolean;
}

/** Test-then-train quality since the stream began. */
export interface PrequentialSummary {
  /** samples scored before they were trained */
  scored: number;
  /**
   * samples that the scorer did not score for lack of time or because of a failure, and targets without a finite
   * prediction
   */
  unscored: number;
  classification?: Classification;
  regression?: Regression;
}

/** The quality of predicted classes. */
export interface Classification {
  /** mean log loss, in nats */
  logLoss: number;
  accuracy: number;
  /** accuracy on the last 1,000 scored samples */
  recentAccuracy: number;
  /** accuracy of predicting the previous label */
  noChangeAccuracy: number;
  /** accuracy of predicting the most frequent label so far */
  majorityAccuracy: number;
  /** `noChangeAccuracy` on the samples of `recentAccuracy` */
  recentNoChangeAccuracy: number;
  /** `majorityAccuracy` on the samples of `recentAccuracy` */
  recentMajorityAccuracy: number;
  /**
   * quality of each class, in the order of the application file; with more than `MOST_CLASSES` classes, only the
   * classes that were most frequent among the last 1,000 samples
   */
  byClass: ClassQuality[];
  /** `logLoss` on the samples of `recentAccuracy` */
  recentLogLoss: number;
  /** further metrics; null if the version that wrote the summary had no further metrics */
  metrics?: ClassMetrics;
  /** `metrics` on the samples of `recentAccuracy` */
  recent?: ClassMetrics;
  /** calibration curve, by rising probability; empty if no probability is known */
  calibration: CalibrationBin[];
}

/**
 * The prediction quality of one class: its recall is `correct / samples`, and its precision is `correct / predicted`.
 */
export interface ClassQuality {
  name: string;
  /** number of scored samples of this class */
  samples: number;
  /** number of scored samples for which this class was predicted */
  predicted: number;
  /** number of samples of this class for which this class was predicted */
  correct: number;
  /** `samples` among the last 1,000 scored samples of all classes */
  recentSamples: number;
  recentPredicted: number;
  recentCorrect: number;
}

/** The metrics of predicted classes on some samples, except accuracy and log loss. */
export interface ClassMetrics {
  /** metrics of the model */
  model: LabelMetrics;
  /** metrics of predicting the previous label */
  noChange: LabelMetrics;
  /** metrics of predicting the most frequent label so far */
  majority: LabelMetrics;
  /** accuracy beyond the accuracy of the majority reference, at most 1 */
  kappaM?: number;
  /** accuracy beyond the accuracy of the no-change reference, at most 1 */
  kappaTemporal?: number;
  /** mean log loss, in nats, of always predicting for each class its share of these samples */
  baseRateLogLoss: number;
  /**
   * mean log loss of the model, divided by `baseRateLogLoss`: below 1 if the model predicts better than the base rate
   */
  normalizedEntropy?: number;
  /** area under the ROC curve, 0 to 1; null unless there are two classes */
  auc?: number;
  /** largest possible error of `auc` */
  aucError?: number;
  /**
   * predicted number of outcomes, divided by the actual number. With two classes, an outcome is a label of the second
   * class; with more classes, it is a right prediction
   */
  calibration?: number;
  /** share of samples whose class was among the 3 most probable; null with 3 classes or fewer */
  top3?: number;
  /** share of samples whose class was among the 5 most probable; null with 5 classes or fewer */
  top5?: number;
}

/** The metrics, apart from the accuracy, that need only labels and predicted classes. */
export interface LabelMetrics {
  /** mean recall of the classes that came, 0 to 1 */
  balancedAccuracy?: number;
  /** mean F1 of the classes that came or were predicted, 0 to 1 */
  f1?: number;
  /** F1 of the second of two classes, 0 to 1; null if there are more classes */
  positiveF1?: number;
  /** accuracy beyond chance, at most 1 */
  kappa?: number;
}

/** A point of the calibration curve: samples with similar predicted probabilities. */
export interface CalibrationBin {
  /** weight of these samples, above 0 */
  samples: number;
  /** mean predicted probability, 0 to 1 */
  predicted: number;
  /** share of the samples with the predicted outcome, 0 to 1 */
  actual: number;
}

/** The quality of predicted targets, in units of the label. */
export interface Regression {
  meanAbsoluteError: number;
  rootMeanSquaredError: number;
  /** error of predicting the previous label */
  noChangeMeanAbsoluteError: number;
  /** `meanAbsoluteError` on the last 1,000 scored samples */
  recentMeanAbsoluteError: number;
  /** `rootMeanSquaredError` on the last 1,000 scored samples */
  recentRootMeanSquaredError: number;
  /** `noChangeMeanAbsoluteError` on the last 1,000 scored samples */
  recentNoChangeMeanAbsoluteError: number;
  /** further metrics; null if the version that wrote the summary had no further metrics */
  metrics?: TargetMetrics;
  /** `metrics` on the last 1,000 scored samples */
  recent?: TargetMetrics;
}

/**
 * The metrics of predicted targets on some samples, except the mean absolute errors and the root mean squared error of
 * the model.
 */
export interface TargetMetrics {
  /**
   * mean pinball loss of the quantile 0.1, in units of the label: 0.1 times the error if the prediction is below the
   * label, 0.9 times the error if it is above
   */
  quantileLoss10: number;
  /** pinball loss of the quantile 0.9 */
  quantileLoss90: number;
  /** root mean squared error of predicting the previous label, on the samples that have a previous label */
  noChangeRootMeanSquaredError: number;
  /** `quantileLoss10` of predicting the previous label */
  noChangeQuantileLoss10: number;
  /** `quantileLoss90` of predicting the previous label */
  noChangeQuantileLoss90: number;
  /** standard deviation of the labels, which is the root mean squared error of predicting their mean */
  deviation: number;
  /** part of the labels' variance that the model explains, at most 1 */
  rSquared?: number;
  /**
   * mean absolute error of the model, divided by the error of the no-change reference, on the samples that have a
   * previous label: below 1 if the model is better
   */
  mase?: number;
  /** loss of the quantile that the model was trained for; null if the model was not trained for a quantile */
  quantile?: QuantileMetrics;
}

/** The pinball loss of the quantile that a model was trained for, in units of the label. */
export interface QuantileMetrics {
  /** level of the quantile, above 0 and below 1 */
  level: number;
  /** mean loss of the model */
  loss: number;
  /** mean loss of predicting the previous label, on the samples that have a previous label */
  noChangeLoss: number;
}

/** Seconds from a new sample's arrival at the operator to the publication of its update. */
export interface Incorporation {
  count: number;
  meanSeconds: number;
  p99Seconds: number;
}

/**
 * Milliseconds from a record's timestamp in the topic until its event is counted, over the events since the last status
 * (not cumulative).
 */
export interface Ingestion {
  events: number;
  p50Millis: number;
  p99Millis: number;
  maxMillis: number;
}

/** Use of the process's hot cache by this learner since the learner was opened. */
export interface HotSamples {
  /** bytes that the learner gives to the cache */
  donatedBytes: number;
  /** bytes of the learner's payloads that are in the cache now */
  payloadBytes: number;
  /** payloads found in DRAM when a batch was built */
  hits: number;
  /** payloads read from the store */
  misses: number;
  /** traffic of payloads between the cache and the store; prefetched payloads are included */
  store: StoreTraffic;
}

/** The bytes that a learner read from a durable store and wrote to it since the store was opened. */
export interface StoreTraffic {
  /** bytes of the entries that were found */
  readBytes: number;
  /** bytes of the entries written; the size of the store's own files is not known */
  writtenBytes: number;
  /** seconds that the learner's thread took to read rows, until it had copies of them */
  waitSeconds: number;
}

/** The current decision. */
export interface Decision {
  /** number of waiting samples */
  pending: number;
  /** seconds to the next firing; negative if no firing is known */
  nextFiringInSeconds: number;
  grounds: Grounds;
}

/** The decision of an update rule, and its grounds. */
export interface Grounds {
  /** name of the rule, as in the application file */
  rule: string;
  /**
   * a readable sentence that gives the cause of the decision; if a hard limit was the cause, the sentence names the
   * limit
   */
  reason: string;
  /** the charge that the rule compared */
  charge: Charge;
  /** duration of the training, replayed samples included */
  predicted: PredictedSeconds;
  /** the costs that the rule used */
  basis: CostBasis;
  /** bound of the cost of the schedule, relative to the lowest possible cost */
  guarantee: Guarantee;
}

/** The charge of a rule for the waiting samples. */
export interface Charge {
  /** cost of waiting so far, as the rule computes it; for rules that ignore costs, the largest regret */
  sampleSeconds: number;
  /** charge at which the rule fires; 0 for rules without a threshold */
  thresholdSampleSeconds: number;
  /** waiting W in virtual time, independent of the rule */
  virtualWaitingSampleSeconds: number;
}

/** A prediction in seconds with its 95 % interval. */
export interface PredictedSeconds {
  /** lower end, at least 0 */
  low: number;
  /** expected seconds */
  mean: number;
  /** upper end */
  high: number;
}

/** The costs on which a decision is based. */
export interface CostBasis {
  /** costs that the rule used, with the weight divided by the urgency */
  costs: RuleCosts;
  /**
   * part of the fixed seconds that is not training: overhead of an update in processor seconds; null in events of older
   * jobs
   */
  overheadSeconds?: number;
  /** factor by which the cost of waiting is multiplied because of a drift; 1 without a drift */
  urgency: number;
}

/** The costs that a rule compares, which do not change between two trainings. */
export interface RuleCosts {
  /** lambda: seconds that one more sample adds to a training */
  secondsPerSample: number;
  /**
   * eps' = eps + lambda * R + overhead: seconds that one more update adds, with R replayed samples and the overhead of
   * the update
   */
  fixedSeconds: number;
  /** w: one second of training costs as much as one second of waiting of this many samples */
  weight: number;
}

/** The certified ratio of the schedule's cost to the lowest possible cost. */
export interface Guarantee {
  /**
   * the cost of this schedule so far is at most this many times the lowest possible cost, by the estimated costs; 1 is
   * the optimum
   */
  certifiedRatio: number;
  /** how often the guard of `adaptive` changed the time of an update to keep the bound */
  guardDenials: number;
  /** number of updates that had to wait for the end of a running update */
  delayedUpdates: number;
}

/** Facts about the input, in addition to its events. */
export interface Input {
  /** number of offsets that were lost before they were read, in all ranges together */
  lostOffsets: number;
  /** the latest lost ranges, at most 64 */
  lost: LostRange[];
  /** number of records that were read again after they had been learned; they are not learned twice */
  reread: number;
  /** number of records on the control topic that are not valid requests; they are in the dead letters */
  refusedControls: number;
  /** ids of the last ends that were reached, at most 16, the latest last */
  ends: string[];
  /**
   * id of the Flink job that reports this, because two runs of one application on one Kafka cluster write to one topic
   */
  run: string;
}

/** A range of offsets that were lost before they were read; the number of events in it is unknown. */
export interface LostRange {
  /** topic and partition, as in `inputOffsets` */
  input: string;
  /** first offset */
  from: number;
  /** offset after the last lost offset */
  until: number;
  why: string;
}

/** The engine that trains the model and scores new samples with it. */
export interface Engine {
  /** name and version; "" if unknown */
  name: string;
  /** number of threads of the kernels; the last bits of results depend on this number */
  threads: number;
  /** why the product's own engine with oneDNN is not used; "" if it is used, or if the settings name another engine */
  reason: string;
  /** sentences that name parts of the training that are slow or have no effect */
  warnings: string[];
}

/** Rows of a model's embedding tables. */
export interface RowUsage {
  /** number of rows of known ids; the rows for missing ids and unknown ids are not counted */
  rows: number;
  /** number of rows in DRAM */
  hotRows: number;
  /** DRAM bytes that the hot rows take */
  fastBytes: number;
  /** bytes of the store that rows and counts of ids take, as the limit counts them */
  slowBytes: number;
  /** number of ids without a row whose occurrences the store counts */
  counted: number;
  /** DRAM bytes of the filter that counts the other ids */
  filterBytes: number;
  /** reads of hot rows */
  hits: number;
  /** reads of rows that were in DRAM but not hot: prefetched from the store, or not written to it yet */
  buffered: number;
  /** reads of rows from the store */
  misses: number;
  /** reads of ids without a row */
  unknown: number;
  /** number of ids that got a row */
  admitted: number;
  /** how often an id got no row because its table or the store was full */
  refused: number;
  /** how often an id of a new sample was not a row number of its table of fixed size */
  outOfRange: number;
  /** number of deleted rows, by reason */
  expired: Expired;
  /** number of rows written to the store */
  flushed: number;
  /** traffic with the store: rows, counts, and changes to rows in DRAM */
  store: StoreTraffic;
  /** the tables with the most misses, at most `MOST_TABLES` */
  byTable: OfTable[];
}

/** Rows of embedding tables that were deleted. */
export interface Expired {
  /** rows that were not used for too long */
  unused: number;
  /** rows whose ids occurred too rarely */
  rare: number;
  /** rows whose weights were almost zero */
  small: number;
  /** rows above the limits of the settings, unused for the longest time */
  excess: number;
}

/** Size and counters of one table; see `RowUsage` for the meaning of each number. */
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
  /** number of deleted rows, for any reason */
  expired: number;
}

/** The comparison of the newest model with the last version that was found good. */
export interface Gate {
  /** the version that serves, whether or not it is pinned; 0 before the first version */
  inServiceVersion: number;
  /** whether the newest model waits for samples for its comparison */
  held: boolean;
  /** version with which the newest model is compared; 0 if there is none */
  comparedWith: number;
  /** number of compared samples since the last restart */
  samples: number;
  /** difference by which the newest model is worse, in units of the metric */
  difference: number;
  /**
   * number of models that were not published because they were worse, or looked worse and were replaced by a newer
   * model
   */
  heldModels: number;
  /** how often an older version was put in service again, before a newer version replaced the worse one */
  rollbacks: number;
}

/** A pin: an older version serves because a person or the release gate decided so. */
export interface Pinned {
  /** the version that serves */
  version: number;
  /** the pin ends when a version above this one is published; 0: when it is removed */
  until: number;
  /** a readable sentence */
  reason: string;
  /** the process or the learner that set the pin */
  by: string;
}

/**
 * The findings about the events of an input: all events since the end of the previous input, or since the first event.
 */
export interface Surveyed {
  /** number of events, including refused events */
  events: number;
  /** number of events that could not be decoded */
  refused: number;
  /** number of decoded events after which there was a sample with features and a label */
  labelled: number;
  /** number of decoded events with a label, whether or not the event of the label came */
  labels: number;
  /** number of decoded events that were the label of another event, without features */
  labelsOnly: number;
  /** offsets of the input that were lost before they were read */
  lostOffsets: number;
  /** new samples that were given up because their trainings failed */
  quarantined: number;
  /** kinds of reasons for which events were refused, the commonest first */
  refusals: RefusedKind[];
  /** labels of refused events that are no class, or that are numbers which several classes have, the commonest first */
  strangeLabels: NameCount[];
  /** names of undeclared fields in events that lack a declared field, the commonest first */
  undeclared: NameCount[];
  /** declared fields that no decoded event with features had, other than the label */
  missing: NameList;
  /** declared fields with one value in all decoded events with features, other than the label */
  constant: ConstantFields;
  /** classes that no event had */
  unseenClasses: NameList;
}

/**
 * A kind of reason for which events were refused: reasons that differ only in values and numbers are of the same kind.
 */
export interface RefusedKind {
  /** the reason of the first event of this kind */
  reason: string;
  /** number of events */
  count: number;
  /** topic and partition of the first event */
  input: string;
  /** offset of the first event */
  offset: number;
  /** the place from which a producer read the first event; "" if unknown */
  origin: string;
  /** the beginning of the first event's text, escaped */
  example: string;
}

/** How often a name came. */
export interface NameCount {
  name: string;
  count: number;
}

/** Names of fields or classes. */
export interface NameList {
  /** the first names, in the order of the application file */
  names: string[];
  /** number of all names */
  count: number;
}

/** Fields whose value never changed. */
export interface ConstantFields {
  /** the first fields, in the order of the application file */
  first: ConstantField[];
  /** number of all such fields */
  count: number;
}

/** A field whose value never changed. */
export interface ConstantField {
  field: string;
  /** text that stands for the value; equal values have equal texts */
  value: string;
}

/**
 * The processor time that a learner has caused since it was opened, in seconds, as the clocks of the threads measure
 * it.
 */
export interface ProcessorUse {
  /** number of updates that were accepted in this time */
  updates: number;
  /** mean processor time that an update caused in all; the latest updates weigh most */
  recentUpdateSeconds: number;
  /** processor time that the updates caused, by the part of the work */
  caused: ProcessorCaused;
  /** statuses and other events that no update causes: made, sent, and read again */
  statusSeconds: number;
  /** the whole process in which the learner runs */
  process: ProcessorOfProcess;
}

/** The processor seconds that updates have caused, by the part of the work. */
export interface ProcessorCaused {
  /** choosing and loading samples, on the operator's thread */
  decidingSeconds: number;
  /** training, and making the files of the model, on the trainer thread */
  trainingSeconds: number;
  /** evaluating the trained samples, and writing state, on the operator's thread */
  acceptingSeconds: number;
  /** making and encoding events and notices, on the operator's thread */
  reportingSeconds: number;
  /** publishing versions, on the trainer thread and on the threads that write files for it */
  publishingSeconds: number;
  /** deleting old versions, on the trainer thread */
  cleaningUpSeconds: number;
  /** sending events and notices, on the network threads of Kafka's producers */
  sendingSeconds: number;
  /** reading the events again in the process that runs the job; 0 if another process runs the job */
  followingSeconds: number;
}

/** The processor time of a whole process since it started. */
export interface ProcessorOfProcess {
  /** processor seconds of all its threads */
  seconds: number;
  /**
   * elapsed seconds in which compilers of the JVM were at work, including the time in which they waited for a processor
   */
  compilationSeconds: number;
}

/** The use of the histories of keys. */
export interface HistoryUse {
  /** number of keys that have a history */
  keys: number;
  /** number of keys whose histories were removed because there were too many */
  evictedKeys: number;
  /** test-then-train results of the model without contexts, for classes */
  classification?: ClassesWithout;
  /** test-then-train results of the model without contexts, for targets */
  regression?: TargetsWithout;
}

/** Quality of predicted classes without contexts, on the same samples as the quality with contexts. */
export interface ClassesWithout {
  accuracy: number;
  /** accuracy on the last 1,000 scored samples */
  recentAccuracy: number;
  logLoss: number;
}

/** Errors of predicted targets without contexts, in units of the label. */
export interface TargetsWithout {
  meanAbsoluteError: number;
  /** error on the last 1,000 scored samples */
  recentMeanAbsoluteError: number;
}

/** The weight of an expert, and how well it predicted alone. */
export interface ExpertQuality {
  /** name of the expert */
  name: string;
  /** weight of the expert in the next version, 0 to 1 */
  weight: number;
  /** sum of the importance weights of the samples on which the expert was judged */
  samples: number;
  /** share of the samples whose class the expert predicted; null for targets */
  accuracy?: number;
  /** mean absolute error of the predicted targets, in units of the label; null for classes */
  meanAbsoluteError?: number;
  /** mean log loss of classes in nats, or mean squared error of targets, in which an outlier counts less */
  meanLoss: number;
}

/**
 * How well the last label of the same key would have predicted the labels of events, in an application that keeps no
 * history of keys.
 */
export interface LastLabel {
  /** field whose value is the key; "" if all events are of one key */
  field: string;
  /** number of labels since the start of the learner that had a previous label of the same key */
  samples: number;
  /** share of these labels that were equal to the previous label of the key; null for targets */
  accuracy?: number;
  /**
   * mean absolute difference of these labels from the previous label of the key, in units of the label; null for
   * classes
   */
  meanAbsoluteError?: number;
}

/**
 * The quality of the model and of older versions of it that still predict, on the same new events before these were
 * learned.
 */
export interface ComparedVersions {
  /** name of the metric, such as accuracy */
  measure: string;
  /** whether a higher value is better */
  higherIsBetter: boolean;
  /** number of learned events after which the renewed version is replaced by the newest version */
  every: number;
  /** number of events that were tested */
  samples: number;
  /** quality of the model, which each update renews */
  model: MetricValues;
  /** the version that was the newest after the first interval, and is never renewed */
  once: KeptVersion;
  /** the version that was the newest after the last interval */
  renewed: KeptVersion;
}

/** The values of the application's metric of a model. */
export interface MetricValues {
  /** value on all tested events; absent while it is not defined */
  value?: number;
  /** value on the last 1,000 tested events; absent while it is not defined */
  recent?: number;
}

/** An older version. */
export interface KeptVersion {
  /** number of the version */
  version: number;
  /** number of events that the version has learned */
  learned: number;
  quality: MetricValues;
}

/** A learner's share in a model that the partitions of an application learn together. */
export interface MixingStatus {
  /** how the learner's model is related to the mixed model */
  state: State;
  /** round of the mixed version that the learner adopted last; 0 before the first */
  round: number;
  /**
   * number of this version; 0 before the first version, if the version does not serve, and if the learner adopted it
   * before its last start
   */
  version: number;
  /** when the learner adopted that version, in milliseconds since 1970; 0 if `parts` are not known */
  adoptedAtMillis: number;
  /** number of versions that the learner has adopted since its last start */
  adopted: number;
  /** number of its contributions since its last start that no version contained in time */
  late: number;
  /** longest time in milliseconds that the round of that version waited for a learner */
  waitMillis: number;
  /**
   * the contributions in this version, one for each partition that took part in its round; empty before the first
   * version, and after a start until the learner adopts the next version
   */
  parts: Part[];
  /**
   * length of the progress of this learner's parameters in that round; absent if the learner did not take part, and if
   * `parts` are not known
   */
  progress?: number;
  /** sentences about progress that was shortened or left out in this round */
  notes: string[];
}

/** The ways in which a learner's model is related to the mixed model. */
export type State = 'ALONE' | 'OPEN' | 'SETTLED' | 'LATE' | 'REFUSED';

/** The part of a mixed version that comes from one partition. */
export interface Part {
  partition: number;
  /** number of new samples from which the partition's progress in this round comes */
  rows: number;
  /** number of all new samples that the partition's learner had trained */
  trained: number;
  /** length of the progress of its parameters; absent if unknown */
  progress?: number;
}

/** The record of one update: its decision, its training, its publication. */
export interface UpdateRecord {
  /** number of the update, from 1, without gaps along the lineage */
  number: number;
  firing: Firing;
  /** absent until the training has succeeded */
  training?: Training;
  /** absent until the model is in service */
  published?: Published;
}

/** The decision of an update. */
export interface Firing {
  /** epoch milliseconds of the wall clock */
  atMillis: number;
  /** number of samples whose wait ended with this update */
  newSamples: number;
  /** number of replayed samples */
  replayedSamples: number;
  grounds: Grounds;
}

/** The training of an update. */
export interface Training {
  /** published version from which the model continues; 0 if there is none */
  parentVersion: number;
  /** duration by a monotonic clock */
  seconds: number;
  /** weighted mean loss over the rows whose loss is known */
  meanLossBefore: number;
  /** weighted mean loss over the rows, computed with the new model */
  meanLossAfter: number;
  /** placement of the tensors; absent if all of them were in DRAM */
  tensors?: TensorUse;
}

/** Placement of a model's tensors during one training, see `docs/memory.md`. */
export interface TensorUse {
  /** the placement policy */
  policy: string;
  /** copies between the devices */
  copied: Copied;
  /** bytes that kernels read and wrote on the slow device directly, without a copy */
  onSlow: OnSlow;
  /** number of kernel arguments, by device */
  arguments: Arguments;
  /** seconds that kernels and allocations waited for copies */
  stallSeconds: number;
  evictions: Evictions;
  fast: FastDevice;
  slow: SlowDevice;
  /** the plan of the training step with the most bytes; absent if the policy plans no steps */
  plan?: Plan;
  /** memory that other processes lend; absent if none is borrowed */
  loans?: Loans;
}

/** Bytes that were copied from one device to the other. */
export interface Copied {
  fastToSlowBytes: number;
  slowToFastBytes: number;
}

/** Bytes that kernels read and wrote directly on the slow device. */
export interface OnSlow {
  readBytes: number;
  writtenBytes: number;
}

/** Numbers of kernel arguments. */
export interface Arguments {
  /** arguments that were on the fast device */
  hits: number;
  /** arguments that were on the slow device */
  misses: number;
}

/** Evictions from the fast device. */
export interface Evictions {
  /** number of evictions because another tensor needed the space */
  forced: number;
  /** bytes of tensors that were freed while the slow device had no copy, or only an older copy */
  avoidedWriteBackBytes: number;
}

/** The fast device. */
export interface FastDevice {
  /** size of the device */
  bytes: number;
  /** most bytes in use so far, over all trainings of the learner */
  highWaterBytes: number;
}

/** The slow device. */
export interface SlowDevice {
  /** size of the device */
  bytes: number;
  /** most bytes in use so far, over all trainings of the learner */
  highWaterBytes: number;
  /**
   * read bandwidth, measured when the learner was opened and corrected by the measured durations of later copies;
   * policies use it for decisions
   */
  readBytesPerSecond: number;
  writeBytesPerSecond: number;
}

/** The plan that the steps of a training follow. */
export interface Plan {
  /**
   * name of its planner; "cached-arrays" if no plan is followed, "all-fast" if none is needed because all tensors are
   * on the fast device
   */
  planner: string;
  step: StepSeconds;
  /** time that planning and rehearsing took, in parallel to the training */
  planningSeconds: number;
  /** number of steps whose kernels differed from the planned kernels */
  differingSteps: number;
  /**
   * number of kernels of a step that run a second time, so that tensors need not be kept or moved; 0 if the plan that
   * is followed has none
   */
  rerunKernels: number;
  /** why plans of other planners are not followed; "" if there is no other planner */
  refused: string;
}

/** Durations of one step of training, in seconds; 0 if a duration is not known. */
export interface StepSeconds {
  /** duration in the rehearsal of the plan */
  predicted: number;
  /** median duration of the last steps */
  measured: number;
  /** median duration of steps under `cached-arrays` */
  unplanned: number;
  /** lower bound of the duration under any plan */
  bound: number;
}

/** Memory that other processes lend, as a part of the slow device, at the end of a training. */
export interface Loans {
  /** number of bytes that are borrowed */
  bytes: number;
  /** bytes that were copied to and from loans */
  copiedBytes: number;
  /** number of loans that were lost with their bytes; a training that used such a loan was repeated */
  losses: number;
  /** time of writing and reading a MiB in the cheapest loan, in nanoseconds; 0 if no lender was probed */
  nanos: number;
  /** time of writing and reading a MiB in the local part of the slow device, in nanoseconds */
  localNanos: number;
  /** the lenders that are asked for memory */
  lenders: Lender[];
}

/** A lender. */
export interface Lender {
  /** HOST:PORT */
  address: string;
  /** bytes of the lender's loan; 0 if it lends nothing now */
  bytes: number;
  /** number of the lender's loans that were lost */
  losses: number;
  /** time of writing and reading a MiB in the lender's memory, in nanoseconds; 0 before its first probe */
  nanos: number;
}

/** The publication of an update. */
export interface Published {
  version: number;
  /** time when the pointer moved, epoch milliseconds of the wall clock */
  atMillis: number;
}

/** Arrival times of an update's new samples, as runs of equal times, ascending. */
export interface ArrivalTimes {
  /** epoch milliseconds of the oldest arrival in this part */
  firstMillis: number;
  /** milliseconds of each run after `firstMillis` */
  afterMillis: number[];
  /** number of samples of each run */
  counts: number[];
  /** number of this part, 1 to `parts` */
  part: number;
  /** number of parts of the update */
  parts: number;
}

/** The moves of samples between life stages in one update. */
export interface StageMoves {
  /** number of evaluated and aged samples by `BEFORE>AFTER` */
  counts: Record<string, number>;
  /** moves of one sample in 64; the choice of samples does not change, so that their histories are complete */
  traced: StageMove[];
}

/** One move. */
export interface StageMove {
  sampleId: number;
  before: string;
  after: string;
  score: number;
  contribution: number;
  /** SCORE, NOISE, AGE, KNOWN or WEIGHTLESS */
  cause: string;
}

/** The answer to a question why a sample has its stage. */
export interface SampleView {
  /** the id in the question: the event's own, or `#` and the sample's number; see `asked(String)` */
  asked: string;
  /** whether the learner has such a sample; if not, the other fields are meaningless */
  found: boolean;
  sampleId: number;
  /** NEWBORN, MATURE, PRESERVE or DISCARD */
  stage: string;
  labeled: boolean;
  /** score that decided the stage at the last evaluation */
  score: number;
  /** score that follows from the present facts */
  scoreNow: number;
  /** facts from which the score is computed, by name */
  facts: Record<string, number>;
  /** how strongly each rule fires on these facts; empty if no rules decide */
  strengths: Record<string, number>;
  /** last known loss, -1 when never measured */
  loss: number;
  /** number of evaluations */
  evaluations: number;
  /** number of the last update that trained on the sample; 0 if there is none */
  lastUpdate: number;
  /**
   * how often the sample's ids occurred in trainings, by feature; for a list of ids, the number for its rarest id; 0
   * for an id without a row. Empty if the model has no tables
   */
  idOccurrences: Record<string, number>;
}

/**
 * The plan that the training step with the most bytes follows, with the bytes of its tensors over its kernels, see
 * `docs/memory.md`.
 */
export interface StepPlan {
  /** name of its planner; "cached-arrays" if no plan is followed, "all-fast" if none is needed */
  planner: string;
  /** why plans of other planners are not followed; "" if there is no other planner */
  refused: string;
  /** number of kernels of the step */
  kernels: number;
  /** number of kernels of each point; the last point can have fewer */
  kernelsPerPoint: number;
  /** index of the first kernel of the backward pass; -1 if there is none */
  backwardKernel: number;
  /** index of the first kernel that updates parameters; -1 if there is none */
  updateKernel: number;
  /** largest number of bytes that tensors can take on the fast device */
  budgetBytes: number;
  /** most bytes of tensors that are alive at a time */
  peakBytes: number;
  /** bytes of tensors that are alive */
  aliveBytes: number[];
  /** bytes of tensors on the fast device; without a plan, all tensors that are alive */
  fastBytes: number[];
  /** bytes that start to move to the fast device */
  fetchedBytes: number[];
  /** bytes that start to be copied to the slow device and stay on the fast device */
  writtenBackBytes: number[];
  /** bytes that leave the fast device */
  evictedBytes: number[];
}

/** The first event of a stream. */
export interface Hello {
  /** epoch milliseconds of the console's clock */
  nowMillis: number;
}

/** Facts about the console itself, for the page. */
export interface ConsoleInfo {
  version: string;
  /** the source of events */
  source: ConsoleSource;
  /** Kafka servers, or the name of the file */
  sourceName: string;
  /** epoch milliseconds of the console's clock */
  nowMillis: number;
  /** whether requests and changes are possible */
  writable: boolean;
  /** whether events can be read now */
  connected: boolean;
  /** why events cannot be read; if they can be read, a note if a recording ends too early, or else "" */
  problem: string;
  applications: ApplicationInfo[];
}

/** The source of events. */
export type ConsoleSource = 'kafka' | 'recording';

/** Facts about an application that the page does not learn from events. */
export interface ApplicationInfo {
  name: string;
  partitions: number;
  /** classification or regression; "" if only events are known */
  task: string;
  classes: string[];
  modelType: string;
  rule: string;
  /** sample-seconds of waiting that one second of training is worth */
  weight: number;
  /** price in money, null if the application file does not say */
  machinePricePerSecond: number | null;
  /** price in money, null if the application file has none */
  stalenessPricePerSampleSecond: number | null;
  score: string;
  /** whether the model has embedding tables */
  tables: boolean;
  /** bytes of DRAM for tensors in training; 0 if tensors are not placed */
  tensorFastBytes: number;
  hotBytes: number;
  gateAction: string;
  /** metric that warnings and overviews use; "" if only events are known */
  metric: string;
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

/** The numbers of a learner's statuses over time. */
export interface StatusTable {
  /** names of the columns */
  names: string[];
  /** epoch milliseconds of the points, ascending */
  atMillis: number[];
  /**
   * the numbers, by column and then by point. A number that the status of a point does not have is NaN, and null in
   * JSON
   */
  values: (number | null)[][];
}

/** The progress of an update. */
export interface UpdateEntry {
  /** number of the update */
  number: number;
  /** the state after the last event */
  state: UpdateState;
  /**
   * time of the event FIRED, epoch milliseconds; null if it was not read. The other times are those of the events in
   * their names
   */
  firedAtMillis: number | null;
  stagedAtMillis: number | null;
  publishedAtMillis: number | null;
  heldAtMillis: number | null;
  /** known facts about the update */
  update: UpdateRecord;
  /** message of the last event about the update */
  message: string;
}

/** The state of an update after its last event. */
export type UpdateState = 'fired' | 'training-failed' | 'aborted' | 'staged' | 'published' | 'held';

/** A note about a learner, for display. */
export interface Note {
  atMillis: number;
  type: EventType;
  /** number of the update that the note is about; null if there is none */
  updateNumber: number | null;
  message: string;
}

/** The moves of samples between life stages, by `BEFORE>AFTER`. */
export interface MoveHistory {
  /** number of moves since the first event that was read */
  counts: Record<string, number>;
  /** moves in the newest updates */
  points: MovePoint[];
}

/** The moves of one update. */
export interface MovePoint {
  atMillis: number;
  updateNumber: number | null;
  counts: Record<string, number>;
}

/** The plan that the trainings of a learner follow. */
export interface FollowedPlan {
  /** epoch milliseconds of the event that reported the plan; 0 if there was none */
  atMillis: number;
  /** number of the first update that followed the plan; absent if unknown */
  updateNumber?: number;
  /** the plan; absent if no event has reported one */
  plan?: StepPlan;
}

/** The known facts about a sample. */
export interface SampleHistory {
  /** the learner's newest answer about the sample; null if the learner was not asked */
  answer: SampleView | null;
  /** moves between life stages, oldest first; the topic reports them for one sample in 64 */
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
  /** sentences about damage outside of the versions; "" if there is none */
  problem: string;
  /** version that the pointer names; 0 if there is none */
  current: number;
  /** version that subscribers use; it differs from `current` while a pin is in effect */
  serving: number;
  /** the pin that is in effect; null if there is none */
  pin: Pin | null;
  /** names of versions; empty if their file is damaged, in which case `problem` describes the damage */
  aliases: Record<string, Alias>;
  versions: ModelVersion[];
}

/** A pin: it keeps a version in service although the version is not the newest. */
export interface Pin {
  formatVersion: number;
  /** the version that serves */
  version: number;
  /** digest of the version's manifest */
  digest: string;
  /** the pin holds until a version above this number is current; 0: until the pin is removed */
  until: number;
  /** a readable sentence */
  reason: string;
  /** the process or learner that set the pin */
  by: string;
  /** when the pin was set, epoch milliseconds */
  atMillis: number;
}

/** A version that has a name. */
export interface Alias {
  /** the version that has the name */
  version: number;
  /** digest of the version's manifest */
  digest: string;
  /** the person or process that gave the name */
  by: string;
  /** when the name was given, epoch milliseconds */
  atMillis: number;
}

/** A version. */
export interface ModelVersion {
  version: number;
  /** the version from which it continues, 0 if there is none; null if unknown */
  parent: number | null;
  /** creation time, epoch milliseconds; null if unknown */
  createdAtMillis: number | null;
  /** SHA-256 of the manifest, null if unknown */
  digest: string | null;
  /** size of all files, null if unknown */
  bytes: number | null;
  files: ModelFile[];
  attributes: Record<string, string>;
  counts: Record<string, number>;
  metrics: Record<string, number>;
  descent: Descent;
  /**
   * a sentence about damage of the manifest, or of names and lengths of the files; "" if there is no damage. The
   * contents of files are not checked.
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

/** The relation of a version to the current one. */
export type Descent = 'CURRENT' | 'ABANDONED' | 'UNKNOWN';

/** The subscribers that report to serve the models of an application partition. */
export interface ReportedSubscribers {
  /** whether there is a topic of heartbeats; false for recorded events */
  readable: boolean;
  /** why the heartbeats cannot be read now; "" if they can be read */
  problem: string;
  /** whether there are more subscribers than listed */
  more: boolean;
  /** the subscribers, by name */
  subscribers: Subscriber[];
}

/** A subscriber, as its last heartbeat reports it. */
export interface Subscriber {
  /** name of the subscriber, with the mark of its process if another subscriber has the same name */
  name: string;
  host: string;
  /** the alias that the subscriber follows; "" if it follows the pointer or the pin */
  alias: string;
  /** the version that it serves; 0 if there is none */
  version: number;
  /** when it began to serve the version, epoch milliseconds */
  sinceMillis: number;
  /** time since the subscriber last verified that this is the version to serve */
  stalenessMillis: number;
  /** whether the staleness is above the limit */
  stale: boolean;
  /** number of refused attempts to load a version */
  refused: number;
  /** why the last check for a new version failed; "" if it succeeded */
  lastError: string;
  /** number of models out of service that are still leased */
  retired: number;
  /** time since the last heartbeat */
  ageMillis: number;
  /** whether `ageMillis` is too long; always false while heartbeats cannot be read */
  silent: boolean;
}

/** The newest dead letters. */
export interface DeadLetterPage {
  /** why letters are missing; "" if none are missing */
  problem: string;
  /** number of records that the topic still has */
  total: number;
  letters: DeadLetter[];
}

/** An event that the application refused. */
export interface DeadLetter {
  /** partition and offset in the dead-letter topic, as in `0-17` */
  id: string;
  /** when the dead letter was written, epoch milliseconds */
  atMillis: number;
  /** topic of the event; `partition` and `offset` are its position in this topic */
  topic: string;
  partition: number;
  offset: number;
  reason: string;
  /** file and line that the producer sent, "" if unknown */
  origin: string;
  /**
   * text of the event; if it is binary, its first bytes, those that are not UTF-8 as in `\xE9`, with "..." at the end
   * if there are more
   */
  text: string;
  binary: boolean;
  /** size of the event in bytes */
  length: number;
  /** whether only the beginning of the event is kept */
  cut: boolean;
  /** a sentence why the event cannot be sent again unchanged; "" if it can */
  obstacle: string;
}

/** The costs of each update rule. */
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
  /** fixed part of a training's duration, in seconds */
  epsilonSeconds: number;
  /** seconds that one more sample adds to a training */
  lambdaSeconds: number;
  /** the best schedule; null if there is no answer */
  optimum: Optimum | null;
  /** the results, cheapest first */
  rows: WhatIfRow[];
}

/** The cost of the best schedule, in sample-seconds. */
export interface Optimum {
  cost: number;
  exact: boolean;
  unavoidable: number;
}

/** The result of a rule, or the real run. */
export interface WhatIfRow {
  rule: string;
  /** readable settings that differ from defaults, or that were chosen in hindsight */
  parameter: string;
  asItHappened: boolean;
  /** whether these are the settings of the application; its limits apply to all rules */
  configured: boolean;
  totalRatio: number;
  controllableRatio: number;
  meanLatencySeconds: number;
  p99LatencySeconds: number;
  updates: number;
  machineSeconds: number;
  cost: number;
  /** lines of an application file with these settings; "" for the real run */
  yaml: string;
}

/** The last plan of an application. */
export interface CapacityAnswer {
  /** why there is no plan to show; "" if there is one */
  problem: string;
  /** command that makes a plan which this console finds */
  command: string;
  /** settings that have changed since the plan was made, one line for each key; if there are any, no plan is shown */
  differences: string[];
  /** the plan; null if there is none to show */
  plan: CapacityPlan | null;
}

/** What a training step, an update and a month cost with other memories, devices and numbers of processes. */
export interface CapacityPlan {
  /** always `FORMAT` */
  format: string;
  /** version of this format */
  version: number;
  /** name of the application */
  application: string;
  /** when the plan was made, in epoch milliseconds */
  madeAtMillis: number;
  /** settings on which the plan depends */
  basis: PlanBasis;
  measured: CapacityMeasured;
  predicted: CapacityPredicted;
  forecast: CapacityForecast;
  /** further sentences */
  remarks: string[];
}

/** The settings on which a plan depends. */
export interface PlanBasis {
  /**
   * text of the settings on which state depends, see `SettingsIdentity.json`; only features, network and tables in it
   * are compared
   */
  settings: string;
  /** values of other settings, by their keys in the application file */
  further: Record<string, string>;
}

/** The measurements, with all tensors in fast memory. */
export interface CapacityMeasured {
  label: CapacityLabel;
  /** rows of a mini-batch */
  rows: number;
  /** kernels of a step */
  kernels: number;
  /** seconds of a step */
  stepSeconds: number;
  /** largest number of bytes of tensors at one time */
  peakBytes: number;
  largestKernelBytes: number;
  parameterBytes: number;
  /** rows of the timed training; null if no training was timed */
  updateRows: number | null;
  /** seconds of the timed training */
  updateSeconds: number | null;
  /** devices of the machine, by name */
  devices: Record<string, MeasuredDevice>;
}

/** The origin of numbers. */
export type CapacityLabel = 'REAL' | 'SIMULATED';

/** A device of the machine of the plan. */
export interface MeasuredDevice {
  readBytesPerSecond: number;
  writeBytesPerSecond: number;
  readLatencyNanos: number;
  writeLatencyNanos: number;
  /** kind of the device, such as ssd */
  medium: string;
  /** how bytes are written to and read from the device */
  path: string;
}

/** The predictions. */
export interface CapacityPredicted {
  label: CapacityLabel;
  /** whether there is a budget of fast memory that is too small for all tensors */
  needsSlowMemory: boolean;
  /** rate at which events arrive */
  eventsPerSecond: number;
  /** slow devices, by name */
  devices: Record<string, CapacitySlowDevice>;
  /** one row for each budget and device, by budget */
  rows: CapacityRow[];
  /** how much longer a step is allowed to take than in fast memory, as a share; null if no target was given */
  target: number | null;
  /** index of the cheapest row that meets the target; null if there is none */
  cheapest: number | null;
  /** description of the cheapest row, in words; null if no target was given */
  verdict: string | null;
}

/** A slow device. */
export interface CapacitySlowDevice {
  readBytesPerSecond: number;
  writeBytesPerSecond: number;
  readLatencyNanos: number;
  writeLatencyNanos: number;
  /** price of a GiB for a month; null if no price was given */
  price: number | null;
  /** whether the device was measured on this machine; if not, the user gave its numbers */
  measured: boolean;
}

/** A budget of fast memory with a slow device. */
export interface CapacityRow {
  /** the budget */
  fastBytes: number;
  /** name of the slow device; null if everything fits into fast memory */
  device: string | null;
  /** seconds of a step under each policy; empty if there is no space for its tensors */
  stepSeconds: Record<string, number>;
  /** seconds of a step under the best policy */
  bestSeconds: number | null;
  /** lower bound of the seconds of a step under any plan that moves whole tensors */
  boundSeconds: number | null;
  /** updates with such steps; null if there is no space for the tensors */
  update: CapacityUpdate | null;
  /** price of the memory for a month; null if a price is missing */
  monthPrice: number | null;
  /** a short remark; empty if there is none */
  note: string;
}

/** Updates in virtual time. */
export interface CapacityUpdate {
  /** whether training keeps up with the events */
  keepsUp: boolean;
  /** mean duration of an update; null if training does not keep up */
  seconds: number | null;
  /** mean number of new samples of an update */
  samples: number | null;
  /** mean time from the arrival of an event to the end of its update */
  meanWaitSeconds: number | null;
  /** 99th percentile of this time */
  p99WaitSeconds: number | null;
  /** rate above which training does not keep up */
  mostEventsPerSecond: number | null;
}

/** Forecasts of several processes. */
export interface CapacityForecast {
  label: CapacityLabel;
  /** whether the product already has the feature of the forecast */
  built: boolean;
  /** processes that average their parameters after each update */
  processes: Processes[];
  /** fast memory of each process with memory nodes */
  memoryNodesFastBytes: number;
  /** processes that move tensors to memory nodes */
  memoryNodes: MemoryNodes[];
}

/** Several processes that train one model. */
export interface Processes {
  processes: number;
  /** seconds in which parameters are averaged after an update */
  mixSeconds: number;
  /** updates of each process, with the mixing */
  update: CapacityUpdate;
  /** largest rate of events at which the training of all processes keeps up */
  mostEventsPerSecond: number | null;
  /** price of the memory of all processes for a month; null if a price is missing */
  monthPrice: number | null;
}

/** Processes with memory nodes in one form. */
export interface MemoryNodes {
  processes: number;
  /** name of the form */
  topology: string;
  /** which neighbour lends pages; null if tensors are moved to a slow device */
  pages: string | null;
  /** seconds of a step */
  stepSeconds: number | null;
}

/** The content of a report file: the answers that a server would give. */
export interface RecordedAnswers {
  console: ConsoleInfo;
  learners: LearnerInfo[];
  /** histories by learner, like the answers after it */
  history: Record<string, StatusTable>;
  updates: Record<string, UpdateEntry[]>;
  events: Record<string, Note[]>;
  moves: Record<string, MoveHistory>;
  plans: Record<string, FollowedPlan>;
  /** models by learner; empty if the folder of the models is unknown */
  models: Record<string, VersionTable>;
}

/** The answer to a change that was made. */
export interface Done {
  /** a sentence about the change */
  message: string;
}

/** The answer to a refused request. */
export interface Refusal {
  /** the reason, as a sentence */
  error: string;
}
