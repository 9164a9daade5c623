import { Client, RequestError } from '../api/client.ts';
import { Stream, pauseMillis } from '../api/stream.ts';
import type {
  ApplicationInfo,
  ConsoleInfo,
  DecisionEvent,
  Hello,
  LearnerInfo,
  RecordedAnswers,
  ReportedSubscribers,
  VersionTable,
} from '../api/types.ts';
import { Learner } from './learner.ts';
import { Scheduler } from './scheduler.ts';
import { Session } from './session.ts';

/** How the page is connected with the server. */
export interface Link {
  state: 'connecting' | 'live' | 'lost' | 'recorded';
  sinceMillis: number;
  problem: string;
  /** When the next attempt is made, time of this machine. */
  retryMillis: number;
}

const INFO_EVERY_MILLIS = 10_000;
const AGES_EVERY_MILLIS = 1000;
/** Histories of so few learners are loaded without being asked for. */
const PRELOADED = 8;
const MOST_WAITING = 10_000;
/** An answer on models is compared with statuses for this long. The page asks for it only while a screen shows it. */
const MODELS_NEW_MILLIS = 60_000;
/** So often is a learner asked for that the server does not know. */
const MOST_UNKNOWN = 20;

/** All that the page knows, and what keeps it up to date. */
export class ConsoleStore {
  readonly session = new Session();
  readonly client = new Client(() => this.session.token);
  readonly learners = new Map<string, Learner>();
  readonly models = new Map<string, VersionTable>();
  private readonly modelsAskedMillis = new Map<string, number>();
  /** Who reports to serve the models of a learner. */
  readonly subscribers = new Map<string, ReportedSubscribers>();
  info: ConsoleInfo | null = null;
  link: Link = { state: 'connecting', sinceMillis: Date.now(), problem: '', retryMillis: 0 };
  /** Whether the learners were asked for successfully at least once. */
  asked = false;
  /** Whether the server wants a token for reading. */
  tokenNeeded = false;
  private readonly scheduler: Scheduler;
  private readonly stream: Stream;
  private clockOffsetMillis = 0;
  private newestMillis = 0;
  /** Events that came before the learners were asked for. */
  private waiting: DecisionEvent[] | null = null;
  /** Counts how often the stream was opened. */
  private opening = 0;

  constructor(paint: () => void) {
    this.scheduler = new Scheduler(paint);
    this.stream = new Stream(() => this.client.headers(), {
      open: () => void this.opened(),
      event: (event) => this.heard(event.event, event.data),
      lost: (problem, status, pause) => this.lost(problem, status, pause),
    });
  }

  /** Follows the server, or shows a report. */
  start(recorded: RecordedAnswers | null): void {
    setInterval(() => this.scheduler.news(), AGES_EVERY_MILLIS);
    if (recorded) {
      this.show(recorded);
      return;
    }
    setInterval(() => void this.askInfo(), INFO_EVERY_MILLIS);
    void this.askInfo();
    void this.stream.follow();
  }

  /** Time of the learners, epoch milliseconds: a recording has its own. */
  nowMillis(): number {
    const own = this.link.state === 'recorded' || this.info?.source === 'recording';
    return own ? this.newestMillis : Date.now() + this.clockOffsetMillis;
  }

  sorted(): Learner[] {
    return [...this.learners.values()].sort(
      (a, b) => a.application.localeCompare(b.application) || a.partition - b.partition,
    );
  }

  /** The learner that was chosen; undefined while it has said nothing: no other takes its place. */
  chosen(): Learner | undefined {
    return this.learners.get(this.session.learner);
  }

  /** A reader who has not chosen sees the first learner that is known, and goes on seeing it. */
  private chooseFirst(): void {
    const first = this.sorted()[0];
    if (this.session.learner === '' && first) {
      this.session.learner = first.key;
    }
  }

  application(name: string): ApplicationInfo | undefined {
    return this.info?.applications.find((application) => application.name === name);
  }

