import type {
  DecisionEvent,
  FollowedPlan,
  LearnerInfo,
  MoveHistory,
  Note,
  Status,
  StatusTable,
  UpdateEntry,
} from '../api/types.ts';
import { Charges } from './charges.ts';
import { History } from './history.ts';
import { Moves } from './moves.ts';
import { rate } from './rate.ts';
import { Updates } from './updates.ts';

const MOST_NOTES = 500;
const MOST_HELD = 4096;
const RATE_MILLIS = 10_000;
const NOTED = new Set([
  'DROPPED',
  'ABORTED',
  'RULES',
  'INPUT',
  'HELD',
  'WORSE',
  'ROLLED_BACK',
  'UNCOMPARED',
  'FORGOTTEN',
  'RESTORED',
  'FINISHED',
]);

const SET_BACK_MILLIS = 60_000;

/**
 * The last of some entries, from where the learner's clock was set back for the last time: charts want times that ascend.
 *
 * @param entries oldest first
 * @param nowMillis time of the learner now
 */
export function sinceSetBack<T>(entries: T[], atMillis: (entry: T) => number, nowMillis: number): T[] {
  let next = nowMillis;
  for (let index = entries.length - 1; index >= 0; index--) {
    const time = atMillis(entries[index] as T);
    if (time > next + SET_BACK_MILLIS) {
      return entries.slice(index + 1);
    }
    next = Math.min(next, time);
  }
  return entries;
}

/** What one of the two topics has said: each has an order of its own, and may be read long before the other. */
interface Topic {
  newestMillis: number;
  /** Whether the other topic has told of a clock that was set back, and this one has not yet. */
  behind: boolean;
}

/** All that the page knows of one learner. */
export class Learner {
  readonly key: string;
  readonly application: string;
  readonly partition: number;
  last: DecisionEvent;
  readonly history = new History();
  readonly updates = new Updates();
  readonly moves = new Moves();
  readonly charges = new Charges();
  notes: Note[] = [];
  /** The plan that trainings follow; null if no event has said which. */
  plan: FollowedPlan | null = null;
  /** The newest publication; null if none is known. */
  published: { version: number; atMillis: number } | null = null;
  /** Whether history, updates, events and moves have come from the server. */
  loaded = false;
  /** Events that came while the updates were asked for; they are taken again behind the answer. */
  private held: DecisionEvent[] | null = null;
  private readonly statuses: Topic = { newestMillis: Number.NEGATIVE_INFINITY, behind: false };
  private readonly decisions: Topic = { newestMillis: Number.NEGATIVE_INFINITY, behind: false };

  /** @param before the same learner before its clock was set back */
  constructor(info: LearnerInfo, before?: Learner) {
    if (before) {
      // What the server knows from then has the other times.
      this.loaded = before.loaded;
      const other = this.topics(info.last)[1];
      other.newestMillis = before.topics(info.last)[1].newestMillis;
      other.behind = info.last.atMillis < other.newestMillis - SET_BACK_MILLIS;
    }
    this.key = info.learner;
    this.application = info.application;
    this.partition = info.partition;
    this.last = info.last;
    this.take(info.last);
  }

  get status(): Status {
    return this.last.status;
  }

  /** Events per second lately, null if not known. */
  eventsPerSecond(): number | null {
    return rate(this.history.times(), this.history.column('samples.received'), RATE_MILLIS);
  }

  /** When a version was published, epoch milliseconds; null if that is not known. */
  publishedAt(version: number): number | null {
    if (this.published?.version === version) {
      return this.published.atMillis;
    }
    const position = this.updates.column('published.version').lastIndexOf(version);
    return position < 0 ? null : this.updates.value(position, 'published.atMillis');
  }

  /** The topic of an event, and the other one. */
  private topics(event: DecisionEvent): [Topic, Topic] {
    return event.type === 'STATUS' ? [this.statuses, this.decisions] : [this.decisions, this.statuses];
  }

