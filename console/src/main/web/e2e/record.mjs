import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { RECORDING } from './start.mjs';
import { startRun } from './run.mjs';

/** Writes the recording of the tests anew: node e2e/record.mjs (needs the data, see e2e/run.mjs). */

const SECONDS = 40;
const MOST_EVENTS = 1_500;
const run = await startRun({ electricity: 300, avazu: 150 });
try {
  const response = await fetch(run.address + 'api/stream');
  const events = [];
  const token = { Authorization: 'Bearer ' + run.token, 'Content-Type': 'application/json' };
  let first = 0;
  let asked = false;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines.filter((each) => each.startsWith('data: {"formatVersion"'))) {
      events.push(JSON.parse(line.slice('data: '.length)));
      first ||= events[0].atMillis;
    }
    const passed = events.length === 0 ? 0 : events.at(-1).atMillis - first;
    if (!asked && passed > (1000 * SECONDS) / 2) {
      asked = true;
      const body = JSON.stringify({ id: '#100' });
      await fetch(run.address + 'api/applications/electricity/explain', { method: 'POST', headers: token, body });
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