  writable(): boolean {
    return this.link.state !== 'recorded' && this.session.token !== '' && (this.info?.writable ?? false);
  }

  readonly changed = (): void => this.scheduler.now();

  reconnect(): void {
    this.stream.again();
    this.changed();
  }

  useToken(token: string): void {
    this.session.setToken(token);
    this.tokenNeeded = false;
    void this.askInfo();
    this.reconnect();
  }

  /** Asks for the versions and for who serves them, and shows both at once, so that nothing jumps. */
  async askModels(learner: string): Promise<void> {
    if (this.link.state === 'recorded') {
      return;
    }
    await Promise.all([this.askVersions(learner), this.askSubscribers(learner)]);
    this.scheduler.news();
  }

  /** The answer on a learner's models, unless it is old; a report has only one. */
  newModels(learner: string): VersionTable | undefined {
    const asked = this.modelsAskedMillis.get(learner) ?? 0;
    const isNew = this.link.state === 'recorded' || Date.now() - asked < MODELS_NEW_MILLIS;
    return isNew ? this.models.get(learner) : undefined;
  }

  private async askVersions(learner: string): Promise<void> {
    this.modelsAskedMillis.set(learner, Date.now());
    try {
      this.models.set(learner, await this.client.models(learner));
    } catch (failed) {
      const known = this.models.get(learner);
      this.models.set(learner, {
        ...(known ?? { current: 0, serving: 0, pin: null, aliases: {}, versions: [] }),
        problem: (failed as Error).message,
      });
    }
  }

  private async askSubscribers(learner: string): Promise<void> {
    try {
      this.subscribers.set(learner, await this.client.subscribers(learner));
    } catch (failed) {
      const known = this.subscribers.get(learner);
      if (known) {
        this.subscribers.set(learner, { ...known, problem: (failed as Error).message });
      }
    }
  }

  private async askInfo(): Promise<void> {
    try {
      this.info = await this.client.console();
      this.clockOffsetMillis = this.info.nowMillis - Date.now();
      this.tokenNeeded = false;
    } catch (failed) {
      this.tokenNeeded = failed instanceof RequestError && failed.status === 401;
    }
    this.scheduler.news();
  }

  private async opened(): Promise<void> {
    this.opening++;
    this.waiting = [];
    this.setLink('live', '');
    await this.loadAll(this.opening, 0);
  }

  /** Asks for everything; tries again, with longer and longer pauses, until the stream is opened anew. */
  private async loadAll(opening: number, attempt: number): Promise<void> {
    let problem = '';
    let unknown = false;
    try {
      const [learners] = await Promise.all([this.client.learners(), this.askInfo()]);
      if (opening !== this.opening) {
        return;
      }
      this.asked = true;
      learners.forEach((info) => this.meet(info));
      this.takeWaiting();
      this.chooseFirst();
      this.changed();
      if (attempt === 0) {
        for (const learner of this.learners.values()) {
          learner.loaded = false;
        }
      }
      const failures = await this.loadMany();
      // The server need not know a learner that this page knows, or not yet.
      const others = failures.filter((failed) => !(failed instanceof RequestError && failed.status === 404));
      problem = others[0]?.message ?? '';
      unknown = failures.length > others.length;
    } catch (failed) {
      problem = (failed as Error).message;
    }
    if (opening !== this.opening) {
      return;
    }
    this.takeWaiting();
    this.link.problem = problem;
    if (problem !== '' || (unknown && attempt < MOST_UNKNOWN)) {
      setTimeout(() => opening === this.opening && void this.loadAll(opening, attempt + 1), pauseMillis(attempt));
    }
  }

  private takeWaiting(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    waiting.forEach((event) => this.take(event));
  }