  /** Whether an event tells that the learner's clock was set back: those of a topic come about in order. */
  setBackBy(event: DecisionEvent): boolean {
    const [own] = this.topics(event);
    return event.atMillis < Math.min(own.newestMillis, this.last.atMillis) - SET_BACK_MILLIS;
  }

  /** Whether the time of an event is that of the clock before it was set back. */
  private fromBefore(event: DecisionEvent): boolean {
    const [own, other] = this.topics(event);
    if (event.atMillis < own.newestMillis - SET_BACK_MILLIS) {
      own.newestMillis = event.atMillis;
      own.behind = false;
    } else if (own.behind) {
      own.behind = event.atMillis > other.newestMillis + SET_BACK_MILLIS;
    }
    own.newestMillis = Math.max(own.newestMillis, event.atMillis);
    return own.behind;
  }

  /** Takes an event of the stream. Events of the two topics may come in any order: the newest is the last. */
  take(event: DecisionEvent): void {
    if (!this.fromBefore(event) && event.atMillis >= this.last.atMillis) {
      this.last = slim(event);
      this.history.add(event.atMillis, event.status);
      this.charges.add(event);
    }
    this.updates.add(event);
    if (this.held && (event.update || event.moves || event.type === 'RESTORED') && this.held.length < MOST_HELD) {
      this.held.push(event);
    }
    this.moves.add(event);
    if (event.plan) {
      const { atMillis, plan, update } = event;
      this.loadPlan(update ? { atMillis, updateNumber: update.number, plan } : { atMillis, plan });
    }
    const published = event.type === 'PUBLISHED' ? event.update?.published : undefined;
    if (published) {
      this.published = published;
    }
    if (NOTED.has(event.type)) {
      const note = {
        atMillis: event.atMillis,
        type: event.type,
        updateNumber: event.update?.number ?? null,
        message: event.message,
      };
      if (!this.notes.some((known) => known.atMillis === note.atMillis && known.message === note.message)) {
        this.notes = [...this.notes.slice(1 - MOST_NOTES), note];
      }
    }
  }

  /** From now on the answers of the server are on their way. */
  loading(): void {
    this.held = [];
  }

  /** No answer comes. */
  loadingFailed(): void {
    this.loaded = false;
    this.held = null;
  }

  loadHistory(answer: StatusTable): void {
    this.history.load(answer);
    this.charges.seed(this.history, this.updates);
  }

  loadUpdates(all: UpdateEntry[]): void {
    const answers = sinceSetBack(all, (answer) => answer.update.firing.atMillis, this.last.atMillis);
    this.updates.load(answers);
    this.held?.forEach((event) => this.updates.add(event));
    this.held = null;
    for (let index = answers.length - 1; index >= 0; index--) {
      const published = answers[index]?.update.published;
      if (published) {
        if (!this.published || published.atMillis > this.published.atMillis) {
          this.published = published;
        }
        break;
      }
    }
  }

  /** The answer of the server may be older than an event that came meanwhile. */
  loadPlan(answer: FollowedPlan): void {
    if (answer.plan && (!this.plan || answer.atMillis >= this.plan.atMillis)) {
      this.plan = answer;
    }
  }

  loadNotes(all: Note[]): void {
    const answers = sinceSetBack(all, (answer) => answer.atMillis, this.last.atMillis);
    const newest = answers[answers.length - 1]?.atMillis ?? Number.NEGATIVE_INFINITY;
    this.notes = [...answers, ...this.notes.filter((note) => note.atMillis > newest)].slice(-MOST_NOTES);
  }

  /** Before {@link loadUpdates}, which forgets the events that came meanwhile. */
  loadMoves(answer: MoveHistory): void {
    this.moves.load({
      ...answer,
      points: sinceSetBack(answer.points, (point) => point.atMillis, this.last.atMillis),
    });
    this.held?.forEach((event) => this.moves.add(event));
  }
}

/** An event without its lists, which no screen needs of the last one. */
function slim(event: DecisionEvent): DecisionEvent {
  const { arrivals: _arrivals, moves: _moves, plan: _plan, ...rest } = event;
  return rest;
}
