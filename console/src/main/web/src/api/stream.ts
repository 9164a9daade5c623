import { RequestError } from './client.ts';
import { EventParser, type ServerEvent } from './sse.ts';
import type { Refusal } from './types.ts';

const FIRST_PAUSE_MILLIS = 500;
const LONGEST_PAUSE_MILLIS = 15_000;
/** The server sends a comment every 15 s; without one for so long the connection is dead. */
const SILENCE_MILLIS = 40_000;
/** A stream that lasted so long was a good one: the next attempt after it is the first. */
const GOOD_MILLIS = 20_000;

/** Pause before the attempt of that number, from 0: doubled each time, bounded. */
export function pauseMillis(attempt: number): number {
  return Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** Math.min(attempt, 10));
}

/** Why the server refused the stream, in its own words if it said any. */
async function refusal(response: Response): Promise<string> {
  const plain = 'the console answered ' + response.status;
  try {
    const said = ((await response.json()) as Partial<Refusal>).error;
    return typeof said === 'string' ? said : plain;
  } catch {
    return plain;
  }
}

export interface StreamListener {
  /** The stream is open; what came before has to be asked for. */
  open(): void;
  event(event: ServerEvent): void;
  lost(problem: string, status: number, retryInMillis: number): void;
}

/** Follows the server's events for ever, over fetch, so that the token is a header. */
export class Stream {
  private readonly headers: () => Record<string, string>;
  private readonly listener: StreamListener;
  private attempt = 0;
  private openedMillis = Number.POSITIVE_INFINITY;
  private abort: AbortController | null = null;
  private wake: (() => void) | null = null;

  constructor(headers: () => Record<string, string>, listener: StreamListener) {
    this.headers = headers;
    this.listener = listener;
  }

  async follow(): Promise<never> {
    for (;;) {
      let problem = 'the console ended the stream';
      let status = 0;
      try {
        await this.read();
      } catch (failed) {
        problem = (failed as Error).message;
        status = failed instanceof RequestError ? failed.status : 0;
      }
      if (performance.now() - this.openedMillis > GOOD_MILLIS) {
        this.attempt = 0;
      }
      this.openedMillis = Number.POSITIVE_INFINITY;
      const pause = pauseMillis(this.attempt++);
      this.listener.lost(problem, status, pause);
      await new Promise<void>((resume) => {
        const timer = setTimeout(resume, pause);
        this.wake = () => {
          clearTimeout(timer);
          resume();
        };
      });
      this.wake = null;
    }
  }

  /** Connects anew at once: with another token, or because the user asked. */
  again(): void {
    this.attempt = 0;
    this.abort?.abort(new Error('connecting again'));
    this.wake?.();
  }

  /** Connects anew after a pause, because something was missed. */
  restart(why: string): void {
    this.abort?.abort(new Error(why));
  }

  private async read(): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    let silence = setTimeout(() => abort.abort(new Error('the console is silent')), SILENCE_MILLIS);
    try {
      const response = await fetch('api/stream', {
        headers: { ...this.headers(), Accept: 'text/event-stream' },
        cache: 'no-store',
        signal: abort.signal,
      });
      if (!response.ok || !response.body) {
        throw new RequestError(response.status, await refusal(response));
      }
      const parser = new EventParser((event) => {
        if (event.event === 'hello') {
          this.openedMillis = performance.now();
          this.listener.open();
        }
        this.listener.event(event);
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          return;
        }
        clearTimeout(silence);
        silence = setTimeout(() => abort.abort(new Error('the console is silent')), SILENCE_MILLIS);
        parser.push(value);
      }
    } catch (failed) {
      // A stream that is cut says only "network error"; the reason of an abort says why.
      throw abort.signal.aborted ? abort.signal.reason : failed;
    } finally {
      clearTimeout(silence);
      this.abort = null;
      abort.abort();
    }
  }
}
