/** What the server sends: the records of the decision topic and the answers of the console. */

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

export interface Grounds {
  rule: string;
  reason: string;
  charge: { sampleSeconds: number; thresholdSampleSeconds: number; virtualWaitingSampleSeconds: number };
  predicted: { low: number; mean: number; high: number };
  basis: { costs: { secondsPerSample: number; fixedSeconds: number; weight: number }; urgency: number };
  guarantee: { certifiedRatio: number; guardDenials: number; delayedUpdates: number };
}

export interface TensorUse {
  policy: string;
  copied: { fastToSlowBytes: number; slowToFastBytes: number };
  onSlow: { readBytes: number; writtenBytes: number };
  arguments: { hits: number; misses: number };
  stallSeconds: number;
  evictions: { forced: number; avoidedWriteBackBytes: number };
  fast: { bytes: number; highWaterBytes: number };
  /** Absent in events of earlier builds. */
  slow?: { bytes: number; highWaterBytes: number; readBytesPerSecond: number; writeBytesPerSecond: number };
}

export interface UpdateRecord {
  number: number;
  firing: { atMillis: number; newSamples: number; replayedSamples: number; grounds: Grounds };
  training?: {
    parentVersion: number;
    seconds: number;
    meanLossBefore: number;
    meanLossAfter: number;
    tensors?: TensorUse;
  };
  published?: { version: number; atMillis: number };
}

/** What was read from a durable store and written to it, since the learner was opened. */
export interface StoreTraffic {
  readBytes: number;
  writtenBytes: number;
  waitSeconds: number;
}

/** One table; the numbers are those of all tables. */
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
  expired: number;
}

export interface Tables {
  rows: number;
  hotRows: number;
  fastBytes: number;
  slowBytes: number;
  counted: number;
  filterBytes: number;
  hits: number;
  /** Reads of rows in DRAM that are not hot. Absent in events of earlier builds. */
  buffered?: number;
  misses: number;
  unknown: number;
  admitted: number;
  refused: number;
  /** Absent in events of earlier builds. */
  outOfRange?: number;
  expired: { unused: number; rare: number; small: number; excess: number };
  flushed: number;
  store: StoreTraffic;
  /** Those with most misses first; some, if there are very many. */
  byTable: OfTable[];
}

export interface Gate {
  inServiceVersion: number;
  held: boolean;
  comparedWith: number;
  samples: number;
  difference: number;
  heldModels: number;
  rollbacks: number;
}

/** An older version serves, until a version above `until` is published; 0: until it is unpinned. */
export interface Pinned {
  version: number;
  until: number;
  reason: string;
  by: string;
}

/** How well one class was predicted, since the stream began and among the last 1,000 samples. */
export interface ClassQuality {
  name: string;
  samples: number;
  predicted: number;
  correct: number;
  recentSamples: number;
  recentPredicted: number;
  recentCorrect: number;
}

export interface LostRange {
  input: string;
  from: number;
  until: number;
  why: string;
}

export interface Status {
  samples: {
    received: number;
    malformed: number;
    unlabeled: number;
    duplicates: number;
    stored: number;
    storedBytes: number;
    revived: number;
    joined: number;
    evicted: number;
    quarantined: number;
    passedOver: number;
  };
  stages: { newborn: number; mature: number; preserve: number; discard: number };
  progress: { updates: number; trainedNewSamples: number; modelVersion: number; training: boolean };
  prequential: {
    scored: number;
    unscored: number;
    classification?: {
      logLoss: number;
      accuracy: number;
      recentAccuracy: number;
      noChangeAccuracy: number;
      majorityAccuracy: number;
      recentNoChangeAccuracy: number;
      recentMajorityAccuracy: number;
      /** Absent in events of earlier builds. */
      byClass?: ClassQuality[];
    };
    regression?: { meanAbsoluteError: number; rootMeanSquaredError: number; noChangeMeanAbsoluteError: number };
  };
  incorporation: { count: number; meanSeconds: number; p99Seconds: number };
  ingestion: { events: number; p50Millis: number; p99Millis: number; maxMillis: number };
  hotSamples: { donatedBytes: number; payloadBytes: number; hits: number; misses: number; store: StoreTraffic };
  decision: { pending: number; nextFiringInSeconds: number; grounds: Grounds };
  inputOffsets: Record<string, number>;
  input: {
    lostOffsets: number;
    lost: LostRange[];
    reread: number;
    refusedControls: number;
    ends: string[];
    run: string;
  };
  engine: { name: string; threads: number; reason: string; warnings: string[] };
  tables?: Tables;
  gate?: Gate;
  pinned?: Pinned;
}

export interface SampleView {
  asked: string;
  found: boolean;
  sampleId: number;
  stage: string;
  labeled: boolean;
  score: number;
  scoreNow: number;
  facts: Record<string, number>;
  strengths: Record<string, number>;
  loss: number;
  evaluations: number;
  lastUpdate: number;
  idOccurrences: Record<string, number>;
}

