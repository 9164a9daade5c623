import { describe, expect, test } from 'vitest';
import { EventParser, type ServerEvent } from './sse.ts';
import { pauseMillis } from './stream.ts';

function parse(...pieces: string[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const parser = new EventParser((event) => events.push(event));
  pieces.forEach((piece) => parser.push(piece));
  return events;
}

describe('server-sent events', () => {
  const text = 'event: hello\ndata: {"nowMillis":1}\n\n: comment\n\nevent: decision\ndata: {"a":\ndata: 1}\n\n';
  const expected = [
    { event: 'hello', data: '{"nowMillis":1}' },
    { event: 'decision', data: '{"a":\n1}' },
  ];
  test('are whole wherever the text is cut', () => {
    for (let cut = 0; cut <= text.length; cut++) {
      expect(parse(text.slice(0, cut), text.slice(cut))).toEqual(expected);
    }
  });
  test('may end their lines with CR LF', () => {
    const crlf = text.replaceAll('\n', '\r\n');
    for (let cut = 0; cut <= crlf.length; cut++) {
      expect(parse(crlf.slice(0, cut), crlf.slice(cut))).toEqual(expected);
    }
  });
  test('that never end are refused', () => {
    expect(() => parse('data: ' + 'x'.repeat(5 << 20))).toThrow('too long');
  });
});

test('pauses between attempts double up to a bound', () => {
  expect([0, 1, 2, 5, 1000].map(pauseMillis)).toEqual([500, 1000, 2000, 15_000, 15_000]);
});
