/** A server-sent event. */
export interface ServerEvent {
  event: string;
  data: string;
}

/** Most characters of one event; the server's largest is 512 KiB. */
const MOST_CHARACTERS = 4 << 20;

/** Puts server-sent events together from pieces of text, cut anywhere. */
export class EventParser {
  private readonly take: (event: ServerEvent) => void;
  private rest = '';
  private event = '';
  private data: string[] = [];

  constructor(take: (event: ServerEvent) => void) {
    this.take = take;
  }

  push(text: string): void {
    this.rest += text;
    if (this.rest.length > MOST_CHARACTERS) {
      throw new Error('an event of the stream is too long');
    }
    let from = 0;
    for (;;) {
      const end = this.lineEnd(from);
      if (end < 0) {
        break;
      }
      this.line(this.rest.slice(from, end));
      from = this.rest[end] === '\r' && this.rest[end + 1] === '\n' ? end + 2 : end + 1;
    }
    this.rest = this.rest.slice(from);
  }

  /** End of the line that begins there, -1 if it is not whole. A CR at the very end may have an LF behind it. */
  private lineEnd(from: number): number {
    for (let at = from; at < this.rest.length; at++) {
      const character = this.rest[at];
      if (character === '\n' || (character === '\r' && at + 1 < this.rest.length)) {
        return at;
      }
    }
    return -1;
  }

  private line(line: string): void {
    if (line === '') {
      if (this.data.length > 0) {
        this.take({ event: this.event || 'message', data: this.data.join('\n') });
      }
      this.event = '';
      this.data = [];
      return;
    }
    if (line.startsWith(':')) {
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') {
      this.event = value;
    } else if (field === 'data') {
      this.data.push(value);
    }
  }
}