export interface DecisionEvent {
  formatVersion: number;
  type: EventType;
  application: string;
  partition: number;
  atMillis: number;
  message: string;
  status: Status;
  update?: UpdateRecord;
  arrivals?: { firstMillis: number; afterMillis: number[]; counts: number[]; part: number; parts: number };
  moves?: { counts: Record<string, number>; traced: unknown[] };
  sample?: SampleView;
}

export interface Application {
  name: string;
  partitions: number;
  task: 'classification' | 'regression';
  classes: string[];
  modelType: string;
  rule: string;
  weight: number;
  machinePricePerSecond: number | null;
  stalenessPricePerSampleSecond: number | null;
  score: string;
  tables: boolean;
  tensorFastBytes: number;
  hotBytes: number;
  gateAction: string;
  maxSamples: number;
  keep: number;
}

export interface ConsoleInfo {
  version: string;
  source: 'kafka' | 'recording';
  sourceName: string;
  nowMillis: number;
  writable: boolean;
  connected: boolean;
  problem: string;
  applications: Application[];
}

export interface LearnerInfo {
  learner: string;
  application: string;
  partition: number;
  last: DecisionEvent;
}

export interface HistoryAnswer {
  names: string[];
  atMillis: number[];
  values: (number | null)[][];
}

export type UpdateState = 'fired' | 'training-failed' | 'aborted' | 'staged' | 'published' | 'held';

export interface UpdateAnswer {
  number: number;
  state: UpdateState;
  firedAtMillis: number | null;
  stagedAtMillis: number | null;
  publishedAtMillis: number | null;
  heldAtMillis: number | null;
  update: UpdateRecord;
  message: string;
}

export interface NoteAnswer {
  atMillis: number;
  type: EventType;
  updateNumber: number | null;
  message: string;
}

export interface MovesAnswer {
  counts: Record<string, number>;
  points: { atMillis: number; updateNumber: number; counts: Record<string, number> }[];
}

export interface SampleAnswer {
  answer: SampleView | null;
  moves: { atMillis: number; before: string; after: string; score: number; contribution: number; cause: string }[];
}

/** How a version is related to the current one; unknown if a version between them cannot be read. */
export type Descent = 'CURRENT' | 'ABANDONED' | 'UNKNOWN';

/** One whose manifest cannot be read has null where nothing is known. */
export interface ModelVersion {
  version: number;
  /** 0 for none */
  parent: number | null;
  createdAtMillis: number | null;
  digest: string | null;
  bytes: number | null;
  files: { name: string; bytes: number; sha256: string }[];
  attributes: Record<string, string>;
  counts: Record<string, number>;
  metrics: Record<string, number>;
  descent: Descent;
  /** what is wrong with it, empty if nothing is */
  damaged: string;
}

export interface ModelsAnswer {
  problem: string;
  current: number;
  serving: number;
  pin: { version: number; reason: string; atMillis: number; by: string; until: number } | null;
  aliases: Record<string, { version: number; by: string; atMillis: number }>;
  versions: ModelVersion[];
}

export interface Subscriber {
  name: string;
  host: string;
  alias: string;
  version: number;
  sinceMillis: number;
  stalenessMillis: number;
  stale: boolean;
  refused: number;
  lastError: string;
  retired: number;
  ageMillis: number;
  silent: boolean;
}

export interface SubscribersAnswer {
  readable: boolean;
  problem: string;
  more: boolean;
  subscribers: Subscriber[];
}

export interface DeadLetter {
  id: string;
  atMillis: number;
  topic: string;
  partition: number;
  offset: number;
  reason: string;
  origin: string;
  text: string;
  binary: boolean;
  length: number;
  cut: boolean;
  /** why it cannot be sent again, empty if it can */
  obstacle: string;
}

export interface DeadLettersAnswer {
  problem: string;
  total: number;
  letters: DeadLetter[];
}

export interface WhatIfRow {
  rule: string;
  parameter: string;
  asItHappened: boolean;
  /** with the settings of the application */
  configured: boolean;
  totalRatio: number;
  controllableRatio: number;
  meanLatencySeconds: number;
  p99LatencySeconds: number;
  updates: number;
  machineSeconds: number;
  cost: number;
  /** lines of an application file with these settings, empty for what happened */
  yaml: string;
}

export interface WhatIfAnswer {
  problem: string;
  arrivals: number;
  fromMillis: number;
  toMillis: number;
  weight: number;
  epsilonSeconds: number;
  lambdaSeconds: number;
  optimum: { cost: number; exact: boolean; unavoidable: number };
  rows: WhatIfRow[];
}

/** What a report file holds: the same answers, recorded. */
export interface Recorded {
  console: ConsoleInfo;
  learners: LearnerInfo[];
  history?: Record<string, HistoryAnswer>;
  updates?: Record<string, UpdateAnswer[]>;
  events?: Record<string, NoteAnswer[]>;
  moves?: Record<string, MovesAnswer>;
  models?: Record<string, ModelsAnswer>;
}
