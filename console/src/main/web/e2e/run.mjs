import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { APPLICATIONS, IDLA, root } from './start.mjs';

/** A running job with the applications of the recording, and events that are sent to it. */

const DATA = process.env.IDLA_DATA ?? join(root, '../shared/data');
const INPUTS = {
  electricity: join(DATA, 'drift/elec.csv.gz'),
  avazu: join(DATA, 'ctr/avazu_14102100_rows1-7500.csv.gz'),
  bikes: join(DATA, 'drift/toulouse_bikes.csv.gz'),
};
const START_MILLIS = 180_000;
/** One of so many lines is broken, so that there are dead letters. */
const BROKEN_EVERY = 997;
/** Labels of these lines are wrong, so that a model is worse than the one before it. */
const WRONG_LABELS = { bikes: { from: 3_500, to: 4_300, of: (line) => line.replace(/^([^,]*),\d+,/, '$1,200,') } };

const MOST_SAID = 20_000;

/** Whether the events are there. */
export function hasData() {
  return Object.values(INPUTS).every((file) => existsSync(file));
}

function said(child, pattern, what) {
  let text = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(what + ' did not start: ' + text)), START_MILLIS);
    const take = (chunk) => {
      text += chunk;
      const found = pattern.exec(text);
      if (found) {
        clearTimeout(timer);
        resolve(found);
      }
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => reject(new Error(what + ' ended with ' + code + ': ' + text)));
  });
}

/**
 * Starts a job with all applications, its console, and what sends events; all of it ends with `stop`. `said` is the
 * end of what the job has printed, and `check` fails if the job has ended.
 *
 * @param rates events a second, by application
 */
export async function startRun(rates) {
  const folder = mkdtempSync(join(tmpdir(), 'idla-run-'));
  const children = [];
  const start = (...options) => {
    const child = spawn(IDLA, options, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.ended = new Promise((resolve) => child.on('exit', resolve));
    child.said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        child.said = (child.said + chunk).slice(-MOST_SAID);
      });
    }
    children.push(child);
    return child;
  };
  const stop = async () => {
    for (const child of children.reverse()) {
      child.removeAllListeners('exit');
      const ended =
        child.exitCode !== null || child.signalCode !== null ? null : new Promise((r) => child.on('exit', r));
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const run = start('run', ...APPLICATIONS, '--work-dir', join(folder, 'work'), '--console-port', '0');
    const broker = said(run, /broker at (\S+);/, 'the run');
    const page = said(run, /console at (http\S+?\/)#token=(\S+)/, 'the console');
    const servers = (await broker)[1];
    const [, address, token] = await page;
    for (const file of APPLICATIONS) {
      const name = /(\w+)\.yaml$/.exec(file)[1];
      const lines = gunzipSync(readFileSync(INPUTS[name])).toString('utf8').split('\n');
      const wrong = WRONG_LABELS[name];
      const sent = lines.map((line, index) => {
        const said = wrong && index >= wrong.from && index < wrong.to ? wrong.of(line) : line;
        return index > 0 && index % BROKEN_EVERY === 0 ? said.replace(',', ';') : said;
      });
      const input = join(folder, name + '.csv');
      writeFileSync(input, sent.join('\n'));
      start('produce', file, '--input', input, '--bootstrap-servers', servers, '--rate', String(rates[name]));
    }
    /** Fails with what the job said if it has ended. */
    const check = () => {
      if (run.exitCode !== null || run.signalCode !== null) {
        throw new Error('the run ended with ' + (run.exitCode ?? run.signalCode) + ': ' + run.said);
      }
    };
    return { address, token, servers, models: join(folder, 'work'), said: () => run.said, check, start, stop };
  } catch (failed) {
    await stop();
    throw failed;
  }
}