  /** Loads the chosen learner first, then the others if they are few; each that fails has a failure. */
  private async loadMany(): Promise<Error[]> {
    const chosen = this.chosen();
    const all = this.sorted();
    const wanted = all.length <= PRELOADED ? all : all.filter((learner) => learner === chosen);
    wanted.sort((a, b) => Number(b === chosen) - Number(a === chosen));
    const failures: Error[] = [];
    for (const learner of wanted) {
      try {
        await this.load(learner);
      } catch (failed) {
        failures.push(failed as Error);
      }
    }
    return failures;
  }

  /** Asks for the past of a learner, unless it is here or on its way. */
  async load(learner: Learner): Promise<void> {
    if (learner.loaded || this.link.state === 'recorded') {
      return;
    }
    learner.loaded = true;
    try {
      learner.loading();
      const [updates, notes, moves, plan] = await Promise.all([
        this.client.updates(learner.key),
        this.client.events(learner.key),
        this.client.moves(learner.key),
        this.client.plan(learner.key),
      ]);
      learner.loadPlan(plan);
      learner.loadNotes(notes);
      learner.loadMoves(moves);
      learner.loadUpdates(updates);
      learner.loadHistory(await this.client.history(learner.key));
    } catch (failed) {
      learner.loadingFailed();
      throw failed;
    } finally {
      this.scheduler.news();
    }
  }

  private heard(name: string, data: string): void {
    if (name === 'gap') {
      this.stream.restart('the page was too slow and missed events');
      return;
    }
    if (name === 'hello') {
      this.clockOffsetMillis = (JSON.parse(data) as Hello).nowMillis - Date.now();
      return;
    }
    if (name !== 'decision') {
      return;
    }
    const event = JSON.parse(data) as DecisionEvent;
    if (this.waiting && this.waiting.length < MOST_WAITING) {
      this.waiting.push(event);
    } else {
      this.takeWaiting();
      this.take(event);
      this.chooseFirst();
      this.scheduler.news();
    }
  }

  /** Takes an event of any learner; one that says something for the first time is new. */
  take(event: DecisionEvent): void {
    this.newestMillis = Math.max(this.newestMillis, event.atMillis);
    const key = event.application + '/' + event.partition;
    const info = { learner: key, application: event.application, partition: event.partition, last: event };
    const learner = this.learners.get(key);
    if (learner && !learner.setBackBy(event)) {
      learner.take(event);
    } else {
      this.meet(info);
    }
  }

  private meet(info: LearnerInfo): void {
    this.newestMillis = Math.max(this.newestMillis, info.last.atMillis);
    const learner = this.learners.get(info.learner);
    if (learner && !learner.setBackBy(info.last)) {
      learner.take(info.last);
    } else {
      this.learners.set(info.learner, new Learner(info, learner));
    }
  }

  private lost(problem: string, status: number, pauseMillis: number): void {
    this.tokenNeeded = status === 401;
    const since = this.link.state === 'lost' ? this.link.sinceMillis : Date.now();
    this.link = { state: 'lost', sinceMillis: since, problem, retryMillis: Date.now() + pauseMillis };
    this.changed();
  }

  private setLink(state: Link['state'], problem: string): void {
    this.link = { state, sinceMillis: Date.now(), problem, retryMillis: 0 };
    this.changed();
  }

  private show(recorded: RecordedAnswers): void {
    this.info = recorded.console;
    this.asked = true;
    this.setLink('recorded', '');
    for (const info of recorded.learners) {
      this.meet(info);
      const learner = this.learners.get(info.learner) as Learner;
      learner.loaded = true;
      const key = info.learner;
      learner.loadUpdates(recorded.updates[key] ?? []);
      learner.loadNotes(recorded.events[key] ?? []);
      learner.loadMoves(recorded.moves[key] ?? { counts: {}, points: [] });
      const plan = recorded.plans[key];
      if (plan) {
        learner.loadPlan(plan);
      }
      const history = recorded.history[key];
      if (history) {
        learner.loadHistory(history);
      }
      const models = recorded.models[key];
      if (models) {
        this.models.set(key, models);
      }
    }
    this.chooseFirst();
    this.changed();
  }
}
