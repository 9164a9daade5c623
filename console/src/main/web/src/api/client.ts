import type {
  CapacityAnswer,
  ConsoleInfo,
  DeadLetterPage,
  Done,
  FollowedPlan,
  LearnerInfo,
  MoveHistory,
  Note,
  Refusal,
  ReportedSubscribers,
  SampleHistory,
  StatusTable,
  UpdateEntry,
  VersionTable,
  WhatIfAnswer,
} from './types.ts';

/** The server refused a request, or did not answer; the message is for people. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const READ_MILLIS = 60_000;

function learnerPath(learner: string): string {
  return 'api/learners/' + learner.split('/').map(encodeURIComponent).join('/');
}

/** Asks the server. Every method rejects with a RequestError. */
export class Client {
  private readonly token: () => string;

  constructor(token: () => string) {
    this.token = token;
  }

  headers(): Record<string, string> {
    const token = this.token();
    return token === '' ? {} : { Authorization: 'Bearer ' + token };
  }

  console = () => this.get<ConsoleInfo>('api/console');
  learners = () => this.get<LearnerInfo[]>('api/learners');
  history = (learner: string) => this.get<StatusTable>(learnerPath(learner) + '/history');
  updates = (learner: string) => this.get<UpdateEntry[]>(learnerPath(learner) + '/updates?limit=2000');
  events = (learner: string) => this.get<Note[]>(learnerPath(learner) + '/events?limit=500');
  moves = (learner: string) => this.get<MoveHistory>(learnerPath(learner) + '/moves');
  plan = (learner: string) => this.get<FollowedPlan>(learnerPath(learner) + '/plan');
  subscribers = (learner: string) => this.get<ReportedSubscribers>(learnerPath(learner) + '/subscribers');
  models = (learner: string) => this.get<VersionTable>(learnerPath(learner) + '/models');

  sample(learner: string, id: string): Promise<SampleHistory> {
    return this.get(learnerPath(learner) + '/samples?id=' + encodeURIComponent(id));
  }

  deadLetters(application: string): Promise<DeadLetterPage> {
    return this.get('api/applications/' + encodeURIComponent(application) + '/dead-letters?limit=200');
  }

  whatIf(learner: string, asked: { weight?: number; epsilon?: number; lambda?: number }): Promise<WhatIfAnswer> {
    const query = Object.entries(asked)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => name + '=' + encodeURIComponent(String(value)))
      .join('&');
    return this.get(learnerPath(learner) + '/what-if' + (query === '' ? '' : '?' + query));
  }

  capacity(application: string): Promise<CapacityAnswer> {
    return this.get('api/applications/' + encodeURIComponent(application) + '/capacity');
  }

  train = (application: string) => this.post('api/applications/' + encodeURIComponent(application) + '/train', {});
  explain = (application: string, id: string) =>
    this.post('api/applications/' + encodeURIComponent(application) + '/explain', { id });
  pin = (learner: string, version: number, reason: string) =>
    this.post(learnerPath(learner) + '/pin', { version, reason });
  unpin = (learner: string) => this.post(learnerPath(learner) + '/unpin', {});
  rollback = (learner: string, reason: string) => this.post(learnerPath(learner) + '/rollback', { reason });
  alias = (learner: string, name: string, version: number) =>
    this.post(learnerPath(learner) + '/alias', { name, version });
  removeAlias = (learner: string, name: string) => this.post(learnerPath(learner) + '/alias', { name, remove: true });
  resend = (application: string, id: string, text?: string) =>
    this.post(
      'api/applications/' + encodeURIComponent(application) + '/dead-letters/resend',
      text === undefined ? { id } : { id, text },
    );

  private async get<T>(path: string): Promise<T> {
    return (await this.ask(path, { headers: this.headers() })) as T;
  }

  /** The server's answer in words. */
  private async post(path: string, body: object): Promise<string> {
    const done = (await this.ask(path, {
      method: 'POST',
      headers: { ...this.headers(), 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })) as Done;
    return done.message;
  }

  private async ask(path: string, init: RequestInit): Promise<unknown> {
    let response: Response;
    try {
      response = await fetch(path, { ...init, cache: 'no-store', signal: AbortSignal.timeout(READ_MILLIS) });
    } catch (failed) {
      throw new RequestError(0, 'the console does not answer (' + (failed as Error).message + ')');
    }
    const text = await response.text();
    let answer: unknown = null;
    try {
      answer = JSON.parse(text);
    } catch {
      throw new RequestError(response.status, 'the console answered ' + response.status + ' without JSON');
    }
    if (!response.ok) {
      const said = (answer as Partial<Refusal> | null)?.error;
      throw new RequestError(
        response.status,
        typeof said === 'string' ? said : 'the console answered ' + response.status,
      );
    }
    return answer;
  }
}
