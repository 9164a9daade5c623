import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { RECORDING } from './start.mjs';
import { startRun } from './run.mjs';

/** Writes the recording of the tests anew: node e2e/record.mjs (needs the data, see e2e/run.mjs). */

const SECONDS = 40;
const MOST_EVENTS = 1_500;
/** What people do meanwhile, after a share of the time. */
const REQUESTS = [
  { after: 0.5, path: 'applications/electricity/explain', body: () => ({ id: '#100' }) },
  {
    after: 0.85,
    path: 'learners/bikes/0/pin',
    body: (newest) => ({ version: newest.bikes.progress.modelVersion, reason: 'no change before the weekend' }),
  },
];
const run = await startRun({ electricity: 300, avazu: 60, bikes: 200 });
try {
  const response = await fetch(run.address + 'api/stream');
  const events = [];
  const headers = { Authorization: 'Bearer ' + run.token, 'Content-Type': 'application/json' };
  const newest = {};
  const requests = [...REQUESTS];
  let first = 0;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines.filter((each) => each.startsWith('data: {"formatVersion"'))) {
      const event = JSON.parse(line.slice('data: '.length));
      events.push(event);
      newest[event.application] = event.status;
      first ||= event.atMillis;
    }
    const passed = events.length === 0 ? 0 : events.at(-1).atMillis - first;
    if (requests.length > 0 && passed > 1000 * SECONDS * requests[0].after) {
      const { path, body } = requests.shift();
      const answer = await fetch(run.address + 'api/' + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body(newest)),
      });
      if (!answer.ok) {
        throw new Error(path + ': ' + (await answer.text()));
      }
    }
    if (passed > 1000 * SECONDS || events.length >= MOST_EVENTS) {
      break;
    }
  }
  writeFileSync(RECORDING, gzipSync(events.map((event) => JSON.stringify(event)).join('\n') + '\n', { level: 9 }));
  console.log('%d events in %s', events.length, RECORDING);
} finally {
  await run.stop();
}
