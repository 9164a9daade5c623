import type { DecisionEvent, EventType, UpdateEntry, UpdateRecord, UpdateState } from '../api/types.ts';
import { Columns } from './columns.ts';
import { type Getter, UPDATE_NUMBERS, type UpdateNumber, getter } from './paths.ts';

/** Most updates of a learner on the page; the server has more. */
export const MOST_UPDATES = 4000;

const TIMES = ['firedAtMillis', 'stagedAtMillis', 'publishedAtMillis', 'heldAtMillis'] as const;
type Time = (typeof TIMES)[number];

const NAMES: readonly string[] = [...UPDATE_NUMBERS, ...TIMES];
const INDEX = new Map(NAMES.map((name, index) => [name, index]));
const GETTERS: Getter[] = UPDATE_NUMBERS.map(getter);

const DROPPED_AT_ONCE = 8;

/** What has become of an update, by an event about it; null if the event does not say. */
function stateAfter(type: EventType, update: UpdateRecord): UpdateState | null {
  switch (type) {
    case 'FIRED':
      return 'fired';
    case 'ABORTED':
      return 'aborted';
    case 'DROPPED':
      // What is trained and could not be published is published later.
      return update.training ? 'staged' : 'training-failed';
    case 'STAGED':
      return 'staged';
    case 'HELD':
      return 'held';
    case 'PUBLISHED':
      return 'published';
    default:
      return null;
  }
}

/** The newest updates of a learner, ascending by number. */
export class Updates {
  private readonly columns: Columns;
  private readonly states: UpdateState[] = [];
  private readonly reasons: string[] = [];
  private readonly messages: string[] = [];
  private readonly policies: string[] = [];
  private readonly capacity: number;

  constructor(capacity = MOST_UPDATES) {
    this.capacity = capacity;
    this.columns = new Columns(NAMES, capacity);
  }

  get length(): number {
    return this.columns.length;
  }

  /** Position of an update, -1 if it is not (or no longer) here. */
  find(number: number): number {
    const numbers = this.columns.column('number');
    let low = 0;
    let high = numbers.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const at = numbers[middle] as number;
      if (at === number) {
        return middle;
      }
      if (at < number) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  value(position: number, name: UpdateNumber | Time): number {
    return this.columns.value(INDEX.get(name) as number, position);
  }

  column(name: UpdateNumber | Time): Float64Array {
    return this.columns.column(name);
  }

  state(position: number): UpdateState {
    return this.states[position] ?? 'fired';
  }

  reason(position: number): string {
    return this.reasons[position] ?? '';
  }

  message(position: number): string {
    return this.messages[position] ?? '';
  }

  tensorPolicy(position: number): string {
    return this.policies[position] ?? '';
  }

  /** Begins with what the server knows. */
  load(answers: UpdateEntry[]): void {
    this.columns.dropNewest(this.columns.length);
    for (const texts of [this.states, this.reasons, this.messages, this.policies]) {
      texts.length = 0;
    }
    for (const answer of answers) {
      const position = this.row(answer.number);
      if (position < 0) {
        continue;
      }
      this.write(position, answer.update);
      this.states[position] = answer.state;
      this.messages[position] = answer.message;
      this.time(position, 'firedAtMillis', answer.firedAtMillis);
      this.time(position, 'stagedAtMillis', answer.stagedAtMillis);
      this.time(position, 'publishedAtMillis', answer.publishedAtMillis);
      this.time(position, 'heldAtMillis', answer.heldAtMillis);
    }
  }

  /** Takes an event as the server does (UpdateHistory). After a restore numbers repeat: the latest event is valid. */
  add(event: DecisionEvent): void {
    if (event.type === 'RESTORED') {
      // Numbers go on from the checkpoint: what is above never counted.
      this.forgetFrom(event.status.progress.updates + 1);
    }
    const update = event.update;
    const state = update ? stateAfter(event.type, update) : null;
    if (!update || !state) {
      return;
    }
    if (event.type === 'FIRED') {
      this.forgetFrom(update.number);
    }
    const position = this.row(update.number);
    if (position < 0) {
      return;
    }
    this.write(position, update);
    this.states[position] = state;
    this.messages[position] = event.message;
    if (Number.isNaN(this.value(position, 'firedAtMillis'))) {
      // The beginning of an update may be older than what was heard.
      this.time(position, 'firedAtMillis', event.type === 'FIRED' ? event.atMillis : update.firing.atMillis);
    }
    if (state === 'staged' && Number.isNaN(this.value(position, 'stagedAtMillis'))) {
      this.time(position, 'stagedAtMillis', event.atMillis);
    } else if (state === 'held') {
      this.time(position, 'heldAtMillis', event.atMillis);
    } else if (state === 'published') {
      this.time(position, 'publishedAtMillis', event.atMillis);
    }
  }

  private time(position: number, name: Time, millis: number | null | undefined): void {
    if (millis !== null && millis !== undefined) {
      this.columns.set(INDEX.get(name) as number, position, millis);
    }
  }

  private write(position: number, update: UpdateRecord): void {
    GETTERS.forEach((get, index) => {
      const value = get(update);
      if (!Number.isNaN(value)) {
        this.columns.set(index, position, value);
      }
    });
    this.reasons[position] = update.firing.grounds.reason;
    this.policies[position] = update.training?.tensors?.policy ?? this.policies[position] ?? '';
  }

  /** The row of an update; a new one if its number is higher than all, -1 if it is too old. */
  private row(number: number): number {
    const found = this.find(number);
    if (found >= 0) {
      return found;
    }
    const last = this.columns.value(0, this.columns.length - 1);
    if (number < last) {
      return -1;
    }
    if (this.columns.full()) {
      const dropped = Math.max(1, Math.floor(this.capacity / DROPPED_AT_ONCE));
      this.columns.dropOldest(dropped);
      for (const texts of [this.states, this.reasons, this.messages, this.policies]) {
        texts.splice(0, dropped);
      }
    }
    const position = this.columns.add();
    this.columns.set(0, position, number);
    this.states[position] = 'fired';
    this.reasons[position] = '';
    this.messages[position] = '';
    this.policies[position] = '';
    return position;
  }

  /** Forgets what was said of this number and later ones before a restore. */
  private forgetFrom(number: number): void {
    const numbers = this.columns.column('number');
    let keep = numbers.length;
    while (keep > 0 && (numbers[keep - 1] as number) >= number) {
      keep--;
    }
    if (keep === numbers.length) {
      return;
    }
    this.columns.dropNewest(numbers.length - keep);
    for (const texts of [this.states, this.reasons, this.messages, this.policies]) {
      texts.length = keep;
    }
  }
}
